import { expect, test } from "vitest";
import { type Outcome, isInOrder, judge, without } from "./model.js";
import type { Program } from "./program.js";

const effect = (name: string) => ({ do: "effect", name }) as const;
const ask = (key: string) => ({ do: "ask", key, form: "flag", timeout: undefined }) as const;
const outcomes = (given: { readonly [point: string]: string }): Map<string, Outcome> =>
  new Map(Object.entries(given).map(([point, said]) => [point, { said }]));

test("effects in a row have one order, and those of branches each their own", () => {
  const order = { row: ["a", { beside: [{ row: ["b", "c"] }, { row: ["d"] }] }, "e"] };
  for (const right of ["abcde", "abdce", "adbce"])
    expect([right, isInOrder(order, [...right])]).toEqual([right, true]);
  for (const wrong of ["acbde", "abcd", "abcdee", "abbcde", "eabcd", "abced", "abcdex", ""])
    expect([wrong, isInOrder(order, [...wrong])]).toEqual([wrong, false]);
  expect(isInOrder(without(order, new Set("bd")), ["a", "c", "e"])).toBe(true);
});

test("a program stops at a question without an answer, and goes on with one", () => {
  const program: Program = [effect("a"), ask("k"), effect("b")];
  expect(judge(program, outcomes({}))).toMatchObject({ order: { row: ["a"] }, end: "hung" });
  expect(judge(program, outcomes({ k: "cancel" }))).toMatchObject({
    order: { row: ["a", "b"] },
    end: { seen: ["cancel"] },
  });
});

test("what an ask throws is caught, and the last steps happen", () => {
  const program: Program = [
    { do: "try", steps: [ask("k"), effect("a")], caught: [effect("b")], last: [effect("c")] },
    { do: "throw", text: "t" },
  ];
  const found = judge(program, new Map([["k", { code: "ask-expired" }]]));
  expect(found).toMatchObject({ order: { row: ["b", "c"] }, end: { thrown: "t" } });
});

test("the questions of a loop are numbered, and a branch follows the last answer", () => {
  const program: Program = [
    { do: "loop", times: 2, stops: false, steps: [ask("k"), effect("a")] },
    { do: "branch", yes: [effect("y")], no: [effect("n")] },
  ];
  const { order, end } = judge(program, outcomes({ "k.0": "cancel", "k.1": "decline" }));
  expect(end).toEqual({ seen: ["cancel", "decline"] });
  expect(["y", "n"].map((last) => isInOrder(order, ["a.0", "a.1", last])).toSorted()).toEqual([false, true]);
});

test("a fork hangs if one of its branches does", () => {
  const program: Program = [
    { do: "fork", branches: [[ask("k"), effect("a")], [effect("b")]], isStrict: true },
    effect("c"),
  ];
  expect(judge(program, outcomes({}))).toMatchObject({ end: "hung" });
  expect(isInOrder(judge(program, outcomes({})).order, ["b"])).toBe(true);
  expect(isInOrder(judge(program, outcomes({ k: "cancel" })).order, ["b", "a", "c"])).toBe(true);
});

test("what runs in the background has a separate order", () => {
  const program: Program = [{ do: "background", steps: [effect("a"), effect("b")] }, effect("c")];
  expect(judge(program, outcomes({}))).toMatchObject({
    order: { row: ["c"] },
    background: [{ row: ["a", "b"] }],
  });
});
