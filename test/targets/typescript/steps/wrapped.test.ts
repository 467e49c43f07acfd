import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { refuseProblems } from "../../../../generator/targets/typescript/steps/problems.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { seed } from "../../../support/cases.mjs";
import { type NoteText, object, ref } from "../../../support/models.js";
import { answering, between, stepFiles } from "./between.js";
import { deepFrozen, isAccepted, sampleOf } from "./protocol.js";

const text = { type: "string" };
const meta = { type: "object" };
const wrapped = (name = "task", target = "/$defs/DoResult", previous = "r1"): NoteText => ({
  kind: "wrapped",
  targets: [target],
  previous,
  in: name,
});
const status = (...values: string[]): JsonValue => ({ type: "string", enum: values });
const task = (id: string, ...values: string[]): { [key: string]: JsonValue } => ({
  [id]: text,
  ttl: { type: ["integer", "null"] },
  status: status(...values),
});
const nested = object({ _meta: meta, task: ref("Task") }, ["task"]);
const older = { Task: object(task("id", "working", "failed"), ["id", "status"]) };
const flat = object({ _meta: meta, ...task("taskId", "working", "lost") }, ["taskId", "status"]);
const place = "/$defs/DoResult/properties/status";
const fill = (kind: "lift" | "lower", of: string, value: string): NoteText =>
  ({
    kind,
    targets: [place],
    previous: "r1",
    how: "fill",
    value: "failed",
    cases: [{ of, value }],
  }) as unknown as NoteText;
const notes: NoteText[] = [
  wrapped(),
  { kind: "renamed", targets: ["/$defs/DoResult/properties/taskId"], previous: "r1", from: "id" },
  fill("lower", "lost", "failed"),
  fill("lift", "failed", "lost"),
];
const run = (step: (value: object) => object, value: JsonValue): object => step(deepFrozen(value) as object);

