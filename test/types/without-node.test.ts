import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compilerOutput } from "../support/typescript-compiler.js";

/** The errors of the compiler for a program without the types of Node and the DOM. */
function compiled(entries: readonly string[], skipLibCheck: boolean): Promise<string> {
  const imports = entries.map((entry, index) => `export * as part${index} from "${entry}";`);
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck },
    ...{ module: "nodenext", target: "es2022", lib: ["es2023"], types: [] },
  };
  const files = new Map([["main.ts", `${imports.join("\n")}\n${program}`]]);
  return compilerOutput(files, { compilerOptions, files: ["main.ts"] });
}

const program = `
import { connect, createServer } from "@mcpgen/runtime/all";
const server = createServer({ name: "s", version: "1" });
server.tool("t", { inputSchema: { type: "object", properties: { a: { type: "string" } } } }, ({ a }, { signal }) => {
  signal.addEventListener("abort", async () => {});
  return a ?? String(signal.aborted);
});
export const client = connect("https://example.com/mcp", { http: { headers: { "x-a": "1" } } });
`;

const runtime = JSON.parse(readFileSync("runtime/core/package.json", "utf8")) as {
  exports: { readonly [entry: string]: unknown };
  peerDependencies: { readonly [name: string]: string };
};
const named = (entry: string): string => `@mcpgen/runtime${entry.slice(1)}`;
const ofNode = new Set(["./http", "./modern", "./stdio", "./stdio-guard"]);
const entries = Object.keys(runtime.exports).filter((entry) => entry !== "./package.json");
const beside = [
  "@mcpgen/apps",
  "@mcpgen/testing",
  "@mcpgen/cluster",
  "@mcpgen/cluster/sealed-sessions",
  "@mcpgen/observe",
];
// The declarations of OpenTelemetry's API need those of a platform.
const telemetry = "@mcpgen/observe/otel";

test("portable entries compile without Node's types, declarations included", async () => {
  const portable = entries.filter((entry) => !ofNode.has(entry)).map(named);
  expect(portable).toContain("@mcpgen/runtime/all");
  const protocol = [
    "@mcpgen/protocol",
    "@mcpgen/protocol/authoring",
    "@mcpgen/protocol/open",
    "@mcpgen/protocol/2026-07-28/client",
  ];
  expect(await compiled([...portable, ...beside, ...protocol], false)).toBe("");
});

test("entries for Node compile without its types under skipLibCheck, and list them as a peer", async () => {
  expect(await compiled([...entries.map(named), ...beside, telemetry], true)).toBe("");
  expect(Object.keys(runtime.peerDependencies)).toEqual(["@types/node"]);
});
