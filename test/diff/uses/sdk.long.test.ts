import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { reportOf, usesOf } from "./code.js";

const pair = ["2025-11-25", "2026-07-28"];

/** A short form of the types of an official SDK, which are derived from schemas. */
const types = `export interface ZodObject<Shape> { readonly shape: Shape; }
export interface ZodArray<Item> { readonly item: Item; }
export interface ZodOptional<Inner> { readonly inner: Inner; }
export interface ZodString { readonly text: string; }
type Infer<Schema> = Schema extends ZodObject<infer Shape> ? { [Key in keyof Shape]: Infer<Shape[Key]> }
  : Schema extends ZodArray<infer Item> ? Infer<Item>[]
  : Schema extends ZodOptional<infer Inner> ? Infer<Inner> | undefined
  : Schema extends ZodString ? string : unknown;
export declare const InitializeRequestSchema: ZodObject<{ method: ZodString; params: ZodObject<{}> }>;
export declare const CallToolRequestSchema: ZodObject<{ method: ZodString; params: ZodObject<{ name: ZodString; task: ZodOptional<ZodString> }> }>;
export declare const ListToolsRequestSchema: ZodObject<{ method: ZodString; params: ZodOptional<ZodObject<{ cursor: ZodOptional<ZodString> }>> }>;
export declare const ListToolsResultSchema: ZodObject<{ tools: ZodArray<ZodObject<{ name: ZodString; execution: ZodOptional<ZodObject<{ taskSupport: ZodString }>> }>> }>;
export type InitializeRequest = Infer<typeof InitializeRequestSchema>;
export type CallToolRequest = Infer<typeof CallToolRequestSchema>;
export type ListToolsRequest = Infer<typeof ListToolsRequestSchema>;
export type ListToolsResult = Infer<typeof ListToolsResultSchema>;
export declare const isInitializeRequest: (value: unknown) => value is InitializeRequest;
`;
const classes = `import type { CallToolRequest, ListToolsResult, ZodObject } from "./types.js";
export declare class Client {
  ping(): Promise<void>;
  setLoggingLevel(level: string): Promise<void>;
  callTool(params: CallToolRequest["params"]): Promise<unknown>;
  listTools(): Promise<ListToolsResult>;
  request(message: { method: string; params?: object }): Promise<unknown>;
}
export declare class Server {
  setRequestHandler<Shape>(schema: ZodObject<Shape> | string, handler: (request: any) => unknown): void;
  registerTool(name: string, more: object, handler: () => unknown): void;
}
`;
const code = `import { CallToolRequestSchema, ListToolsRequestSchema, isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import type { CallToolRequest, InitializeRequest as Hello, ListToolsResult } from "@modelcontextprotocol/sdk/types.js";
import { Client, Server } from "@modelcontextprotocol/sdk/classes.js";

export const hello = (message: unknown): Hello | undefined => (isInitializeRequest(message) ? message : undefined);
export async function drive(client: Client): Promise<unknown> {
  await client.ping();
  await client.setLoggingLevel("error");
  const { tools } = await client.listTools();
  const first = tools.map((tool) => tool.execution?.taskSupport);
  await client.request({ method: "ping" });
  return [first, await client.callTool({ name: "x", task: undefined })];
}
export function serve(server: Server, client: Client): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params));
  server.setRequestHandler("logging/setLevel", () => ({}));
  server.registerTool("ping", { title: "ping" }, () => "pong");
}
export const task = (request: CallToolRequest, result: ListToolsResult) => [request.params.task, result.tools[0]?.name];
export const raw = { jsonrpc: "2.0", id: 1, method: "tools/list" };
export const first = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
export const own: { task: string; params: object; ping: string } = { task: "", params: {}, ping: "initialize" };
own.params = { execution: own.task };
`;

const tsconfig = JSON.stringify({
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2015"],
    types: [],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    strict: true,
  },
});

function folder(files: Readonly<Record<string, string>>): string {
  return join(
    temporaryFolder({ "tsconfig.json": tsconfig, "package.json": '{"type":"module"}', ...files }),
    "src",
  );
}

const sdk = {
  "node_modules/@modelcontextprotocol/sdk/package.json":
    '{"name":"@modelcontextprotocol/sdk","type":"module"}',
  "node_modules/@modelcontextprotocol/sdk/types.d.ts": types,
  "node_modules/@modelcontextprotocol/sdk/classes.d.ts": classes,
};

