import { expect, test } from "vitest";
import type { Contract } from "../../generator/contract/contract.js";
import { contractFault } from "../../generator/contract/fault.js";
import {
  bothAsked,
  isIncomplete,
  mergedContract,
  unlisted,
} from "../../generator/contract/incomplete-lists.js";

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });
const about = { name: "s", version: "1" };
const partial = { complete: false, asked: { tools: [{}] } };

test("a list is incomplete if the contract says so about it, or about all lists", () => {
  expect(isIncomplete({ ...about, ...partial }, "tools")).toBe(true);
  expect(isIncomplete({ ...about, ...partial }, "prompts")).toBe(false);
  expect(isIncomplete({ ...about, complete: false }, "prompts")).toBe(true);
  expect(isIncomplete({ ...about, complete: true, asked: { tools: [{}] } }, "tools")).toBe(false);
});

test("entries that an incomplete list does not name stay in their places, unless they are known to be removed", () => {
  const before: Contract = {
    ...about,
    tools: [tool("a"), tool("b"), tool("c")],
    prompts: [{ name: "p" }, { name: "q" }],
  };
  const live: Contract = {
    ...about,
    version: "2",
    ...partial,
    tools: [tool("d"), tool("b", "new")],
    prompts: [{ name: "q" }],
  };
  const merged = mergedContract(before, live, { tools: ["c"] });
  expect(merged.tools).toEqual([tool("a"), tool("b", "new"), tool("d")]);
  // The list of prompts is complete.
  expect(merged.prompts).toEqual([{ name: "q" }]);
  expect(merged).toMatchObject({ version: "2", complete: false });
  expect(Object.keys(merged)).toEqual(["name", "version", "complete", "asked", "tools", "prompts"]);
  expect(mergedContract(merged, live, {})).toEqual(merged);
});

test("an incomplete list without entries keeps all entries of the file", () => {
  const before: Contract = { ...about, tools: [tool("a")] };
  expect(mergedContract(before, { ...about, ...partial }, {}).tools).toEqual([tool("a")]);
});

test("requested names are merged, each once", () => {
  const once = bothAsked({ tools: [{ query: "a" }] }, { tools: [{}, { query: "a" }], prompts: [{}] });
  expect(once).toEqual({ tools: [{ query: "a" }, {}], prompts: [{}] });
});

test("entries that an incomplete list does not name count as unlisted, unless they are known to be removed", () => {
  const old: Contract = { ...about, tools: [tool("a"), tool("b")] };
  const next: Contract = { ...about, ...partial, tools: [tool("c")] };
  expect(unlisted({ old, new: next }).map(({ key, by }) => `${key} ${by}`)).toEqual(["a old", "b old"]);
  expect(unlisted({ old, new: next, gone: { new: { tools: ["a"] } } }).map(({ key }) => key)).toEqual(["b"]);
  expect(unlisted({ old: next, new: old }).map(({ key, by }) => `${key} ${by}`)).toEqual(["a new", "b new"]);
  const both = unlisted({ old: { ...old, ...partial }, new: next });
  expect(both.map(({ key, by }) => `${key} ${by}`)).toEqual(["a old", "b old", "c new"]);
});

test("a contract file may be incomplete, and only its lists may have requests", () => {
  expect(contractFault({ ...about, ...partial })).toBeUndefined();
  expect(contractFault({ ...about, complete: "no" })?.pointer).toBe("/complete");
  expect(contractFault({ ...about, complete: false, asked: { tool: [{}] } })).toMatchObject({
    code: "MG6002",
    pointer: "/asked/tool",
  });
  expect(contractFault({ ...about, complete: false, asked: { tools: ["a"] } })?.pointer).toBe(
    "/asked/tools/0",
  );
});
