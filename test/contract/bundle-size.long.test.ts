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

const emitted = readContract(contract, "c.yaml").then(
  async (document) => (await generateContract({ document, role: "server", importExtension: "js" })).files,
);

const main = (imports: string, revisions: string): string => `import "@mcpgen/runtime/stdio-guard";
${imports}
import { serveStdio } from "@mcpgen/runtime/stdio";
import { createBenchServer } from "./server.js";
const tools = { echo: ({ message }) => message, add: ({ a, b }) => String(a + b) };
serveStdio(createBenchServer({ tools }, { revisions: ${revisions} }));
`;

const bundlings = [
  ["two", "built", '"production"', 36_480],
  ["two", "source", '"production"', 36_350],
  ["five", "built", '"production"', 40_380],
  // Without a value for it, the program decides when it runs: the exact definitions of what is sent stay in.
  ["two", "built", undefined, 40_840],
] as const;

const mains = {
  two: main(
    'import { revision as modern } from "@mcpgen/protocol/2026-07-28/server";\n' +
      'import { revision as legacy } from "@mcpgen/protocol/2025-11-25/server";',
    "[legacy, modern]",
  ),
  five: main('import { serverRevisions } from "@mcpgen/protocol/server";', "serverRevisions"),
};

test.each(bundlings)(
  "a stdio server of %s revisions from %s packages, NODE_ENV %s, as one file, has at most %i bytes",
  async (revisions, packages, environment, most) => {
    mkdirSync("node_modules/.cache", { recursive: true });
    const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-size-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const [path, content] of [...(await emitted), ["main.js", mains[revisions]] as const]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const { outputFiles } = await build({
      entryPoints: [join(folder, "main.js")],
      ...{ bundle: true, minify: true, write: false, platform: "node", format: "esm", legalComments: "none" },
      ...{ conditions: packages === "source" ? ["mcpgen-source"] : [], logLevel: "error" },
      ...(environment === undefined ? {} : { define: { "process.env.NODE_ENV": environment } }),
    });
    expect(outputFiles).toHaveLength(1);
    const code = outputFiles[0]!.text;
    // Node's own modules are all that it loads.
    expect(
      [...code.matchAll(/\b(?:import\(|from)\s*"([^"]+)"/g)].filter(([, from]) => !from!.startsWith("node:")),
    ).toEqual([]);
    expect(code.includes("process.env.NODE_ENV")).toBe(environment === undefined);
    expect(gzipSync(code).length).toBeLessThanOrEqual(most);
  },
);
