// Measures the type checker's work for the output of contracts: `node bench/contracts/types.mjs`, after `npm
// run build`. Each project contains the generated server and client, a handler for each tool, and a call of
// each tool.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = `${root}node_modules/.cache/mcpgen-bench-contracts/`;
const fields = 25;

/**
 * Returns a contract whose tools have `fields` fields in their input and in their output: strings, numbers,
 * an enumeration, an array and an object.
 */
function contractOf(tools) {
  const properties = (tool) =>
    Object.fromEntries(
      Array.from({ length: fields }, (_, index) => [`field${index}`, kinds[(index + tool) % kinds.length]]),
    );
  return {
    name: "bench",
    version: "1",
    tools: Array.from({ length: tools }, (_, tool) => ({
      name: `tool_${tool}`,
      description: `The tool of number ${tool}.`,
      inputSchema: { type: "object", required: ["field0"], properties: properties(tool) },
      outputSchema: { type: "object", required: ["field1"], properties: properties(tool + 1) },
    })),
  };
}

const kinds = [
  { type: "string", description: "A text." },
  { type: "number" },
  { enum: ["small", "medium", "large"], default: "small" },
  { type: "array", items: { type: "string" } },
  { type: "object", required: ["lat"], properties: { lat: { type: "number" }, lon: { type: "number" } } },
];

const values = ['"a"', "1", '"small"', '["a"]', "{ lat: 1 }"];

function mainOf(tools) {
  const numbers = Array.from({ length: tools }, (_, tool) => tool);
  const value = (index) => values[index % values.length];
  return `import type { Client } from "@mcpgen/runtime";
import { benchClient } from "./out/client.js";
import { type Handlers, createBenchServer } from "./out/server.js";
const handlers: Handlers = { tools: {
${numbers.map((tool) => `  tool_${tool}: ({ field0 }) => ({ structuredContent: { field1: ${value(tool + 2)}, field0: undefined === field0 ? ${value(tool + 1)} : ${value(tool + 1)} } }),`).join("\n")}
} };
export const server = createBenchServer(handlers, { revisions: [] });
${numbers
  .map(
    (tool) => `export async function call${tool}(client: Client) {
  const result = await benchClient(client).tools.tool${tool}({ field0: ${value(tool)} });
  if (!result.isError) void result.structuredContent.field1;
}`,
  )
  .join("\n")}
`;
}

function measure(tools) {
  const project = `${folder}${tools}/`;
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  writeFileSync(`${project}c.json`, JSON.stringify(contractOf(tools)));
  writeFileSync(`${project}main.ts`, mainOf(tools));
  const compilerOptions = {
    ...{ target: "ES2022", lib: ["ES2023"], module: "NodeNext", types: [], strict: true, noEmit: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
  };
  writeFileSync(`${project}tsconfig.json`, JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  const start = performance.now();
  const cli = `${root}dist/generator/cli.js`;
  execFileSync(process.execPath, [cli, "generate", "--contract", "c.json", "--out", "out", "--quiet"], {
    cwd: project,
    stdio: "inherit",
  });
  const generate = performance.now() - start;
  const report = spawnSync(
    process.execPath,
    [`${root}node_modules/typescript/bin/tsc`, "-p", project, "--extendedDiagnostics", "--singleThreaded"],
    { encoding: "utf8", cwd: project },
  );
  if (report.status !== 0) throw new Error(report.stdout);
  const figure = (name) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(report.stdout)?.[1]);
  return {
    tools,
    generate,
    instantiations: figure("Instantiations"),
    seconds: figure("Total time"),
    megabytes: figure("Memory used") / 1000,
  };
}

const rows = [1, 50, 100, 200, 300].map(measure);
const [first] = rows;
for (const { tools, generate, instantiations, seconds, megabytes } of rows) {
  const each =
    tools === 1 ? "" : `${((instantiations - first.instantiations) / (tools - 1)).toFixed(1)} a tool`;
  console.log(
    [
      `${tools} tools of ${fields} fields`,
      `generate ${(generate / 1000).toFixed(2)} s`,
      `${instantiations} instantiations ${each}`,
      `compile ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB`,
    ].join(" · "),
  );
}
