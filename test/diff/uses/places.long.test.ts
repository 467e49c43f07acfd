// For each kind of change, tests each way in which code can use the changed part: exactly these places are found.
import { expect, test } from "vitest";
import { mcpgen } from "../../support/in-process.js";
import { codeFolder } from "./code.js";
import { found, marked, plain } from "./marked-code.js";

const text = { type: "string" };
const message = (method: string, params?: string) => ({
  type: "object",
  properties: { method: { const: method }, ...(params && { params: { $ref: `#/$defs/${params}` } }) },
  required: params ? ["method", "params"] : ["method"],
});
const union = (...names: string[]) => ({ anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) });
const object = (properties: object, ...required: string[]) => ({ type: "object", properties, required });

const stays = {
  FindRequest: message("things/find", "FindParams"),
  FindParams: object({ query: text }, "query"),
  EmptyResult: { type: "object" },
};
/** A protocol with each kind of change that can affect code. */
const old = {
  ...stays,
  PingRequest: message("ping"),
  GoneRequest: message("things/gone", "FindParams"),
  GoneNotification: message("notifications/gone"),
  Thing: object(
    {
      name: text,
      extra: text,
      kind: { enum: ["a", "b", "c"] },
      box: object({ width: { type: "number" }, height: { type: "number" } }),
    },
    "name",
  ),
  FindResult: object({ things: { type: "array", items: { $ref: "#/$defs/Thing" } } }, "things"),
  Former: object({ since: text }),
  TooLateError: object({ code: { const: -32042 }, message: text }, "code"),
  ClientRequest: union("FindRequest", "PingRequest", "GoneRequest"),
  ServerNotification: union("GoneNotification"),
  ServerResult: union("FindResult", "EmptyResult"),
};
const next = {
  ...stays,
  Thing: object(
    { name: text, kind: { enum: ["a", "c"] }, box: object({ height: { type: "number" } }) },
    "name",
  ),
  FindResult: object({ ...old.FindResult.properties, total: { type: "number" } }, "things", "total"),
  ClientRequest: union("FindRequest"),
  ServerResult: union("FindResult", "EmptyResult"),
};
const schema = ($defs: object): string =>
  JSON.stringify({ $schema: "https://json-schema.org/draft/2020-12/schema", $defs });

const runtime = {
  "node_modules/@mcpgen/runtime/package.json": '{"name":"@mcpgen/runtime","types":"index.d.ts"}',
  "node_modules/@mcpgen/runtime/index.d.ts": `export interface Request { readonly method: string; readonly params: object }
export declare class Client {
  request(method: string, params?: object): Promise<any>;
  notify(method: string, params?: object): Promise<void>;
  callTool(name: string, args?: object): Promise<any>;
  getPrompt(name: string, args?: object): Promise<any>;
  readResource(uri: string): Promise<any>;
}
export declare class Server {
  tool(name: string, definition: object, handler: () => unknown): void;
  prompt(name: string, definition: object, handler: () => unknown): void;
  handle(method: string, handler: (params: any) => unknown): void;
  on(method: string, listener: (params: any) => unknown): void;
  use(middleware: (request: Request, next: () => unknown) => unknown): void;
  onError(listener: (error: Error) => unknown): void;
}
export type CallToolResult = { content: string[]; _meta?: object };
export type RequestOptions = object;
export declare class McpError extends Error { readonly rpcCode: number; constructor(code: string, message: string); }
`,
};

const tsconfig = JSON.stringify({
  compilerOptions: {
    ...{ target: "ES2022", lib: ["ES2016"], types: [], module: "NodeNext", moduleResolution: "NodeNext" },
    ...{ strict: true, jsx: "preserve" },
  },
});

/** The code of a protocol that is stored in two revisions, and generated. */
async function protocolFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = codeFolder(
    {
      ...plain(files),
      ...runtime,
      "tsconfig.json": tsconfig,
      "2030-01-01/schema.json": schema(old),
      "2031-01-01/schema.json": schema(next),
    },
    {},
  );
  for (const words of [
    ["revision", "add", "2030-01-01/schema.json"],
    ["revision", "add", "2031-01-01/schema.json"],
    ["generate", "--only", "types,methods,model"],
  ]) {
    const ran = await mcpgen(folder, words);
    expect(ran.code, ran.stderr).toBe(0);
  }
  return folder;
}

/** The marks are the places that the comparison finds. */
async function expectPlaces(files: Readonly<Record<string, string>>): Promise<void> {
  const folder = await protocolFolder(files);
  const places = await found(folder, ["2030-01-01", "2031-01-01", "--uses", "src"]);
  expect(places.sort()).toEqual(marked(files).sort());
}

