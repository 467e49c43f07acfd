import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { refuseProblems } from "../../../../generator/targets/typescript/steps/problems.js";
import { renameCandidates } from "../../../../generator/targets/typescript/steps/rename-candidates.js";
import { type NoteText, object, ref } from "../../../support/models.js";
import { answering, between, stepFiles } from "./between.js";
import { deepFrozen } from "./protocol.js";

const text = { type: "string" };
const place = "/$defs/DoResult/properties/label";
const renamed = (from = "title", target = place, previous = "r1"): NoteText => ({
  kind: "renamed",
  targets: [target],
  previous,
  from,
});
const run = (step: (value: object) => object, value: JsonValue): object => step(deepFrozen(value) as object);

describe("a member with another name in the older revision", () => {
  it("is translated without loss under its name in each revision", async () => {
    const { lift, lower } = await between(
      object({ title: text, count: { type: "integer" } }, ["title"]),
      object({ label: text, count: { type: "integer" } }, ["label"]),
      [renamed()],
    );
    const older = { a: 1, title: "x", count: 2, z: [] };
    const newer = { a: 1, label: "x", count: 2, z: [] };
    expect(run(lift, older)).toEqual({ value: newer, losses: [] });
    expect(run(lower, newer)).toEqual({ value: older, losses: [] });
    expect(Object.keys((run(lift, older) as { value: object }).value)).toEqual(Object.keys(newer));
  });

  it("may be absent if it is optional; an object without it is returned itself", async () => {
    const { lift, lower } = await between(object({ title: text }), object({ label: text }), [renamed()]);
    const value = deepFrozen({ other: 1 });
    expect((lift(value) as { value: unknown }).value).toBe(value);
    expect((lower(value) as { value: unknown }).value).toBe(value);
  });

  it("has its value converted, and losses are reported at its original place", async () => {
    const drop = { kind: "lower", targets: [place], previous: "r1", how: "drop" } as unknown as NoteText;
    const { lift, lower } = await between(
      object({ title: text }),
      object({ label: { type: ["string", "null"] } }),
      [renamed(), drop],
    );
    expect(run(lift, { title: "x" })).toEqual({ value: { label: "x" }, losses: [] });
    expect(run(lower, { label: "x" })).toEqual({ value: { title: "x" }, losses: [] });
    expect(run(lower, { label: null, a: 1 })).toEqual({
      value: { a: 1 },
      losses: [{ pointer: "/label", what: "label", how: "dropped" }],
    });
  });

  it("is renamed beside another object that the older revision cannot express", async () => {
    const drop = {
      kind: "lower",
      targets: ["/$defs/Hint"],
      previous: "r1",
      how: "drop",
    } as unknown as NoteText;
    const listed = (items: JsonValue): JsonValue => object({ all: { type: "array", items } }, ["all"]);
    const whole = (key: string): JsonValue => object({ name: text, [key]: text }, ["name", key]);
    const { lower } = await between(
      listed(ref("Whole")),
      listed({ anyOf: [ref("Whole"), ref("Hint")] }),
      [renamed("title", "/$defs/Whole/properties/label"), drop],
      {
        old: { Whole: whole("title") },
        next: { Whole: whole("label"), Hint: object({ name: text }, ["name"]) },
      },
    );
    expect(run(lower, { all: [{ name: "a", label: "x" }, { name: "b" }] })).toEqual({
      value: { all: [{ name: "a", title: "x" }] },
      losses: [{ pointer: "/all/1", what: "Hint", how: "dropped" }],
    });
  });

  it("is renamed inside another renamed member, and in lists", async () => {
    const inner = (key: string): JsonValue => object({ [key]: text }, [key]);
    const { lift, lower } = await between(
      object({ title: { type: "array", items: inner("name") } }, ["title"]),
      object({ label: { type: "array", items: ref("Inner") } }, ["label"]),
      [renamed(), renamed("name", "/$defs/Inner/properties/id")],
      { next: { Inner: inner("id") } },
    );
    const [older, newer] = [{ title: [{ name: "a" }, { name: "b" }] }, { label: [{ id: "a" }, { id: "b" }] }];
    expect(run(lift, older)).toEqual({ value: newer, losses: [] });
    expect(run(lower, newer)).toEqual({ value: older, losses: [] });
  });

  it("replaces an undeclared member with its new name, which is reported", async () => {
    const { lift } = await between(object({ title: text }), object({ label: text }), [renamed()]);
    const losses = [{ pointer: "/label", what: "label", how: "dropped" }];
    expect(run(lift, { title: "x", label: "y" })).toEqual({ value: { label: "x" }, losses });
    expect(run(lift, { label: 1 })).toEqual({ value: {}, losses });
  });

  it("is refused if it is required and missing", async () => {
    const { lift } = await between(object({ title: text }), object({ label: text }, ["label"]), [renamed()]);
    expect(run(lift, { title: "x" })).toEqual({ value: { label: "x" }, losses: [] });
    expect(run(lift, {})).toMatchObject({ refused: "no-newer-form" });
  });

  it("may have a name that every object has", async () => {
    const { lift, lower } = await between(
      object(JSON.parse('{"__proto__":{"type":"string"}}') as { [key: string]: JsonValue }),
      object({ label: text }),
      [renamed("__proto__")],
    );
    const older = JSON.parse('{"__proto__":"x"}') as object;
    expect(run(lift, older as JsonValue)).toEqual({ value: { label: "x" }, losses: [] });
    expect(JSON.stringify((run(lower, { label: "x" }) as { value: object }).value)).toBe(
      JSON.stringify(older),
    );
  });

  it("may distinguish arms of a union, each of which is converted", async () => {
    const arm = (tag: string, kind: string, value: JsonValue, name: string): JsonValue =>
      object({ [tag]: { const: kind, type: "string" }, [name]: value }, [tag, name]);
    const union = (...arms: JsonValue[]): JsonValue => object({ value: { anyOf: arms } }, ["value"]);
    const number = { type: "number" };
    const arms = "/$defs/DoResult/properties/value/anyOf";
    const drop = (target: string, value: JsonValue): NoteText =>
      ({ kind: "lower", targets: [target], previous: "r1", how: "fill", value }) as unknown as NoteText;
    const { lift, lower } = await between(
      union(arm("type", "a", text, "title"), arm("type", "b", { type: "integer" }, "title")),
      union(arm("kind", "a", { type: ["string", "null"] }, "label"), arm("kind", "b", number, "label")),
      [
        renamed("type", `${arms}/0/properties/kind`),
        renamed("type", `${arms}/1/properties/kind`),
        renamed("title", `${arms}/0/properties/label`),
        renamed("title", `${arms}/1/properties/label`),
        drop(`${arms}/0/properties/label`, "none"),
        drop(`${arms}/1/properties/label`, 0),
      ],
    );
    for (const [type, title] of [
      ["a", "x"],
      ["b", 1],
    ] as const) {
      const [older, newer] = [{ value: { type, title } }, { value: { kind: type, label: title } }];
      expect(run(lift, older)).toEqual({ value: newer, losses: [] });
      expect(run(lower, newer)).toEqual({ value: older, losses: [] });
    }
    const filled = (value: JsonValue): object => ({
      value,
      losses: [expect.objectContaining({ how: "filled" })],
    });
    expect(run(lower, { value: { kind: "a", label: null } })).toEqual(
      filled({ value: { type: "a", title: "none" } }),
    );
    expect(run(lower, { value: { kind: "b", label: 0.5 } })).toEqual(
      filled({ value: { type: "b", title: 0 } }),
    );
  });

  it("adds no code to steps without renamed members", () => {
    const models = [answering("r1", object({ a: text })), answering("r2", object({ a: text }))] as const;
    expect(stepFiles(...models).get("r2/steps.ts")).not.toContain("renamed");
  });
});

