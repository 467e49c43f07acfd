import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { compilerOutput, projectConfig } from "../support/typescript-compiler.js";

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

/** Counts of the compiler for server and client of a contract. They are the same on every machine. */
async function compiled(count: number): Promise<{ readonly types: number; readonly instantiations: number }> {
  const tools = Array.from({ length: count }, (_, tool) => ({
    name: `tool_${tool}`,
    ...{ inputSchema: schemaOf(tool), outputSchema: schemaOf(tool + 1) },
  }));
  const text = JSON.stringify({ name: "many", version: "1", tools });
  const document = await readContract(text, "many.json");
  const { files } = await generateContract({ document, role: "both", importExtension: "js" });
  const config = { ...projectConfig, include: [], files: ["server.ts", "client.ts"] };
  const stdout = await compilerOutput(files, config, ["--extendedDiagnostics", "--singleThreaded"]);
  const figure = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(stdout)?.[1]);
  return { types: figure("Types"), instantiations: figure("Instantiations") };
}

test("a tool costs the compiler a few instantiations and types, with any number of tools", async () => {
  const [few, many] = [await compiled(4), await compiled(24)];
  const each = (name: keyof typeof few): number => (many[name] - few[name]) / 20;
  expect(each("instantiations")).toBeGreaterThan(0);
  expect(each("instantiations")).toBeLessThanOrEqual(15);
  // With shapes as object literals, the number was ten times as large.
  expect(each("types")).toBeLessThanOrEqual(3 * fields);
});