test("uses of types and their members are found", async () => {
  await expectPlaces({
    "src/types.ts": `import type { FindResult as Found, Former, Thing } from "../generated/2030-01-01/types.js";
import type * as all from "../generated/2030-01-01/types.js";

export const read = (thing: Thing) => thing.⟦Thing.extra|extra⟧;
export const perhaps = (thing?: Thing) => thing?.⟦Thing.extra|extra⟧;
export const element = (thing: Thing) => thing["⟦Thing.extra|extra⟧"];
export const taken = ({ ⟦Thing.extra|extra⟧: other, ...rest }: Thing) => [other, rest];
export function assigned(thing: Thing): unknown {
  let held: unknown;
  ({ ⟦Thing.extra|extra⟧: held } = thing);
  return held;
}
export const has = (thing: Thing) => "⟦Thing.extra|extra⟧" in thing;
export type Picked = Pick<Thing, "⟦Thing.extra|extra⟧" | "name"> & Omit<Thing, "⟦Thing.extra|extra⟧">;
export type Part = Thing["⟦Thing.extra|extra⟧"];
export const written: Thing = { name: "", ⟦Thing.extra|extra⟧: "" };
export const copied = (thing: Thing): Thing => ({ ...thing, ⟦Thing.extra|extra⟧: "extra" });
export const satisfied = { name: "", "⟦Thing.extra|extra⟧": "" } satisfies Thing;
export const asserted = { ⟦Thing.extra|extra⟧: "" } as Thing;
export class Mine implements Iterable<string>, Thing {
  name = "";
  ⟦Thing.extra|extra⟧ = "";
  *[Symbol.iterator]() { yield "extra"; }
}
export interface Wider extends Thing { more: string }
export const inherited = (wider: Wider) => wider.⟦Thing.extra|extra⟧;
export const generic = <T extends Thing>(thing: T) => thing.⟦Thing.extra|extra⟧;
export const mapped = (thing: Readonly<Partial<Thing>>) => thing.⟦Thing.extra|extra⟧;
export const either = (thing: Thing | { extra: number }) => thing.⟦Thing.extra|extra⟧;
export const deep = (thing: Thing) => [thing.box?.⟦Thing.box.width|width⟧, thing.box!.height];
export const nested = ({ box: { ⟦Thing.box.width|width⟧ } = {} }: Thing) => width;
export const listed = ({ things }: ⟦FindResult.total|Found⟧) => things.map(({ ⟦Thing.extra|extra⟧ }) => extra);
export const whole = (things: Thing[]): ⟦FindResult.total|Found⟧ => ({ things });
export const known = (value: ⟦Former|Former⟧ | string): value is all.⟦Former|Former⟧ => typeof value !== "string";
export const loaded = (value: import("../generated/2030-01-01/types.js").⟦Former|Former⟧) => value;

export const b: Thing = { name: "", ⟦Thing.kind|kind⟧: "b" };
export const some = (is: boolean): Thing => ({ name: "", ⟦Thing.kind|kind⟧: is ? "a" : "b" });
export const given = (kind: Thing["⟦Thing.kind|kind⟧"]): Thing => ({ name: "", ⟦Thing.kind|kind⟧ });
export const compared = (thing: Thing) => thing.⟦Thing.kind|kind⟧ === "b";
export const a: Thing[] = [{ name: "", kind: "a" }, { name: "", kind: "a" as const }, { name: "", kind: ("c") }];
const kind = "c";
export const c = (is: boolean): Thing[] => [{ name: "", kind }, { name: "", kind: is ? "a" : kind }];
`,
    "src/others.ts": `export interface Thing { extra: string; box: { width: number }; total: number }
export interface Former { since: string }
export interface FindResult { total: number }
export const own = ({ extra, box }: Thing) => [extra, box.width];
export const width = (thing: Thing): FindResult => ({ total: thing.box.width });
const extra = "Former";
export const texts = [extra, "Thing", \`extra\`, { extra, Former: "Former" }.extra];
// thing.extra, Former
/** {@link Former} */
export function untyped(thing: any): Former { return { since: thing.extra }; }
`,
    "src/barrel.mts": `export type { ⟦Former|Former⟧ as Earlier, ⟦FindResult.total|FindResult⟧ } from "../generated/2030-01-01/types.js";
export * from "../generated/2030-01-01/methods.js";
`,
    "src/importer.cts": `import type { Earlier, FindResult } from "./barrel.mjs" with { "resolution-mode": "import" };
import type { Earlier as Sooner } from "./barrel.mjs" with { "resolution-mode": "import" };
export const earlier = (value: ⟦Former|Earlier⟧): ⟦Former|Sooner⟧ => value;
export const total = (value: ⟦FindResult.total|FindResult⟧) => value.things;
`,
    "src/view.tsx": `import type { Thing } from "../generated/2030-01-01/types.js";
declare const Row: (given: { thing: Thing; extra: string; method?: string }) => any;
export const view = (thing: Thing) => <Row thing={thing} extra={thing.⟦Thing.extra|extra⟧!}>extra ping things/gone</Row>;
export const link = (thing: Thing) => <Row thing={thing} extra="things/gone" method="⟦ping|ping⟧" />;
`,
  });
});

