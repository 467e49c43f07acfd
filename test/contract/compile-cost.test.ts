import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";

const fields = 25;
const kinds = [
  { type: "string", description: "A text." },
  { enum: ["small", "medium", "large"], default: "small" },
  { type: "array", items: { type: "string" } },
  { type: "object", required: ["lat"], properties: { lat: { type: "number" }, lon: { type: "number" } } },
];

function schemaOf(tool: number): object {
  const properties = Array.from({ length: fields }, (_, index) => [
    `field${index}`,
    kinds[(tool + index) % kinds.length],
  ]);
  return { type: "object", required: ["field0"], properties: Object.fromEntries(properties) };
}

/** What the compiler makes of server and client of a contract: counts, which are the same on every machine. */
async function compiled(count: number): Promise<{ readonly types: number; readonly instantiations: number }> {
  const tools = Array.from({ length: count }, (_, tool) => ({
    name: `tool_${tool}`,
    ...{ inputSchema: schemaOf(tool), outputSchema: schemaOf(tool + 1) },
  }));
  const text = JSON.stringify({ name: "many", version: "1", tools });
  const document = await readContract(text, "many.json");
  // Inside the project, so that packages are found.
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-cost-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { files } = await generateContract({ document, role: "both", importExtension: "js" });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const compilerOptions = { skipLibCheck: true, types: ["node"] };
  const config = {
    extends: resolve("tsconfig.base.json"),
    compilerOptions,
    files: ["server.ts", "client.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const words = [
    "node_modules/typescript/bin/tsc",
    "-p",
    folder,
    "--extendedDiagnostics",
    "--singleThreaded",
  ];
  const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  const figure = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(stdout)?.[1]);
  return { types: figure("Types"), instantiations: figure("Instantiations") };
}

test("a tool costs the compiler a few instantiations and types, with any number of tools", async () => {
  const [few, many] = [await compiled(4), await compiled(24)];
  const each = (name: keyof typeof few): number => (many[name] - few[name]) / 20;
  expect(each("instantiations")).toBeGreaterThan(0);
  expect(each("instantiations")).toBeLessThanOrEqual(15);
  // As object literals, the shapes alone were ten times as many.
  expect(each("types")).toBeLessThanOrEqual(3 * fields);
});