describe("a note that renames nothing is reported", () => {
  const problem = (older: JsonValue, newer: JsonValue, note = renamed()): (() => void) => {
    const models = [answering("r1", older), answering("r2", newer, {}, [note])] as const;
    return () => refuseProblems(planSteps(...models), models[1], models[0], "schema/r2");
  };

  it.each([
    ["the older object has no such member", object({ other: text }), object({ label: text })],
    ["both have the name", object({ title: text, label: text }), object({ label: text })],
  ])("%s", (_, older, newer) => {
    expect(problem(older, newer)).toThrow(
      /note of kind renamed on \/\$defs\/DoResult\/properties\/label: .*"title"/,
    );
  });

  it("but not if it concerns another pair of revisions", () => {
    expect(problem(object({}), object({ label: text }), renamed("title", place, "r0"))).not.toThrow();
  });
});

describe("a new member may be a removed one with a new name", () => {
  const candidates = (older: JsonValue, newer: JsonValue, notes: NoteText[] = []): string[] =>
    renameCandidates(answering("r1", older), answering("r2", newer, {}, notes)).map(
      ({ target, from }) => `${target} ${from}`,
    );
  const list: JsonValue = { type: "array", items: text };

  it.each<[string, JsonValue, JsonValue, string[]]>([
    ["of the same form", object({ title: text }), object({ label: text }), [`${place} title`]],
    ["required or not", object({ title: text }, ["title"]), object({ label: text }), [`${place} title`]],
    ["of another form", object({ title: list }), object({ label: text }), []],
    ["none is removed", object({ title: text }), object({ title: text, label: text }), []],
    [
      "of one of several",
      object({ title: text, name: text, tags: list }),
      object({ label: text, tags: list }),
      [`${place} name`, `${place} title`],
    ],
  ])("%s", (_, older, newer, found) => {
    expect(candidates(older, newer)).toEqual(found);
  });

  it("causes no question if a note answers it", () => {
    expect(candidates(object({ title: text }), object({ label: text }), [renamed()])).toEqual([]);
  });
});