describe("members that were inside another member in the older revision", () => {
  const same = (): ReturnType<typeof between> =>
    between(nested, object({ _meta: meta, ...task("id", "working") }, ["id", "status"]), [wrapped()], {
      old: { Task: object(task("id", "working"), ["id", "status"]) },
    });

  it("are wrapped and unwrapped without loss", async () => {
    const { lift, lower } = await same();
    const before = { task: { id: "1", status: "working", more: [1] }, _meta: { a: 1 } };
    const after = { _meta: { a: 1 }, id: "1", status: "working", more: [1] };
    expect(run(lift, before)).toEqual({ value: after, losses: [] });
    expect(run(lower, after)).toEqual({ value: before, losses: [] });
  });

  it("are renamed and converted on the way, and reports name their places in the message", async () => {
    const { lift, lower } = await between(nested, flat, notes, { old: older });
    const before = { task: { id: "1", status: "failed" } };
    const after = { taskId: "1", status: "lost" };
    const loss = (pointer: string): object[] => [expect.objectContaining({ pointer, how: "filled" })];
    expect(run(lift, before)).toEqual({ value: after, losses: loss("/task/status") });
    expect(run(lower, after)).toEqual({ value: before, losses: loss("/status") });
  });

  it("take precedence over undeclared members of the same names, which are reported", async () => {
    const { lift } = await same();
    const value = { id: "0", ttl: 1, "a/b": 0, task: { id: "1", status: "working", _meta: {}, "a/b": 2 } };
    const { value: got, losses } = run(lift, value) as { value: object; losses: { pointer: string }[] };
    expect(got).toEqual({ id: "1", status: "working", "a/b": 2 });
    expect(losses.map(({ pointer }) => pointer).sort()).toEqual(["/a~1b", "/id", "/task/_meta", "/ttl"]);
  });

  it("may have names that every object has", async () => {
    const { lift, lower } = await same();
    const after = JSON.parse('{"id":"1","status":"working","__proto__":{"a":1},"task":2}') as JsonValue;
    const down = run(lower, after) as { value: JsonValue; losses: unknown[] };
    expect(Object.keys(down.value as object)).toEqual(["task"]);
    const up = run(lift, down.value) as { value: object };
    expect(JSON.stringify(up.value)).toBe(JSON.stringify(after));
  });

  it("may be in only one arm of a union", async () => {
    const other = object({ kind: { const: "b", type: "string" }, n: { type: "integer" } }, ["kind"]);
    const kind = { const: "a", type: "string" };
    const union = (arm: JsonValue): JsonValue =>
      object({ list: { type: "array", items: { anyOf: [arm, other] } } }, ["list"]);
    const { lift, lower } = await between(
      union(object({ kind, task: object({ id: text }, ["id"]) }, ["kind", "task"])),
      union(ref("Flat")),
      [wrapped("task", "/$defs/Flat")],
      { next: { Flat: object({ kind, id: text }, ["kind", "id"]) } },
    );
    const before = {
      list: [
        { kind: "a", task: { id: "1" } },
        { kind: "b", id: 2 },
      ],
    };
    const after = { list: [{ kind: "a", id: "1" }, before.list[1]!] };
    expect(run(lift, before)).toEqual({ value: after, losses: [] });
    expect(run(lower, after)).toEqual({ value: before, losses: [] });
  });

  it("return from the other revision unchanged, in any valid message", async () => {
    const { lift, lower } = await same();
    const [old, next] = [
      answering("r1", nested, { Task: object(task("id", "working"), ["id", "status"]) }),
      answering("r2", object({ _meta: meta, ...task("id", "working") }, ["id", "status"])),
    ] as const;
    const carried = { method: "test/do", kind: "request", sender: "client", part: "result" } as const;
    const random = randomFrom(`${seed}`);
    for (const [from, to, there, back] of [
      [next, old, lower, lift],
      [old, next, lift, lower],
    ] as const) {
      let compared = 0;
      for (let made = 0; made < 200; made++) {
        const value = sampleOf(from, carried, random)!;
        const sent = run(there, value) as { value: JsonValue; losses: unknown[] };
        if (sent.losses.length > 0) continue;
        expect(isAccepted(to, carried, sent.value), JSON.stringify(sent.value)).toBe(true);
        const got = run(back, sent.value) as { value: object };
        const names = Object.keys(value).filter((name) => !["_meta", "task"].includes(name));
        // Undeclared members beside the older member are inside of it afterwards.
        if (from === old && names.length > 0) continue;
        expect(got).toEqual({ value, losses: [] });
        compared++;
      }
      expect(compared).toBeGreaterThan(20);
    }
  });

  it("need functions that other files of steps do not have", () => {
    const models = [answering("r1", nested, older), answering("r2", flat, {}, notes)] as const;
    const steps = stepFiles(...models).get("r2/steps.ts")!;
    for (const name of ["wrapped", "unwrapped"]) expect(steps.split(`function ${name}(`)).toHaveLength(2);
    const plain = stepFiles(models[0], answering("r2", flat)).get("r2/steps.ts");
    expect(plain).not.toContain("wrapped");
  });
});

describe("a note that wraps nothing is reported", () => {
  const problem = (before: JsonValue, after: JsonValue, note = wrapped()): (() => void) => {
    const models = [answering("r1", before), answering("r2", after, {}, [note])] as const;
    return () => refuseProblems(planSteps(...models), models[1], models[0], "schema/r2");
  };
  const inner = object({ id: text });

  it.each([
    ["the older object has no such member", object({ other: inner }, ["other"]), object({ id: text })],
    ["the member is optional", object({ task: inner }), object({ id: text })],
    ["the member is no object", object({ task: text }, ["task"]), object({ id: text })],
    ["a name is both inside and around", object({ task: inner, id: text }, ["task"]), object({ id: text })],
    ["both have the member", object({ task: inner }, ["task"]), object({ task: text })],
  ])("%s", (_, before, after) => {
    expect(problem(before, after)).toThrow(/note of kind wrapped on \/\$defs\/DoResult: .*"task"/);
  });

  it("but not if it concerns another pair of revisions", () => {
    const note = wrapped("task", "/$defs/DoResult", "r0");
    expect(problem(object({}), object({ id: text }), note)).not.toThrow();
  });
});
