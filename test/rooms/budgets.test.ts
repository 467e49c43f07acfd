import { expect, test } from "vitest";
import { type Budgets, findingsOf } from "../../scripts/rooms/budgets.js";
import { type Figure, structure } from "../../scripts/rooms/figures.js";
import { factsOf } from "../../scripts/rooms/source-facts.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A small house with one of each kind, as a commit finds it. */
const house = {
  "engine/explain/text.ts": "export const distance = (a: number, b: number): number => a + b;",
  "generator/cli.ts": 'import "./main.js";',
  "generator/main.ts": "export {};",
  "runtime/core/server/high.ts": 'import type { Low } from "./low.js"; export type High = Low;',
  "runtime/core/server/low.ts": "export type Low = string;",
};

/** The findings of a commit that writes the files into the house. */
function findingsAfter(files: { readonly [file: string]: string }): string[] {
  const before = structure(temporaryFolder(house));
  const budgets: Budgets = Object.fromEntries(before.map(({ key, value }) => [key, { figure: value }]));
  const after = structure(temporaryFolder({ ...house, ...files }));
  return findingsOf(after, budgets, (key) => before.find((figure) => figure.key === key)!.places);
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, line) => `export const v${line} = ${line};`).join("\n");

test.each([
  [
    "a loop that waits",
    { "runtime/auth/again.ts": "export async function again() { for (;;) await sleep(1); }" },
    ["waits", "runtime/auth/again.ts: 1 more", "runtime/base/time"],
  ],
  [
    "a bounded map",
    {
      "runtime/core/http/kept.ts":
        "export function keep(map: Map<string, string>, most: number) { if (map.size >= most) map.delete('a'); }",
    },
    ["bounded-maps", "runtime/core/http/kept.ts: 1 more", "BoundedMap"],
  ],
  [
    "a judge",
    {
      "generator/judge.ts":
        'export const says = ["expected a string", "expected an object", "expected true or false"];',
    },
    ["judges", "generator/judge.ts: 1 more", "engine/explain"],
  ],
  [
    "an edit distance",
    { "generator/near.ts": "export function near(a: number, b: number) { return Math.min(a + 1, b + 1); }" },
    ["edit-distances", "generator/near.ts: 1 more", "engine/explain/text.ts"],
  ],
  [
    "an endpoint",
    { "runtime/apps/peer/second.ts": "export class Second { readonly pending = new Pending(); }" },
    ["endpoints", "runtime/apps/peer/second.ts: 1 more", "runtime/base/jsonrpc"],
  ],
  [
    "an arrow up",
    {
      "runtime/core/server/low.ts":
        'import type { High } from "./high.js"; export type Low = string | { up: High };',
    },
    ["arrows-up", "runtime/core/server/", "the lower of both files"],
  ],
  [
    "200 lines in the core",
    { "runtime/core/server/long.ts": lines(200) },
    ["core-code", "runtime/core/server/long.ts: 200 more", "a table that the generator emits"],
  ],
  [
    "a function with five parameters",
    { "generator/main.ts": "export function f(a: 1, b: 1, c: 1, d: 1, e: 1) { return [a, b, c, d, e]; }" },
    ["parameters", "generator/main.ts: 1 more", "an object of named members"],
  ],
])("%s is found, with its place and the replacement", (_, files, texts) => {
  const finding = findingsAfter(files).find((one) => one.startsWith(`${texts[0]}:`));
  for (const text of texts) expect(finding).toContain(text);
});

test("comments, names and blank lines do not count", () => {
  const commented = `\n\n/** ${"a text, ".repeat(20)}\n * more\n */\n\n// and more\n`.repeat(100);
  expect(
    findingsAfter({ "runtime/core/server/low.ts": `${commented}${house["runtime/core/server/low.ts"]}` }),
  ).toEqual([]);
});

test("code counts as a judge if it words an expectation; other texts may name types", () => {
  const mention = "expected the header on a string, an integer or a boolean, got an object";
  expect(factsOf(`fail("${mention}"); fail("an object");`).judges).toBe(0);
  expect(factsOf('fail("a string"); fail("an object"); fail(`expected a list, got ${kind}`);').judges).toBe(
    1,
  );
});

test("the pause of a stream does not count as a wait between attempts", () => {
  expect(factsOf("stream.pause(); await pause(1); await this.#sleep(1, clock);").waits).toBe(2);
});

test("a better figure must be recorded; grants of issues are counted", () => {
  const figure: Figure = {
    key: "waits",
    title: "waits",
    value: 3,
    goal: 0,
    tolerance: 0,
    owner: "time",
    places: new Map([["a.ts", 3]]),
  };
  const none = (): undefined => undefined;
  expect(findingsOf([figure], { waits: { figure: 4 } }, none)).toEqual([
    "waits: 3 is better than 4. Write it down: npm run rooms -- --write",
  ]);
  expect(findingsOf([figure], { waits: { figure: 3 } }, none)).toEqual([]);
  const granted = [{ issue: "7 of 10", more: 1, reason: "hosts" }];
  expect(findingsOf([figure], { waits: { figure: 2, granted } }, none)).toEqual([]);
  expect(findingsOf([{ ...figure, value: 4 }], { waits: { figure: 2, granted } }, none)).toHaveLength(1);
  expect(findingsOf([figure], {}, none)).toHaveLength(1);
});

test("the finding for a worse figure names the tolerance, and where an issue may grant more", () => {
  const figure: Figure = {
    ...{ key: "readme-bytes", title: "bytes", value: 312, goal: 0, tolerance: 10, owner: "a page" },
    places: new Map([["README.md", 312]]),
  };
  const budgets = { "readme-bytes": { figure: 300 } };
  const none = (): undefined => undefined;
  expect(findingsOf([{ ...figure, value: 310 }], budgets, none)).toEqual([]);
  const [finding] = findingsOf([figure], budgets, none);
  expect(finding).toContain("312, 12 more than the budget of 300, of which 10 are tolerated.");
  expect(finding).toContain('"granted": [{ "issue", "more", "reason" }] of this bar in bench/budgets.json');
});

test("a file that only import() loads may have a single importer", () => {
  const loading = {
    "generator/command/commands.ts": 'export const load = async () => (await import("./added.js")).added;',
    "generator/command/added.ts": "export const added = 1;",
  };
  expect(findingsAfter(loading)).toEqual([]);
  const importing = { ...loading, "generator/command/commands.ts": 'export { added } from "./added.js";' };
  expect(findingsAfter(importing).join()).toContain("generator/command/added.ts: 1 more");
});