test("uses of methods are found: texts that are passed as a method, and tables", async () => {
  await expectPlaces({
    "src/methods.ts": `import { Client, Server } from "@mcpgen/runtime";
import type { Params, Requests } from "../generated/2030-01-01/methods.js";
import { FIND, GONE as gone } from "./names.js";

export const client = new Client();
export const server = new Server();
await client.request("⟦ping|ping⟧");
await client.request(\`⟦things/gone|things/gone⟧\`, { query: "things/gone" } satisfies Params<"⟦things/gone|things/gone⟧">);
await client.notify("⟦notifications/gone|notifications/gone⟧");
server.handle("⟦ping|ping⟧", () => ({}));
server?.handle?.("⟦ping|ping⟧", () => ({}));
server.on("⟦notifications/gone|notifications/gone⟧", () => {});
server.use(({ method }, next) => (method === "⟦ping|ping⟧" || "⟦things/gone|things/gone⟧" !== method ? {} : next()));
server.use((request, next) => {
  switch (request.method) {
    case "⟦ping|ping⟧":
    case "⟦things/gone|things/gone⟧":
      return {};
    default:
      return next();
  }
});
const PING = "⟦ping|ping⟧";
const first = PING as string;
await client.request(first);
const some = ["⟦ping|ping⟧", FIND] as const;
for (const each of some) await client.request(each);
const more = ["⟦ping|ping⟧"];
export const sent = more.map((name) => client.request(name));
const send = (name: string, params = {}) => client.request(name, params);
await send("⟦ping|ping⟧");
await send(gone);
const names = { ping: "⟦ping|ping⟧", other: "ping" };
await client.request(names.ping);
export const handlers = { "⟦things/gone|things/gone⟧": () => {}, ⟦ping|ping⟧: () => {} };
export const seen = (method: string) => new Set(["⟦ping|ping⟧"]).has(method) || ["⟦ping|ping⟧"].includes(method);
export const map = new Map([["⟦things/gone|things/gone⟧", () => {}]]);
server.use((request) => map.get(request.method));
export const raw = [{ jsonrpc: "2.0", id: 1, method: "⟦ping|ping⟧" }, { method: "⟦things/gone|things/gone⟧" }];
export type Method = "⟦ping|ping⟧" | "⟦things/gone|things/gone⟧";
export const typed: Record<Method, number> = { ⟦ping|ping⟧: 1, "⟦things/gone|things/gone⟧": 2 };
export const takes = (call: Method) => call;
takes("⟦ping|ping⟧");
export type Given = Requests["⟦ping|ping⟧"]["params"];
export const answers = {} as Requests;
export const given = [answers.⟦ping|ping⟧, answers["⟦things/gone|things/gone⟧"]];
declare const assert: { equal(one: unknown, other: unknown): void };
declare const expect: (value: unknown) => { toBe(value: unknown): void };
export const checks = (request: { method: string; path: string; tool: string }) => {
  assert.equal(request.method, "⟦ping|ping⟧");
  expect(request.method).toBe("⟦things/gone|things/gone⟧");
  expect(request.tool).toBe("ping");
  assert.equal("things/gone", request.path);
};
export enum Methods { Ping = "⟦ping|ping⟧" }
export class Sender { readonly method = "⟦ping|ping⟧"; constructor(readonly other = "ping") {} }
`,
    "src/names.ts": `export const GONE = "⟦things/gone|things/gone⟧";
export const FIND = "⟦FindResult.total|things/find⟧";
export const TITLE = "things/gone";
`,
    "src/others.ts": `import { Client, Server } from "@mcpgen/runtime";
import type {} from "things/gone";
import { TITLE } from "./names.js";
export type {} from "ping";

const server = new Server();
server.tool("ping", { title: "ping", description: "things/gone", inputSchema: { enum: ["ping"] } }, () => "ping");
server.prompt("things/gone", {}, () => "things/gone");
await new Client().callTool("ping", { path: "things/gone", text: ["things/gone"] });
await new Client().callTool("things/gone");
await new Client().readResource("things/gone");
server.onError((error: Error) => error.message === "things/gone");
const out: string[] = [];
const log = (message: string) => void out.push(message);
log("things/gone");
log(TITLE);
const get = (path: string, title = "ping") => path === "things/gone" ? title : "ping";
get("things/gone", "ping");
export const routes = { "things/gone": "page", ping: "page" };
export const texts = { title: "things/gone", label: "ping", ping: 1, text: \`ping \${out} ping\` };
throw new Error("things/gone");
export const ping = texts.ping + routes.ping.length;
declare const tag: (parts: TemplateStringsArray) => string;
export const tagged = tag\`things/gone\`;
export type Route = "things/gone" | "things/home";
declare const vague: any;
vague.ping("ping", "things/gone");
vague.emit("ping", { ping: true });
// client.request("ping") and "things/gone"
"things/gone";
`,
    "src/script.js": `import { Client } from "@mcpgen/runtime";
/** Sends ping, things/gone. @param {import("../generated/2030-01-01/types.js").Thing} thing */
export const run = (thing) => new Client().request("⟦ping|ping⟧", { extra: thing.⟦Thing.extra|extra⟧ });
`,
    "src/plain.js": `export const request = (client) => client.request("ping");\n`,
    "src/written.ts": `export {};\n`,
    "src/written.js": `import "@mcpgen/runtime";\nclient.request("ping");\n`,
    "src/dist/out.ts": `import { Client } from "@mcpgen/runtime";\nawait new Client().request("ping");\n`,
    "src/node_modules/other/index.ts": `export const send = (client) => client.request("things/gone");\n`,
  });
});

