import { expect, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { lintCode } from "../../generator/lint/code/lint-code.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Declarations with which the types of a server's file resolve without packages. */
const declarations = `
interface Answer { action: "accept" | "decline" | "cancel"; content?: any }
interface Ask {
  elicit(key: string, form?: object): Promise<Answer>;
  all(requests: object): Promise<any>;
}
interface Context {
  once<T>(key: string, run: () => T | Promise<T>): Promise<T>;
  ask: Ask;
  progress(done: number): void;
  log(level: string, data: unknown): void;
  clientCapabilities: { elicitation?: object };
  signal: AbortSignal;
}
type Handler = (args: any, context: Context, uri?: string) => unknown;
interface Server {
  tool(name: string, definition: object, handler: Handler): void;
  prompt(name: string, definition: object, handler: Handler): void;
  resource(uri: string, definition: object, handler: Handler): void;
  resourceTemplate(uri: string, definition: object, handler: Handler): void;
}
declare const server: Server;
declare const db: { insert(row: object): Promise<number>; get(id: string): Promise<string>; lock(): Promise<void>; unlock(): Promise<void>; begin(): { commit(): void } };
declare const queue: { push(job: object): number };
declare const sql: (parts: TemplateStringsArray) => Promise<unknown>;
declare const logger: { child(): { info(text: string): void } };
declare function assertPaid(value: unknown): asserts value;
declare function validateOrder(order: unknown): void;
declare function fail(why: string): never;
declare const schema: { parseAsync(value: unknown): Promise<object> };
declare const distant: (context: Context) => Promise<string>;
`;

/** The start of each file with handlers: what stands around them. */
const around = `/// <reference path="./declarations.d.ts" />
const paid: string[] = [];
let count = 0;
const state = { last: "", cache: undefined as string | undefined };
async function confirmed({ ask }: Context): Promise<boolean> {
  return (await ask.elicit("sure")).action === "accept";
}
const through = (inner: Context) => confirmed(inner);
const silent = ({ progress }: Context) => progress(1);
const pages: { readonly [name: string]: (context: Context) => Promise<string> } = {};
async function step1(context: Context): Promise<string> { await context.ask.elicit("1"); return count > 2 ? step2(context) : step3(context); }
async function step2(context: Context): Promise<string> { await context.ask.elicit("2"); return count > 2 ? step1(context) : step3(context); }
async function step3(context: Context): Promise<string> { await context.ask.elicit("3"); return count > 2 ? step1(context) : step2(context); }
class Wizard { constructor(readonly context: Context) {} ask() { return this.context.ask.elicit("w"); } }
async function retried<T>(work: () => Promise<T>): Promise<T> { return work(); }
`;

type Row = readonly [title: string, body: string, found?: readonly string[]];

/** Handlers with `replay: true`, and what lint finds in each. */
const rows: readonly Row[] = [
  // Before an ask.
  [
    "a call that is awaited before an ask",
    'await db.insert({}); await ask.elicit("ok");',
    ["db.insert({}) happens again"],
  ],
  [
    "a read before an ask, as in tasks",
    'const row = await db.get("1"); await ask.elicit(row);',
    ['db.get("1") happens again'],
  ],
  [
    "a fetch with a body",
    'await fetch("https://a.example", { method: "POST", body: "{}" }); await ask.elicit("ok");',
    ['fetch("https://a.example", { method: "POST", body: "{}" }) happens again'],
  ],
  ["a template tag", 'await sql`insert`; await ask.elicit("ok");', ["sql`insert` happens again"]],
  [
    "a call whose result is unused",
    'paid.push("paid"); queue.push({}); await ask.elicit("ok");',
    ['paid.push("paid") happens again', "queue.push({}) happens again"],
  ],
  [
    "a call whose result a condition leaves out",
    'context.signal.aborted || queue.push({}); await ask.elicit("ok");',
    ["queue.push({}) happens again"],
  ],
  [
    "a call for each element",
    '[1, 2].forEach((id) => queue.push({ id })); await ask.elicit("ok");',
    ["queue.push({ id }) happens again"],
  ],
  [
    "writes to what is declared outside",
    'count++; state.last = "now"; delete state.cache; await ask.elicit("ok");',
    ["count++ happens again", 'state.last = "now" happens again', "delete state.cache happens again"],
  ],
  [
    "a local object of another module",
    'const tx = db.begin(); tx.commit(); await ask.elicit("ok");',
    ["tx.commit() happens again"],
  ],
  [
    "a function of a module, by another name",
    'const { insert } = db; await insert({}); await ask.elicit("ok");',
    ["insert({}) happens again"],
  ],
  [
    "values that differ",
    'const id = crypto.randomUUID(); await ask.elicit("ok", { message: `${id} ${new Date()}` });',
    ["crypto.randomUUID() has another value", "new Date() has another value"],
  ],
  [
    "in the question itself",
    'await ask.elicit("ok", { message: await db.get("1") });',
    ['db.get("1") happens again'],
  ],
  [
    "one branch comes before the ask",
    'if (args.fast) await db.insert({}); else queue.push({}); await ask.elicit("ok");',
    ["db.insert({}) happens again", "queue.push({}) happens again"],
  ],
  [
    "a case that falls through",
    'switch (args.kind) { case "a": await db.insert({}); case "b": await ask.elicit("ok"); }',
    ["db.insert({}) happens again"],
  ],
  [
    "a function of the handler, called before the ask",
    'const save = async () => { await db.insert({}); }; await save(); await ask.elicit("ok");',
    ["db.insert({}) happens again"],
  ],
  [
    "a function of the handler that asks, called after",
    'const sure = () => ask.elicit("ok"); await db.insert({}); await sure();',
    ["db.insert({}) happens again"],
  ],
  [
    "between two calls of a function that asks",
    'const sure = async (key: string) => { await ask.elicit(key); await db.insert({ key }); }; await sure("a"); await sure("b");',
    ["db.insert({ key }) happens again"],
  ],
  [
    "before an ask of another function",
    "await db.insert({}); await confirmed(context);",
    ["db.insert({}) happens again"],
  ],
  [
    "before an ask of a function of another function",
    "await db.insert({}); await through(context);",
    ["db.insert({}) happens again"],
  ],
  [
    "before a function that may ask",
    "await db.insert({}); await distant(context);",
    ["db.insert({}) happens again"],
  ],
  [
    "before a function of the handler that gets the context",
    'const sure = (inner: Context, { ask }: { ask: Ask }) => inner.ask.elicit("ok") ?? ask; await db.insert({}); await sure(context, { ask });',
    ["db.insert({}) happens again"],
  ],
  [
    "before an ask inside of once",
    'await db.insert({}); await once("k", async () => (await ask.elicit("ok")).action);',
    ["db.insert({}) happens again"],
  ],
  [
    "ask by another name",
    'const { elicit } = context.ask; const all = context.ask; await db.insert({}); await elicit("ok"); queue.push({}); await all.all({});',
    ["db.insert({}) happens again", "queue.push({}) happens again"],
  ],
  // Between the turns of a loop.
  [
    "after the ask of a loop's turn",
    "for (const id of args.ids) { const { action } = await ask.elicit(id); if (action === 'accept') await db.insert({ id }); }",
    ["db.insert({ id }) happens again"],
  ],
  [
    "in a turn that goes on",
    "for (;;) { const { action } = await ask.elicit(`${args.n}`); if (action !== 'accept') { await db.insert({}); continue; } return action; }",
    ["db.insert({}) happens again"],
  ],
  [
    "in a function for each element",
    "await Promise.all(args.ids.map(async (id: string) => { await ask.elicit(id); await db.insert({ id }); }));",
    ["db.insert({ id }) happens again"],
  ],
  // While an ask is open.
  ["beside an ask", 'await Promise.all([ask.elicit("ok"), db.insert({})]);', ["db.insert({}) happens again"]],
  [
    "between the ask and its answer",
    'const answer = ask.elicit("ok"); await db.insert({}); const { action } = await answer; queue.push({ action });',
    ["db.insert({}) happens again"],
  ],
  [
    "when an ask without an answer throws: finally",
    'await db.lock(); try { await ask.elicit("ok"); } finally { await db.unlock(); }',
    ["db.lock() happens again", "db.unlock() happens again"],
  ],
  [
    "when an ask without an answer throws: catch",
    'try { await ask.elicit("ok"); } catch (error) { queue.push({ error }); throw error; }',
    ["queue.push({ error }) happens again"],
  ],
  // Catching.
  [
    "a catch that does not throw again",
    'try { await ask.elicit("ok"); } catch { return "no answer"; }',
    ['catch { return "no answer"; } catches'],
  ],
  [
    "a catch around a function that asks",
    'try { await confirmed(context); } catch (error) { context.log("info", error); }',
    ['catch (error) { context.log("info", error); } catches'],
  ],
  [
    "a catch around the second use of a function that asks",
    'const sure = (key: string) => ask.elicit(key); await sure("a"); try { await sure("b"); } catch { return "no"; }',
    ['catch { return "no"; } catches'],
  ],
  [
    "a catch around an ask in once",
    'try { await once("k", () => ask.elicit("ok")); } catch { return "no"; }',
    ['catch { return "no"; } catches'],
  ],
  [
    "a function of catch()",
    'const answer = await ask.elicit("ok").catch(() => undefined); return answer;',
    ['ask.elicit("ok").catch(() => undefined) catches'],
  ],
  [
    "the second function of then()",
    'return ask.elicit("ok").then(({ action }) => action, () => "no answer");',
    ['ask.elicit("ok").then(({ action }) => action, () => "no ans… catches'],
  ],
  [
    "allSettled",
    'return Promise.allSettled([ask.elicit("a"), ask.elicit("b")]);',
    ['Promise.allSettled([ask.elicit("a"), ask.elicit("b")]) catches'],
  ],
  // Nothing to find.
  ["no ask", 'await db.insert({}); paid.push("paid"); count++;'],
  ["no ask, of a function that gets the context", "await db.insert({}); silent(context);"],
  [
    "after the only ask",
    'const { action } = await ask.elicit("ok"); await db.insert({ action }); count++; paid.push("paid");',
  ],
  [
    "after asks that were started together",
    'const a = ask.elicit("a"); const b = ask.elicit("b"); await Promise.all([a, b]); await db.insert({});',
  ],
  [
    "after asks of a list",
    "const asks = args.ids.map((id: string) => ask.elicit(id)); await Promise.all(asks); await db.insert({});",
  ],
  [
    "after an ask, in then()",
    'return ask.elicit("ok").then(async ({ action }) => { await db.insert({ action }); });',
  ],
  [
    "after a function that asks",
    'const sure = async () => (await ask.elicit("ok")).action === "accept"; if (await sure()) await db.insert({});',
  ],
  ["the answer as an argument", 'await db.insert(await ask.elicit("ok"));'],
  [
    "what once runs",
    'const id = await once("id", () => crypto.randomUUID()); await once(`order ${id}`, () => db.insert({ at: Date.now() })); await ask.elicit("ok");',
  ],
  [
    "a function that once runs",
    'const save = async () => { await db.insert({}); }; await once("save", save); await once("again", () => save()); await ask.elicit("ok");',
  ],
  [
    "a branch that ends without an ask",
    'if (!context.clientCapabilities.elicitation) { await db.insert({}); return "no"; } await ask.elicit("ok");',
  ],
  ["a branch that returns its effect", 'if (args.force) return db.insert({}); await ask.elicit("ok");'],
  [
    "a branch that throws",
    'if (!args.order) { queue.push({}); throw new Error("no order"); } await ask.elicit("ok");',
  ],
  ["the other branch", 'if (args.force) await db.insert({}); else await ask.elicit("ok");'],
  [
    "the other case",
    'switch (args.kind) { case "a": await db.insert({}); break; default: await ask.elicit("ok"); }',
  ],
  [
    "the turn that ends the loop",
    'for (let n = 0; ; n++) { const { action } = await ask.elicit(`ask ${n}`); if (action === "accept") { await db.insert({}); break; } }',
  ],
  [
    "the return of the last turn",
    'for (let n = 0; n < 3; n++) { const { action } = await ask.elicit(`ask ${n}`); if (action === "accept") return db.insert({}); }',
  ],
  [
    "a function that ends early",
    'const save = async (row?: object) => { if (!row) return; await once("row", () => db.insert(row)); }; await save({}); await ask.elicit("ok");',
  ],
  [
    "logs and progress",
    'console.log("x"); console.error("x"); logger.child(); context.log("info", 1); context.progress(1); await ask.elicit("ok");',
  ],
  [
    "validation that throws",
    'assertPaid(args.order); validateOrder(args.order); if (!args.order) fail("no order"); JSON.parse(args.text); await ask.elicit("ok");',
  ],
  [
    "local values",
    'const lines: string[] = []; lines.push("a"); const seen = new Map(); seen.set("a", 1); [3, 1].sort(); lines.forEach((line) => seen.delete(line)); Object.assign({}, args); let n = 0; n++; args.x = 1; await ask.elicit("ok", { lines, n });',
  ],
  [
    "a local list in a function for each element",
    "const lines: string[] = []; args.ids.forEach((id: string) => lines.push(id)); await ask.elicit(lines.join());",
  ],
  [
    "a timer, and its end",
    'const end = new AbortController(); const timer = setTimeout(() => end.abort(), 10); try { await ask.elicit("ok"); } finally { clearTimeout(timer); }',
  ],
  ["a cache", 'state.cache ??= "a"; await ask.elicit("ok");'],
  [
    "a module that is loaded when it is needed",
    'const { join } = await import("node:path"); await ask.elicit(join("a"));',
  ],
  [
    "a catch that throws the others again",
    'try { await ask.elicit("ok"); } catch (error) { if (error instanceof TypeError) return "no"; throw error; }',
  ],
  ["a catch that always fails", 'try { await ask.elicit("ok"); } catch (error) { fail(String(error)); }'],
  [
    "a function of catch() that throws",
    'return ask.elicit("ok").catch((error) => { throw new Error("no answer", { cause: error }); });',
  ],
  [
    "a catch around something else",
    'const row = await once("row", () => db.get("1")).catch(() => ""); try { JSON.parse(row); } catch { return "no"; } await ask.elicit("ok");',
  ],
  [
    "a recursive function",
    'const sure = async (n: number): Promise<string> => { const { action } = await ask.elicit(`ask ${n}`); return action === "accept" ? action : sure(n + 1); }; return sure(0);',
  ],
  [
    "a catch that throws all but one",
    'try { await ask.elicit("ok"); } catch (error) { if (!(error instanceof TypeError)) throw error; }',
  ],
  [
    "a catch that throws one",
    'try { await ask.elicit("ok"); } catch (error) { if (error instanceof TypeError) throw error; }',
    ["catch (error) { if (error instanceof TypeError) throw error… catches"],
  ],
  [
    "a return of finally",
    'try { await ask.elicit("ok"); } finally { return "done"; }',
    ['{ return "done"; } catches'],
  ],
  [
    "any of several asks",
    'await Promise.any([ask.elicit("a"), ask.elicit("b")]);',
    ['Promise.any([ask.elicit("a"), ask.elicit("b")]) catches'],
  ],
  [
    "effects of catch(), finally() and then() of an ask",
    'await ask.elicit("a").catch(async (error) => { await db.insert({ n: 1 }); throw error; }); await ask.elicit("b").finally(() => db.unlock()); await ask.elicit("c").then(() => {}, async (error) => { await db.insert({ n: 2 }); throw error; });',
    ["db.insert({ n: 1 }) happens again", "db.unlock() happens again", "db.insert({ n: 2 }) happens again"],
  ],
  [
    "names of the context with another meaning",
    'for (const context of args.rows) await context.save(); await ask.elicit("ok");',
    ["context.save() happens again"],
  ],
  [
    "a part of the context in parts",
    'const { ask: { elicit } } = context; await db.insert({}); await elicit("ok");',
    ["db.insert({}) happens again"],
  ],
  [
    "a copy of the context",
    "await db.insert({}); await distant({ ...context });",
    ["db.insert({}) happens again"],
  ],
  [
    "a member by its text",
    'await db.insert({}); await context["ask"].elicit("ok");',
    ["db.insert({}) happens again"],
  ],
  [
    "an object with the context",
    "const wizard = new Wizard(context); await wizard.ask(); await wizard.ask();",
  ],
  [
    "functions that ask, and are called by others",
    'await retried(async () => (await ask.elicit("a")).action); await (async () => ask.elicit("b"))();',
  ],
  ["an ask that is bound", 'const elicit = ask.elicit.bind(ask); await elicit("a"); await elicit("b");'],
  ["steps that lead to one another", "return step1(context);"],
  ["a validation that is awaited", 'await schema.parseAsync(args); await ask.elicit("ok");'],
  [
    "a comment of several lines allows it",
    '// mcpgen-allow MG6607: the row has a key,\n  // and a second one changes nothing\n  await db.insert({});\n  await ask.elicit("ok");',
  ],
  [
    "a comment allows it",
    '// mcpgen-allow MG6607: the row has a key\n  await db.insert({});\n  // mcpgen-allow MG6609: the default is as good\n  await ask.elicit("ok").catch(() => undefined);',
  ],
];

/** Functions that get the context, each used by one handler: what they do is found in them. */
const helpers: readonly Row[] = [
  ["an effect before the ask of a helper", "await booked(context);", ["db.insert({ of: 1 }) happens again"]],
  [
    "an effect after the ask of a helper, and another ask",
    'await asksFirst(context); await ask.elicit("ok");',
    ["db.insert({ of: 2 }) happens again"],
  ],
  ["an effect after the ask of a helper", "await asksAlone(context);"],
  [
    "an effect of a helper that does not ask",
    'await logged(context); await ask.elicit("ok");',
    ["db.insert({ of: 4 }) happens again"],
  ],
  ["a catch in a helper", "await sure(context);", ["catch { return false; } catches what an ask throws"]],
  ["a helper that keeps its effect", 'await kept(context); await ask.elicit("ok");'],
];

/** A server whose helpers stand in another file. */
function foundInHelpers(): Map<string, string[]> {
  const folder = temporaryFolder({
    "declarations.d.ts": declarations,
    "helpers.ts": `/// <reference path="./declarations.d.ts" />
export async function booked({ ask }: Context) { await db.insert({ of: 1 }); await ask.elicit("a"); }
export async function asksFirst({ ask }: Context) { await ask.elicit("a"); await db.insert({ of: 2 }); }
export async function asksAlone({ ask }: Context) { await ask.elicit("a"); await db.insert({ of: 3 }); }
export async function logged({ log }: Context) { log("info", 1); await db.insert({ of: 4 }); }
export async function sure({ ask }: Context) { try { return (await ask.elicit("a")).action === "accept"; } catch { return false; } }
export async function kept({ once }: Context) { await once("k", () => db.insert({ of: 5 })); }
`,
    "server.ts": `/// <reference path="./declarations.d.ts" />
import { asksAlone, asksFirst, booked, kept, logged, sure } from "./helpers.js";
${helpers
  .map(
    ([title, body]) =>
      `server.tool(${JSON.stringify(title)}, { replay: true }, async (_, context) => { const { ask } = context; ${body} });\n`,
  )
  .join("")}`,
  });
  const findings = new Map<string, string[]>();
  for (const { message, place } of lintCode(folder, (file) => file).findings) {
    expect(place?.file).toMatch(/helpers\.ts$/);
    const [, title, text] = /^tool "(.*?)": (.*?)(?: when the handler| to end the round)/.exec(message)!;
    findings.set(title!, [...(findings.get(title!) ?? []), text!]);
  }
  return findings;
}

/** The findings in one file of handlers, by title. */
function found(definition: string): Map<string, string[]> {
  const tool = ([title, body]: Row): string =>
    `server.tool(${JSON.stringify(title)}, ${definition}, async (args, context) => {\n  const { ask, once } = context;\n  ${body}\n});\n`;
  const folder = temporaryFolder({
    "declarations.d.ts": declarations,
    "server.ts": around + rows.map(tool).join(""),
  });
  const findings = new Map<string, string[]>();
  for (const { code, severity, message } of lintCode(folder, (file) => file).findings) {
    expect([severity, code]).toEqual(["warning", message.includes(" catches ") ? "MG6609" : "MG6607"]);
    const [, title, text] =
      /^tool "(.*?)": (.*?)(?: when the handler is run again| what an ask throws to end the round)$/.exec(
        message,
      )!;
    findings.set(title!, [...(findings.get(title!) ?? []), text!]);
  }
  return findings;
}

/** One test for each row. */
function testRows(what: string, all: readonly Row[], find: () => Map<string, string[]>): void {
  let findings: Map<string, string[]> | undefined;
  test.each(all.map(([title, , expected = []]) => ({ title, expected })))(
    `${what}: $title`,
    ({ title, expected }) => {
      findings ??= find();
      expect(findings.get(title) ?? []).toEqual(expected);
    },
  );
}

testRows("replay: true", rows, () => found("{ replay: true }"));
testRows("functions with the context", helpers, foundInHelpers);
test("a handler that waits is not judged", () => {
  expect(found("{}")).toEqual(new Map());
  expect(found("{ replay: false }")).toEqual(new Map());
});

test("the task that runs again when its process has ended: effects after asks are found, too", () => {
  const always = found('{ replay: true, task: { support: "optional", onRestart: "replay" } }');
  expect(always.get("after the only ask")).toHaveLength(3);
  expect(always.get("no ask")).toHaveLength(3);
});

test("prompts, resources and templates are judged as tools are", () => {
  const handler =
    '{ replay: true }, async (_, { ask }) => { await db.insert({}); await ask.elicit("ok"); });';
  const folder = temporaryFolder({
    "declarations.d.ts": declarations,
    "server.ts": `/// <reference path="./declarations.d.ts" />
server.prompt("greet", ${handler}
server.resource("file:///a", ${handler}
server.resourceTemplate("file:///{name}", ${handler}
const waits = { title: "Waits" };
server.prompt("waits", { ...waits }, async (_, { ask }) => { await db.insert({}); await ask.elicit("ok"); });
`,
  });
  const { findings, replayed: count } = lintCode(folder, (file) => file);
  expect([count, findings.map(({ message }) => message.split(": db")[0])]).toEqual([
    3,
    ['prompt "greet"', 'resource "file:///a"', 'resource template "file:///{name}"'],
  ]);
});

/** Handlers on a server, and what makes it one that can or cannot wait. */
const asks = `server.tool("asks", {}, async (_, { ask }) => (await ask.elicit("ok")).action);
server.tool("replayed", { replay: true }, async (_, { ask }) => (await ask.elicit("ok")).action);
server.tool("task", { task: { support: "optional" } }, async (_, { ask }) => (await ask.elicit("ok")).action);
server.tool("silent", {}, () => "done");
`;
const header =
  '/// <reference path="./declarations.d.ts" />\nimport { createServer } from "@mcpgen/runtime/all";\n';
const handler = 'import { createHttpHandler } from "@mcpgen/runtime/http";\n';

const off = "its server has state.parking: false";

test.each<[title: string, files: Record<string, string>, reason?: string]>([
  [
    "state.parking: false",
    { "server.ts": `${header}const server = createServer({}, { state: { parking: false } });\n${asks}` },
    off,
  ],
  [
    "state.parking: false in options of another module",
    {
      "options.ts":
        "const isParked = false;\nexport const options = { state: { parking: isParked } } as const;",
      "server.ts": `${header}import { options } from "./options.js";\nconst server = createServer({}, { ...options });\n${asks}`,
    },
    off,
  ],
  [
    "tools that are added elsewhere",
    {
      "main.ts": `${header}import { add } from "./tools.js";\nadd(createServer({}, { state: { parking: false } }));`,
      "tools.ts": `/// <reference path="./declarations.d.ts" />\nexport function add(server: Server) {\n${asks}}`,
    },
    off,
  ],
  ["parking is not said", { "server.ts": `${header}const server = createServer({}, {});\n${asks}` }],
  [
    "routing",
    {
      "server.ts": `${header}const server = createServer({}, { state: { keys: [], parking: "routed" } });\n${asks}`,
    },
  ],
  [
    "bounds",
    {
      "server.ts": `${header}const server = createServer({}, { state: { parking: { calls: 5 } } });\n${asks}`,
    },
  ],
  [
    "tools of one of two servers",
    {
      "main.ts": `${header}import { add } from "./tools.js";\nadd(createServer({}, { state: { parking: false } })); add(createServer({}, {}));`,
      "tools.ts": `/// <reference path="./declarations.d.ts" />\nexport function add(server: Server) {\n${asks}}`,
    },
  ],
  [
    "a definition that is not known",
    {
      "server.ts": `${header}declare const more: object;\nconst server = createServer({}, { state: { parking: false } });
server.tool("a", { ...more }, async (_, { ask }) => (await ask.elicit("ok")).action);
server.tool("b", { replay: Math.random() > 0.5 }, async (_, { ask }) => (await ask.elicit("ok")).action);`,
    },
  ],
  [
    "a server of node:http",
    {
      "server.ts": `/// <reference path="./declarations.d.ts" />\nimport { createServer } from "node:http";\ncreateServer({}, { state: { parking: false } } as any);\n${asks}`,
    },
  ],
  [
    "a worker",
    {
      "package.json": "{}",
      "wrangler.jsonc": "{}",
      "src/server.ts": `${header.replace("./", "../")}${handler}const server = createServer({}, {});\n${asks}export const { fetch } = createHttpHandler(server, { sessions: false });`,
      "declarations.d.ts": declarations,
    },
    "its server is deployed as a worker (wrangler.jsonc)",
  ],
  [
    "a worker by its type",
    {
      "server.ts": `${header}${handler}const server = createServer({}, {});\n${asks}export default { fetch: createHttpHandler(server).fetch } satisfies ExportedHandler;`,
    },
    "its server is an ExportedHandler of a worker",
  ],
  [
    "a function of a platform",
    {
      "server.ts": `${header}export const server = createServer({}, {});\n${asks}`,
      "entry.ts": `import { handle } from "hono/aws-lambda";\n${handler}import { server } from "./server.js";\nconst mcp = createHttpHandler(server);\nexport const entry = handle(mcp);`,
    },
    'its server is served with "hono/aws-lambda"',
  ],
  [
    "an edge route",
    {
      "route.ts": `${header}${handler}export const runtime = "edge";\nconst server = createServer({}, {});\n${asks}export const POST = createHttpHandler(server).fetch;`,
    },
    'its server is served with runtime "edge"',
  ],
  [
    "a Durable Object",
    {
      "wrangler.toml": "",
      "server.ts": `${header}${handler}import { DurableObject } from "cloudflare:workers";\nconst server = createServer({}, { state: { parking: {} } });\n${asks}const mcp = createHttpHandler(server);\nexport class Mcp extends DurableObject { fetch(request: Request) { return mcp.fetch(request); } }`,
    },
  ],
  [
    "a worker whose state is not written here",
    {
      "wrangler.toml": "",
      "server.ts": `${header}${handler}declare const state: any;\nconst server = createServer({}, { state });\n${asks}export const { fetch } = createHttpHandler(server);`,
    },
  ],
  [
    "a worker whose server a function creates",
    {
      "server.ts": `${header}${handler}function made(env: object) { const server = createServer(env, {});\n${asks} return server; }\nexport default { fetch: (request: Request, env: object) => createHttpHandler(made(env)).fetch(request) } satisfies ExportedHandler;`,
    },
    "its server is an ExportedHandler of a worker",
  ],
  [
    "a library of a platform in a process that waits",
    {
      "server.ts": `${header}${handler}import { sql } from "@vercel/postgres";\nconst server = createServer({}, {});\n${asks}export default { fetch: createHttpHandler(server).fetch, sql };`,
    },
  ],
  [
    "fetch of a process that waits",
    {
      "server.ts": `${header}${handler}import { Hono } from "hono";\nconst server = createServer({}, {});\n${asks}export default { fetch: createHttpHandler(server).fetch };`,
    },
  ],
  [
    "a function of a platform that serves something else",
    {
      "server.ts": `${header}const server = createServer({}, {});\n${asks}`,
      "other.ts": 'import type { Handler } from "aws-lambda";\nexport const other: Handler = async () => {};',
    },
  ],
])("an ask where nothing can wait: %s", (_, files, reason) => {
  const folder = temporaryFolder({ "declarations.d.ts": declarations, ...files });
  const { findings } = lintCode(folder, (file) => file);
  expect(findings.map(({ code, message }) => [code, message])).toEqual(
    reason === undefined
      ? []
      : [
          [
            "MG6610",
            `tool "asks": ask.elicit("ok") fails, because ${reason}: the handler cannot wait for the answer`,
          ],
        ],
  );
  for (const { next } of findings) expect(next).toMatch(/replay: true.*process that can wait/);
});

test("handlers of a contract: replay of its entries, and parking of its server", async () => {
  const document = await readContract(
    `name: shop
version: "1"
tools:
  - { name: pay, description: D., inputSchema: { type: object }, replay: true }
  - { name: ship, description: D., inputSchema: { type: object } }
prompts:
  - { name: greet, replay: true }
resources:
  - { name: A, uri: "file:///a" }
`,
    "c.yaml",
  );
  const { files } = await generateContract({ document, role: "server", importExtension: "js" });
  const body = '(_: any, { ask }: any) => { queue.push({}); await ask.elicit("ok"); }';
  const folder = temporaryFolder({
    ...Object.fromEntries([...files].map(([name, content]) => [`generated/${name}`, content])),
    "declarations.d.ts": declarations,
    "main.ts": `/// <reference path="./declarations.d.ts" />
import { createShopServer } from "./generated/server.js";
const handlers: any = { tools: { pay: async ${body}, async ship${body.replace("=>", "")} },
  prompts: { greet: async ${body} }, resources: { "file:///a": async ${body} } };
createShopServer(handlers, { revisions: [], state: { parking: false } } as any);`,
  });
  const { findings, replayed: count } = lintCode(folder, (file) => file);
  expect(count).toBe(2);
  expect(findings.map(({ code, message }) => [code, message.split(": ")[0]])).toEqual([
    ["MG6607", 'tool "pay"'],
    ["MG6610", 'tool "ship"'],
    ["MG6610", 'resource "file:///a"'],
    ["MG6607", 'prompt "greet"'],
  ]);
});
