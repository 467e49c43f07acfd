import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { initialized, scripted } from "../support/live-server.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The lists: the method, the member, and an entry that the commands show by its name. */
const lists = {
  tools: {
    method: "tools/list",
    entry: { name: "a-tool", description: "d", inputSchema: { type: "object", properties: {} } },
  },
  resources: { method: "resources/list", entry: { uri: "x://a-resource", name: "r" } },
  resourceTemplates: {
    method: "resources/templates/list",
    entry: { uriTemplate: "x://a-{template}", name: "t" },
  },
  prompts: { method: "prompts/list", entry: { name: "a-prompt" } },
} as const;
type List = keyof typeof lists;
const names = Object.keys(lists) as List[];
const shownAs = {
  tools: "a-tool",
  resources: "a-resource",
  resourceTemplates: "a-{template}",
  prompts: "a-prompt",
};

/** Wrong responses to the request for a list. */
const failures: Readonly<Record<string, (list: List) => unknown>> = {
  null: (list) => ({ [list]: null }),
  text: (list) => ({ [list]: "none" }),
  nothing: () => ({}),
  "an error": () => ({ error: { code: -32603, message: "the database is away" } }),
};

/** A server that answers some requests for lists wrongly. */
function serverWith(answers: Partial<Record<List, unknown>>, capabilities: object = all): string {
  const right = names.map((list) => [lists[list].method, { [list]: [lists[list].entry] }]);
  const wrong = Object.entries(answers).map(([list, answer]) => [lists[list as List].method, answer]);
  return scripted({ initialize: initialized(capabilities), ...Object.fromEntries([...right, ...wrong]) });
}

const all = { tools: {}, resources: {}, prompts: {} };
const table = names.flatMap((list) => Object.keys(failures).map((failure) => [list, failure] as const));

test.each(table)("%s: %s: list and docs show the others, and a warning", async (list, failure) => {
  const source = serverWith({ [list]: failures[failure]!(list) });
  const folder = temporaryFolder();
  const shown = await mcpgen(folder, ["list", source]);
  expect(shown.code).toBe(0);
  expect(shown.stdout.match(/warning MG6327: /g)).toHaveLength(1);
  expect(shown.stdout).toContain(`warning MG6327: ${list}: the list is incomplete: `);
  for (const other of names) expect(shown.stdout.includes(shownAs[other])).toBe(other !== list);
  const docs = await mcpgen(folder, ["docs", source, "--out", "page.html"]);
  expect([docs.code, docs.stdout]).toEqual([0, expect.stringContaining("MG6327")]);
  const page = readFileSync(join(folder, "page.html"), "utf8");
  for (const other of names.filter((each) => each !== "resourceTemplates"))
    expect(page.includes(shownAs[other])).toBe(other !== list);
});

test.each(table)("%s: %s: capture and check end with the error, and write nothing", async (list, failure) => {
  const source = serverWith({ [list]: failures[failure]!(list) });
  const folder = temporaryFolder({ "c.json": JSON.stringify({ name: "s", version: "1" }) });
  const captured = await mcpgen(folder, ["capture", source, "--out", "new.yaml"]);
  expect([captured.code, captured.stderr]).toEqual([
    4,
    expect.stringContaining(`MG4105: ${lists[list].method}`),
  ]);
  const checked = await mcpgen(folder, ["check", "--server", source, "--contract", "c.json"]);
  expect([checked.code, checked.stderr]).toEqual([4, expect.stringContaining("MG4105")]);
});

test.each(table)("%s: %s: lint needs only the tools", async (list, failure) => {
  const ran = await mcpgen(temporaryFolder(), ["lint", serverWith({ [list]: failures[failure]!(list) })]);
  const needs = list === "tools" && failure !== "null";
  expect(ran.code).toBe(needs ? 4 : 0);
  if (!needs) expect(ran.stdout).toContain(list === "tools" ? "0 tools" : "1 tool,");
});

test("the pages before a failing one are shown", async () => {
  const page = (name: string, more: object): object => ({ tools: [{ ...lists.tools.entry, name }], ...more });
  const source = serverWith({
    tools: {
      pages: [page("first", { nextCursor: "1" }), page("second", { nextCursor: "2" }), { tools: null }],
    },
  });
  const ran = await mcpgen(temporaryFolder(), ["list", source, "--json"]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    exit: 0,
    tools: [{ name: "first" }, { name: "second" }],
    prompts: [{ name: "a-prompt" }],
    findings: [{ code: "MG6327", severity: "warning" }],
  });
});

test("a server without readable lists causes an error; null lists do not", async () => {
  const broken = await mcpgen(temporaryFolder(), [
    "list",
    serverWith({ tools: failures["an error"]!("tools") }, { tools: {} }),
  ]);
  expect([broken.code, broken.stdout]).toEqual([4, ""]);
  expect(broken.stderr).toContain("MG4105: tools/list: the database is away");
  const empty = await mcpgen(temporaryFolder(), [
    "list",
    serverWith({ tools: { tools: null } }, { tools: {} }),
  ]);
  expect([empty.code, empty.stderr]).toEqual([0, ""]);
  expect(empty.stdout).toContain("nothing");
});

test("standard output has only the page; its warnings are on standard error", async () => {
  const source = serverWith({ resources: { resources: null } });
  const ran = await mcpgen(temporaryFolder(), ["docs", source]);
  expect(ran.stdout).toMatch(/^<!doctype html>/i);
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("warning MG6327")]);
});
