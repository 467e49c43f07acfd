import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";

const contract = `name: bench
version: "1"
tools:
  - name: echo
    description: Answers with the message
    inputSchema: { type: object, required: [message], properties: { message: { type: string } } }
  - name: add
    description: Adds two numbers
    inputSchema: { type: object, required: [a, b], properties: { a: { type: number }, b: { type: number } } }
`;

const main = (imports: string, revisions: string): string => `import "@mcpgen/runtime/stdio-guard";
${imports}
import { serveStdio } from "@mcpgen/runtime/stdio";
import { createBenchServer } from "./server.js";
const tools = { echo: ({ message }) => message, add: ({ a, b }) => String(a + b) };
serveStdio(createBenchServer({ tools }, { revisions: ${revisions} }));
`;

test.each([
  [
    "two",
    // Every server has middleware, events, sessions, vendor methods, checks of sent messages, overrides of errors
    // and bytes in content.
    30_900,
    main(
      'import { revision as modern } from "@mcpgen/protocol/2026-07-28/server";\n' +
        'import { revision as legacy } from "@mcpgen/protocol/2025-11-25/server";',
      "[legacy, modern]",
    ),
  ],
  ["five", 35_500, main('import { serverRevisions } from "@mcpgen/protocol/server";', "serverRevisions")],
])(
  "a stdio server of %s revisions, as one file with everything inside, has at most %i bytes",
  async (_, most, text) => {
    mkdirSync("node_modules/.cache", { recursive: true });
    const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-size-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const document = await readContract(contract, "c.yaml");
    const { files } = await generateContract({ document, role: "server", importExtension: "js" });
    for (const [path, content] of [...files, ["main.js", text] as const]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const { outputFiles } = await build({
      entryPoints: [join(folder, "main.js")],
      ...{ bundle: true, minify: true, write: false, platform: "node", format: "esm", legalComments: "none" },
      ...{ conditions: ["mcpgen-source"], logLevel: "error" },
      // As a bundle for production is made: without it, the exact definitions of what is sent stay in.
      define: { "process.env.NODE_ENV": '"production"' },
    });
    expect(outputFiles).toHaveLength(1);
    const code = outputFiles[0]!.text;
    // Node's own modules are all that it loads.
    expect(
      [...code.matchAll(/\b(?:import\(|from)\s*"([^"]+)"/g)].filter(([, from]) => !from!.startsWith("node:")),
    ).toEqual([]);
    expect(gzipSync(code).length).toBeLessThanOrEqual(most);
  },
);
