import { join } from "node:path";
import { expect, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { lintCode } from "../../generator/lint/code/lint-code.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Declarations with which the types of a server's file resolve without packages. */
const declarations = `
interface Context {
  once<T>(key: string, run: () => T | Promise<T>): Promise<T>;
  ask: { elicit(key: string, form: object): Promise<{ action: string }> };
  progress(done: number, total?: number, message?: string): void;
  signal: AbortSignal;
  task?: { detach(): void };
}
type Handler = (args: { to: string }, context: Context) => unknown;
declare const server: { tool(name: string, definition: object, handler: Handler): void };
declare const db: { insert(row: object): Promise<number>; rows: string[] };
declare const load: (name: string) => Promise<string>;
declare const format: (text: string) => string;
declare const draw: (once: Context["once"], more: object) => Promise<string>;
declare const pages: (context: Context) => Promise<string[]>;
`;

const replay = '{ task: { support: "optional", onRestart: "replay" } }';

/** Bodies of replayed handlers, and the effects that lint finds in them. */
const effects: readonly (readonly [title: string, body: string, effects: readonly string[]])[] = [
  ["an awaited call", "await db.insert({ to });", ["db.insert({ to }) happens again"]],
  ["a promise that is not awaited", "const one = load(to); return one;", ["load(to) happens again"]],
  ["a promise that is returned", "return load(to);", ["load(to) happens again"]],
  [
    "promises of a list",
    "await Promise.all([load(to), ...db.rows.map((row) => load(row))]);",
    ["load(to) happens again", "load(row) happens again"],
  ],
  [
    "fetch",
    "await fetch(to, { signal: context.signal });",
    ["fetch(to, { signal: context.signal }) happens again"],
  ],
  [
    "a loop over a call",
    "for await (const row of load(to)) format(row);",
    ["load(to) happens again", "format(row) happens again"],
  ],
  [
    "the time",
    "return format(String(Date.now()) + new Date());",
    ["Date.now() has another value", "new Date() has another value"],
  ],
  [
    "random values",
    "return Math.random() + crypto.randomUUID();",
    ["Math.random() has another value", "crypto.randomUUID() has another value"],
  ],
  [
    "a key of once that differs",
    "await context.once(`${Date.now()}`, () => load(to));",
    ["Date.now() has another value"],
  ],
  [
    "an effect in a function of the handler",
    "const save = async () => { await db.insert({}); }; await save();",
    ["db.insert({}) happens again"],
  ],
];

/** Bodies without effects, and the parameters of their handlers. */
const harmless: readonly (readonly [title: string, body: string, parameters?: string])[] = [
  [
    "what once runs",
    'const id = await context.once("id", () => crypto.randomUUID()); await context.once(`row ${id}`, async () => { await db.insert({ id, at: Date.now() }); });',
  ],
  ["a function that once is given", 'const save = () => db.insert({}); await context.once("row", save);'],
  ["asks", 'const { action } = await context.ask.elicit("ok", {}); return action;'],
  [
    "members of the context by name",
    'task?.detach(); await once("row", () => db.insert({})); await ask.elicit("ok", {}); progress(1);',
    "_, { once, ask, progress, task }",
  ],
  ["members of the context by another name", 'await keep("row", () => db.insert({}));', "_, { once: keep }"],
  [
    "members taken in the body",
    'const { once, ...rest } = context; await once("row", () => db.insert({})); rest.progress(1);',
  ],
  ["a call that gets the context", "const all = await pages(context); return all.length;"],
  ["a call that gets once", "return await draw(once, {});", "_, { once }"],
  ["work without effects", "return format(db.rows.map((row) => format(row)).join() + new Date(0));"],
];

/** Comments that allow effects, and how many remain. */
const allowed: readonly (readonly [title: string, body: string, effects: number])[] = [
  ["a comment above", "// mcpgen-allow MG6607: the row has a key\n  await db.insert({ to });", 0],
  ["a comment in the line", "await load(to); // mcpgen-allow MG6607: reads", 0],
  ["a comment about another code", "// mcpgen-allow MG6606: no\n  await db.insert({ to });", 1],
];

/** The findings of lint for all these handlers, by title, in one file for the compiler. */
let found: Map<string, string[]> | undefined;

function effectsOf(title: string): readonly string[] {
  if (!found) {
    const tool = (name: string, body: string, parameters: string): string =>
      `server.tool(${JSON.stringify(name)}, ${replay}, async (${parameters}) => {\n  ${body}\n});\n`;
    const folder = temporaryFolder({
      "declarations.d.ts": declarations,
      "server.ts": [
        '/// <reference path="./declarations.d.ts" />\n',
        ...effects.map(([name, body]) => tool(name, body, "{ to }, context")),
        ...harmless.map(([name, body, parameters]) => tool(name, body, parameters ?? "{ to }, context")),
        ...allowed.map(([name, body]) => tool(name, body, "{ to }, context")),
      ].join(""),
    });
    found = new Map();
    for (const { code, severity, message } of lintCode(folder, (file) => file).findings) {
      expect([code, severity]).toEqual(["MG6607", "warning"]);
      const [, name, effect] = /^tool "(.*?)": (.*) when the handler is run again$/.exec(message)!;
      found.set(name!, [...(found.get(name!) ?? []), effect!]);
    }
  }
  return found.get(title) ?? [];
}

test.each(effects)("outside of once is found: %s", (title, _, expected) => {
  expect(effectsOf(title)).toEqual(expected);
});

test.each(harmless.map(([title]) => title))("no effect: %s", (title) => {
  expect(effectsOf(title)).toEqual([]);
});

test.each(allowed)("a comment allows the code below it: %s", (title, _, count) => {
  expect(effectsOf(title)).toHaveLength(count);
});

test("calls of modules with side effects are found, awaited or not", () => {
  const folder = temporaryFolder({
    "declarations.d.ts": declarations,
    "server.ts": `/// <reference path="./declarations.d.ts" />
import { writeFileSync } from "node:fs";
import * as child from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
server.tool("report", ${replay}, async ({ to }, { once }) => {
  writeFileSync(to, "");
  child.execSync("ls");
  await sleep(1000);
  await once("file", () => writeFileSync(to, ""));
});`,
  });
  const { findings } = lintCode(folder, (file) => file);
  expect(findings.map(({ place }) => place?.line)).toEqual([6, 7]);
});

test("handlers and definitions are found by name, also in other files", () => {
  const folder = temporaryFolder({
    "declarations.d.ts": declarations,
    "handler.ts": `/// <reference path="./declarations.d.ts" />
export const task = { support: "required", onRestart: "replay" } as const;
export async function report({ to }: { to: string }, context: Context) {
  return db.insert({ to });
}`,
    "server.ts": `/// <reference path="./declarations.d.ts" />
import { report, task } from "./handler.js";
const name = "report";
const common = { task };
server.tool(name, { ...common, title: "Report" }, report);
server.tool("failing", { task: { support: "optional" } }, ({ to }) => db.insert({ to }));
server.tool("plain", {}, ({ to }) => db.insert({ to }));`,
  });
  const { findings, tools } = lintCode(folder, (file) => file.split("/").at(-1)!);
  expect(tools).toBe(2);
  expect(findings.map(({ code, place }) => [code, place?.file, place?.line])).toEqual([
    ["MG6606", "handler.ts", 2],
    ["MG6607", "handler.ts", 4],
  ]);
});

/** The generated server of a contract, as files below `generated`. */
async function generatedServer(): Promise<Record<string, string>> {
  const tool = (name: string, task: string) =>
    `  - { name: ${name}, description: D., inputSchema: { type: object }, task: { ${task} } }\n`;
  const document = await readContract(
    `name: reports\nversion: "1"\ntools:\n${[
      tool("yearly", "support: required, onRestart: replay"),
      tool("of-month", "support: optional, onRestart: replay"),
      tool("weekly", "support: optional, onRestart: replay"),
      tool("failing", "support: optional, onRestart: fail"),
    ].join("")}  - { name: plain, description: D., inputSchema: { type: object } }\n`,
    "c.yaml",
  );
  const { files } = await generateContract({ document, role: "server", importExtension: "js" });
  return Object.fromEntries([...files].map(([name, content]) => [`generated/${name}`, content]));
}

/** Handlers of that contract: lines 3 to 5 have the effects in handlers that are replayed. */
const contractHandlers = (declared: string) => `declare const save: (name: string) => Promise<string>;
const weekly = async (_: unknown, { once }: any) => (
  await once("week", () => save("a")), save("b"));
${declared} { tools: { async yearly() { await save("c"); },
  "of-month": (_: unknown, context: any) => save("d"),
  weekly,
  failing: () => save("e"), plain: () => save("f"),
} }`;

test.each([
  [
    "given to the server",
    {
      "main.ts": `import * as server from "./generated/server.js";
import { all } from "./handlers.js";
server.createReportsServer(all as any, {} as any);`,
      "handlers.ts": `${contractHandlers("export const all =")};`,
    },
  ],
  [
    "of the skeleton",
    {
      "main.ts": `import { createReportsServer } from "./generated/server.js";
import { handlers } from "./handlers.js";
createReportsServer(handlers, {} as any);`,
      "handlers.ts": `import type { Handlers } from "./generated/server.js"; ${contractHandlers("export const handlers: Handlers =")};`,
    },
  ],
  [
    "that are declared alone",
    {
      "handlers.ts": `import type { Handlers as All } from "./generated/server.js"; ${contractHandlers("export default (")} satisfies All);`,
    },
  ],
])("handlers of a contract's tools are searched: %s", async (_, files) => {
  const folder = temporaryFolder({ ...(await generatedServer()), ...files } as Record<string, string>);
  const { findings, tools } = lintCode(folder, (file) => file.split("/").at(-1)!);
  expect(tools).toBe(4);
  expect(
    findings
      .map(({ code, message, place }) => [code, place?.file, place?.line, message.split(":")[0]])
      .sort(),
  ).toEqual([
    ["MG6607", "handlers.ts", 3, 'tool "weekly"'],
    ["MG6607", "handlers.ts", 4, 'tool "yearly"'],
    ["MG6607", "handlers.ts", 5, 'tool "of-month"'],
  ]);
});

test("lint --code prints findings with places, with and without a contract", async () => {
  const folder = temporaryFolder({
    "src/server.ts": `declare const server: any;
server.tool("report", { task: { support: "required", onRestart: "replay" } }, async () => {
  await send();
});`,
    "c.yaml": `name: reports
version: "1"
tools:
  - name: report
    description: Writes a report.
    inputSchema: { type: object, properties: {} }
    execution: { taskSupport: required }
`,
  });
  const alone = await mcpgen(folder, ["lint", "--code", "src"]);
  expect(alone.code).toBe(0);
  expect(alone.stdout).toBe(
    `${join("src", "server.ts")}:2:33: warning MG6606: tool "report": clients without tasks cannot call it\n` +
      '  → Write support: "optional": clients without tasks then wait for the result.\n' +
      `${join("src", "server.ts")}:3:9: warning MG6607: tool "report": send() happens again when the handler is run again\n` +
      '  → Keep it: await context.once("KEY", () => …). If that does no harm, write // mcpgen-allow MG6607: REASON above it.\n' +
      "src: 1 tool with tasks, 0 handlers with replay: true, 2 warnings\n",
  );
  const both = await mcpgen(folder, ["lint", "c.yaml", "--code", "src", "--json"]);
  const { findings, code, tokens } = JSON.parse(both.stdout) as Record<string, unknown>;
  expect(findings).toMatchObject([
    { code: "MG6602", message: expect.stringContaining("task-required") as string },
    { code: "MG6606" },
    { code: "MG6607" },
  ]);
  expect([code, typeof tokens]).toEqual([{ tools: 1, replayed: 0 }, "number"]);
  expect((await mcpgen(folder, ["lint"])).stderr).toContain("error MG2003: expected contract FILE");
  expect(await mcpgen(folder, ["lint", "--code", "nowhere"])).toMatchObject({ code: 2 });
});