test("code that imports an official SDK is understood: types, schemas, guards, members, functions, messages", async () => {
  const report = await reportOf(".", [...pair, "--uses", folder({ "src/code.ts": code, ...sdk })]);
  const uses = (rule: string, subject: string): string[] => usesOf(report, rule, subject);
  expect(report.warnings).toEqual([]);
  expect(report.code).toMatchObject({ files: 1, byName: 0 });
  expect(uses("request-removed", "initialize")).toEqual([
    "5 Hello",
    "5 isInitializeRequest",
    "22 initialize",
  ]);
  expect(uses("request-removed", "ping")).toEqual(["7 ping", "11 ping"]);
  expect(uses("request-removed", "logging/setLevel")).toEqual(["8 setLoggingLevel", "17 logging/setLevel"]);
  expect(uses("result-alternative-added", "tools/call")).toEqual([
    "12 callTool",
    "16 callTool",
    "20 CallToolRequest",
  ]);
  expect(uses("property-removed", "Tool.execution")).toEqual(["10 execution"]);
  expect(uses("property-removed", "CallToolRequestParams.task")).toEqual(["12 task", "20 task"]);
  // Only code that writes the whole message decides about its params. A client of the SDK adds them itself.
  expect(uses("params-became-required", "ListToolsRequest.params")).toEqual(["21 tools/list"]);
  expect(uses("property-added-required", "ListToolsResult.ttlMs")).toEqual(["20 ListToolsResult"]);
});

test("without the SDK, uses are found by name, and the report counts those files", async () => {
  const report = await reportOf(".", [
    ...pair,
    "--uses",
    folder({ "src/code.ts": code, "src/none.ts": "export {};" }),
  ]);
  const uses = (rule: string, subject: string): string[] => usesOf(report, rule, subject);
  expect(report.code).toMatchObject({ files: 2, byName: 1 });
  expect(report.warnings.map(({ code: each }) => each)).toEqual(["MG3211"]);
  expect(uses("request-removed", "initialize")).toEqual([
    "5 Hello",
    "5 isInitializeRequest",
    "22 initialize",
  ]);
  expect(uses("request-removed", "ping")).toEqual(["7 ping", "11 ping"]);
  expect(uses("result-alternative-added", "tools/call")).toEqual([
    "12 callTool",
    "16 callTool",
    "20 CallToolRequest",
  ]);
  expect(uses("params-became-required", "ListToolsRequest.params")).toEqual(["21 tools/list"]);
  expect(uses("property-removed", "Tool.execution")).toEqual([]);
});

test("without the SDK, a class, a tool or a text with the name of a method or definition is not a use", async () => {
  const own = `import { InitializeRequest, McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "ping", version: "1" });
server.registerTool("ping", { title: "ping", description: "logging/setLevel" }, () => new InitializeRequest("initialize"));
server.emit("ping", { initialize: "ping" }, "resources/subscribe");
`;
  const report = await reportOf(".", [...pair, "--uses", folder({ "src/code.ts": own })]);
  const gone = report.findings.filter(({ rule, uses }) => rule === "request-removed" && uses.length > 0);
  expect(gone.map(({ subject, uses }) => [subject, uses])).toEqual([]);
});

test("names of errors in an enum of the SDK count as their numbers", async () => {
  const codes = `export declare enum ErrorCode { InvalidParams = -32602, UrlElicitationRequired = -32042 }
export declare class McpError extends Error { readonly code: number; }
`;
  const compares = `import { ErrorCode as Code, type McpError } from "@modelcontextprotocol/sdk/codes.js";
enum Own { UrlElicitationRequired = "page", InvalidParams = -32602 }
export const needsPage = (error: McpError) => error.code === Code.UrlElicitationRequired;
export const others = [Code.InvalidParams, Own.UrlElicitationRequired, "UrlElicitationRequired"];
`;
  const report = await reportOf(".", [
    ...pair,
    "--uses",
    folder({
      ...sdk,
      "src/code.ts": compares,
      "node_modules/@modelcontextprotocol/sdk/codes.d.ts": codes,
    }),
  ]);
  expect(usesOf(report, "error-removed", "URL_ELICITATION_REQUIRED.code")).toEqual([
    "3 UrlElicitationRequired",
  ]);
  expect(report.findings.filter(({ uses }) => uses.length > 0)).toHaveLength(1);
});

test("a folder of JavaScript is searched with the types of packages", async () => {
  const script = `import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { Client } from "@modelcontextprotocol/sdk/classes.js";
const { tools } = await new Client().listTools();
export const names = [isInitializeRequest({}), tools.map((tool) => tool.execution)];
`;
  const report = await reportOf(".", [...pair, "--uses", folder({ "src/code.js": script, ...sdk })]);
  expect(usesOf(report, "request-removed", "initialize")).toEqual(["4 isInitializeRequest"]);
  expect(usesOf(report, "property-removed", "Tool.execution")).toEqual(["4 execution"]);
});

test("in a folder with TypeScript, handwritten JavaScript is also searched, but not bundles", async () => {
  const script = `import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
export const is = isInitializeRequest({});
`;
  const bundle = `${script}export const text = "${"x".repeat(5000)}";\n`;
  const files = { "src/code.ts": "export {};", "src/script.mjs": script, "bin/cli.mjs": bundle, ...sdk };
  const report = await reportOf(".", [...pair, "--uses", folder(files)]);
  expect(usesOf(report, "request-removed", "initialize")).toEqual(["2 isInitializeRequest"]);
});