test("uses of error codes are found: numbers, and names in tables", async () => {
  await expectPlaces({
    "src/codes.ts": `import { McpError } from "@mcpgen/runtime";
import { errors } from "../generated/2030-01-01/methods.js";

export const late = (error: McpError): boolean => error.rpcCode === ⟦TOO_LATE.code|-32042⟧;
export const known = new Map([[⟦TOO_LATE.code|-32_042⟧, "late"], [-32602, "params"], [32042, "port"]]);
export const table = (error: McpError): boolean => error.rpcCode === errors.⟦TOO_LATE.code|TOO_LATE⟧.code;
export const { ⟦TOO_LATE.code|TOO_LATE⟧: { code } } = errors;
export type Late = ⟦TOO_LATE.code|-32042⟧;
export enum Code { Late = ⟦TOO_LATE.code|-32042⟧, Params = -32602 }
export const sent = { code: ⟦TOO_LATE.code|-32042⟧, message: "-32042" };
export const less = (port: number) => port - 32042;
const TOO_LATE = "TOO_LATE";
export const own = { TOO_LATE }.TOO_LATE;
`,
  });
});

const contract = (more: string): string => `name: shop
version: "1"
tools:
  - { name: stays, inputSchema: { type: object, properties: { name: { type: string } } } }
${more}prompts:
  - { name: gone }
resources:
  - { name: config, uri: "config://app" }
`;
const tool = "  - { name: gone, inputSchema: { type: object } }\n";

test("uses of a contract's entries are found: names in calls and messages", async () => {
  const files = {
    "src/names.ts": `import { Client, Server } from "@mcpgen/runtime";

const client = new Client();
const server = new Server();
await client.callTool("⟦tools/gone|gone⟧", { name: "gone" });
await client.callTool("stays", { name: "gone", title: "gone" });
await client.getPrompt("gone");
await client.readResource("gone");
await client.request("tools/call", { name: "⟦tools/gone|gone⟧", arguments: { name: "gone" } });
await client.request("prompts/get", { name: "gone" });
server.tool("⟦tools/gone|gone⟧", { title: "gone", name: "gone" }, () => "gone");
server.prompt("gone", {}, () => "gone");
server.handle("gone", () => "gone");
const TOOL = "⟦tools/gone|gone⟧";
await client.callTool(TOOL);
const call = (name: string) => client.callTool(name);
await call("⟦tools/gone|gone⟧");
export const raw = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "⟦tools/gone|gone⟧" } };
export const other = { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "gone" } };
const unit = "gone";
export const texts = [unit, "gone", { name: "gone" }];
`,
    "src/client.ts": `import { shopClient } from "./generated/client.js";
import { Client } from "@mcpgen/runtime";

const shop = shopClient(new Client());
await shop.tools.⟦tools/gone|gone⟧();
await shop.tools?.["⟦tools/gone|gone⟧"]({});
await shop.prompts.gone();
const { ⟦tools/gone|gone⟧: call, stays } = shop.tools;
await call({});
await stays({ name: "gone" });
`,
  };
  const folder = codeFolder({
    ...plain(files),
    ...runtime,
    ...{ "tsconfig.json": tsconfig, "old.yaml": contract(tool), "new.yaml": contract("") },
  });
  const made = await mcpgen(folder, ["generate", "--contract", "old.yaml", "--out", "src/generated"]);
  expect(made.code, made.stderr).toBe(0);
  const places = await found(folder, ["old.yaml", "new.yaml", "--uses", "src"]);
  expect(places.sort()).toEqual(marked(files).sort());
});
