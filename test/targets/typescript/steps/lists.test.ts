// A list of objects that was several lists in the revision before, and members that stay.
import type { JsonValue } from "@mcpgen/engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { refuseProblems } from "../../../../generator/targets/typescript/steps/problems.js";
import { cases, seed } from "../../../support/cases.mjs";
import { type NoteText, object, ref } from "../../../support/models.js";
import { answering, between } from "./between.js";
import { deepFrozen } from "./protocol.js";

const text = { type: "string" };
const list = (items: JsonValue): JsonValue => ({ type: "array", items });
const kind = { type: "string", const: "choice" };
const rows = object({ kind, options: list(object({ id: text, label: text }, ["id", "label"])) }, [
  "kind",
  "options",
]);
const columns = object({ kind, ids: list(text), labels: list(text) }, ["kind", "ids"]);
const plainOld = object({ kind: { type: "string", const: "text" } }, ["kind"]);
const place = "/$defs/Rows/properties/options";
const note = (
  way: "lift" | "lower",
  members: object = { id: "ids", label: "labels" },
  target = place,
): NoteText =>
  ({ kind: way, targets: [target], previous: "r1", how: "lists", members }) as unknown as NoteText;
// The newer revision accepts the lists, too.
const [old, next] = [{ anyOf: [columns, plainOld] }, { anyOf: [ref("Rows"), columns, plainOld] }];
const more = { next: { Rows: rows } };
const both = [note("lower"), note("lift")];

describe("a list of objects that was several lists", () => {
  const options = fc.array(fc.record({ id: fc.string(), label: fc.string() }), { maxLength: 5 });

  it("is split without loss, and other members stay", async () => {
    const { lower } = await between(old, next, both, more);
    await fc.assert(
      fc.asyncProperty(options, async (given) => {
        const value = { kind: "choice", options: given, more: [1] };
        expect(lower(deepFrozen(value) as object)).toEqual({
          value: {
            kind: "choice",
            ids: given.map(({ id }) => id),
            labels: given.map(({ label }) => label),
            more: [1],
          },
          losses: [],
        });
      }),
      { seed, numRuns: cases(1000, 50) },
    );
  });

  it("is joined from the lists, which stay", async () => {
    const { lift } = await between(old, next, both, more);
    await fc.assert(
      fc.asyncProperty(options, async (given) => {
        const value = {
          kind: "choice",
          ids: given.map(({ id }) => id),
          labels: given.map(({ label }) => label),
        };
        expect(lift(deepFrozen(value) as object)).toEqual({
          value: { ...value, options: given },
          losses: [],
        });
      }),
      { seed, numRuns: cases(1000, 50) },
    );
  });

  it.each([
    ["lists of two lengths", { kind: "choice", ids: ["a", "b"], labels: ["A"] }],
    ["one list alone", { kind: "choice", ids: ["a"] }],
    ["another arm of the union", { kind: "text", ids: ["a"], labels: ["A"] }],
  ])("is not made from %s", async (_, value) => {
    const { lift } = await between(old, next, both, more);
    expect(lift(deepFrozen(value) as object)).toEqual({ value, losses: [] });
  });

  it("is refused if the older revision has no such lists, or if the place is not such a list", () => {
    const problem = (older: JsonValue, newer: JsonValue, ...notes: NoteText[]): unknown => {
      const [previous, model] = [answering("r1", older), answering("r2", newer, more.next, notes)];
      try {
        refuseProblems(planSteps(previous, model), model, previous, "schema/r2");
        return undefined;
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    expect(problem(old, next, ...both)).toBeUndefined();
    // Lists that the newer revision does not accept must all become items.
    expect(problem(old, { anyOf: [ref("Rows"), plainOld] }, ...both)).toBe("MG1206");
    expect(problem(old, next, note("lower", { id: "names" }), note("lift"))).toBe("MG1203");
    expect(problem(plainOld, next, note("lower"))).toBe("MG1203");
  });
});

describe("a member that stays, and is also written as JSON into an empty list", () => {
  const content = list({
    type: "object",
    properties: { type: { const: "text", type: "string" }, text },
    required: ["type", "text"],
  });
  const [older, newer] = [object({ content }, ["content"]), object({ content, value: text }, ["content"])];
  const keep = {
    ...{ kind: "lower", targets: ["/$defs/DoResult/properties/value"], previous: "r1", how: "keep" },
    into: "content",
  } as unknown as NoteText;

  it.each([
    [
      { content: [], value: "a" },
      { content: [{ type: "text", text: '"a"' }], value: "a" },
    ],
    [{ content: [{ type: "text", text: "b" }], value: "a" }, undefined],
    [{ content: [] }, undefined],
  ])("%j", async (value, expected) => {
    const { lower } = await between(older, newer, [keep]);
    expect(lower(deepFrozen(value) as object)).toEqual({ value: expected ?? value, losses: [] });
  });
});
