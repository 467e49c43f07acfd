import { once } from "node:events";
import type { Server as NodeServer } from "node:http";
import type { AddressInfo } from "node:net";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test, vi } from "vitest";
import { build } from "esbuild";
import { parseCommandLine } from "../../generator/command/main.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { blocksOf, documentsIn, readmes } from "./documents.js";

const documents = [
  ...["README.md", "skills/mcpgen/SKILL.md", ...readmes],
  ...["docs", "docs/guides", "docs/tasks", "examples/ci"].flatMap(documentsIn),
];

/** The commands of mcpgen in a document, as words. */
function commandsIn(document: string): string[][] {
  const lines = blocksOf(document, "(?:sh|console)").flatMap((block) => [
    ...block.matchAll(/^(?:\$ )?(?:npx )?mcpgen (.+?)(?: +# .*)?(?: > .*)?$/gm),
  ]);
  return lines.map(([, line]) =>
    [...line!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!),
  );
}

test.each(documents)("%s shows commands that exist", async (document) => {
  for (const words of commandsIn(document))
    expect(await parseCommandLine(words, "1.0.0", () => {}), words.join(" ")).toBeDefined();
});

/** Runs a code block; resolves with what it exports. */
async function run(code: string): Promise<object> {
  const outfile = join(temporaryFolder(), "block.mjs");
  await build({
    stdin: { contents: code, loader: "ts", resolveDir: process.cwd() },
    ...{ outfile, bundle: true, platform: "node", format: "esm", conditions: ["mcpgen-source"] },
  });
  return (await import(pathToFileURL(outfile).href)) as object;
}

test("the transport of docs/tasks/write-a-transport.md carries a call", async () => {
  const [code] = blocksOf("docs/tasks/write-a-transport.md", "ts");
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await run(code!);
  expect(log.mock.calls).toEqual([["2026-07-28", [{ type: "text", text: "over a port" }]]]);
  log.mockRestore();
});

test("the two servers of docs/tasks/serve-over-http.md have a path each", async () => {
  const code = blocksOf("docs/tasks/serve-over-http.md", "ts").find((block) => block.includes("/weather"))!;
  vi.stubEnv("PORT", "0");
  const { http, close } = (await run(code)) as { http: NodeServer; close: () => Promise<void> };
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await close();
  });
  if (!http.listening) await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  for (const [path, tool] of [
    ["weather", "forecast"],
    ["notes", "count"],
  ]) {
    const client = await connect(`http://127.0.0.1:${port}/${path}?q=1`, { revisions: clientRevisions });
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual([tool]);
    await client.close();
  }
  expect((await fetch(`http://127.0.0.1:${port}/toString`)).status).toBe(404);
});
