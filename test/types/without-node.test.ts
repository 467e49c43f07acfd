import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** What the compiler says of a program that has neither Node's types nor those of the DOM. */
function compiled(entries: readonly string[], skipLibCheck: boolean): string {
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-without-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const imports = entries.map((entry, index) => `export * as part${index} from "${entry}";`);
  writeFileSync(join(folder, "main.ts"), `${imports.join("\n")}\n${program}`);
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck },
    ...{ module: "nodenext", target: "es2022", lib: ["es2023"], types: [] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  const tsc = resolve("node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" }).stdout;
}

const program = `
import { connect, createServer } from "@mcpgen/runtime/all";
const server = createServer({ name: "s", version: "1" });
server.tool("t", { inputSchema: { type: "object", properties: { a: { type: "string" } } } }, ({ a }, { signal }) => {
  signal.addEventListener("abort", () => {});
  return a ?? String(signal.aborted);
});
export const client = connect("https://example.com/mcp", { http: { headers: { "x-a": "1" } } });
`;

const runtime = JSON.parse(readFileSync("runtime/core/package.json", "utf8")) as {
  exports: { readonly [entry: string]: unknown };
  peerDependencies: { readonly [name: string]: string };
};
const named = (entry: string): string => `@mcpgen/runtime${entry.slice(1)}`;
const ofNode = new Set(["./http", "./stdio", "./stdio-guard"]);
const entries = Object.keys(runtime.exports).filter((entry) => entry !== "./package.json");

test("what is not for Node alone compiles without Node's types, declarations included", () => {
  const portable = entries.filter((entry) => !ofNode.has(entry)).map(named);
  expect(portable).toContain("@mcpgen/runtime/all");
  const protocol = ["@mcpgen/protocol", "@mcpgen/protocol/authoring", "@mcpgen/protocol/2026-07-28/client"];
  expect(compiled([...portable, ...protocol], false)).toBe("");
});

test("what is for Node alone compiles without them where declarations are not checked, and names them", () => {
  expect(compiled(entries.map(named), true)).toBe("");
  expect(Object.keys(runtime.peerDependencies)).toEqual(["@types/node"]);
});
