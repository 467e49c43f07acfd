import { expect, test, vi } from "vitest";
import { build } from "esbuild";
import { parseCommandLine } from "../../generator/command/parse.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { blocksOf, documentsIn } from "./documents.js";

const documents = ["README.md", "docs/README.md", "docs/migration.md", ...documentsIn("docs/tasks")];

/** The commands of mcpgen in a document, as words. */
function commandsIn(document: string): string[][] {
  const lines = blocksOf(document, "sh").flatMap((block) => [
    ...block.matchAll(/^npx mcpgen (.+?)(?: +# .*)?$/gm),
  ]);
  return lines.map(([, line]) =>
    [...line!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!),
  );
}

test.each(documents)("%s shows commands that exist", async (document) => {
  for (const words of commandsIn(document))
    expect(await parseCommandLine(words, "1.0.0", () => {}), words.join(" ")).toBeDefined();
});

test("the transport of docs/tasks/write-a-transport.md carries a call", async () => {
  const [code] = blocksOf("docs/tasks/write-a-transport.md", "ts");
  const outfile = join(temporaryFolder(), "transport.mjs");
  await build({
    stdin: { contents: code!, loader: "ts", resolveDir: process.cwd() },
    ...{ outfile, bundle: true, platform: "node", format: "esm", conditions: ["mcpgen-source"] },
  });
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(pathToFileURL(outfile).href);
  expect(log.mock.calls).toEqual([["2026-07-28", [{ type: "text", text: "over a port" }]]]);
  log.mockRestore();
});
