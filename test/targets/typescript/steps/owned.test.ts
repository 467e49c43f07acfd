import { type JsonObject, type JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { type NoteText, anyOf, object, ref } from "../../../support/models.js";
import { answering, between, expectSame, stepFiles } from "./between.js";

const text = { type: "string" };
const owned = ["/$defs/DoResult/properties/mark"];
const own: readonly NoteText[] = [{ kind: "owned", targets: owned }];
const whole = object({ value: text, mark: text }, ["mark"]) as JsonObject;

const dropped = (value: object, ...keys: string[]): object => ({
  value,
  losses: keys.map((key) => expect.objectContaining({ pointer: `/${key}`, how: "dropped" }) as object),
});

describe("a member that both eras fill in", () => {
  it.each([
    ["is closed", { additionalProperties: false }],
    ["is closed by unevaluatedProperties", { unevaluatedProperties: false }],
    ["accepts numbers as other members", { additionalProperties: { type: "number" } }],
  ])("stays in an object that %s", async (_, limit) => {
    const next = { ...whole, ...(limit as JsonObject) };
    const { lift: up } = await between(whole, next, own, { oldNotes: own });
    expectSame(up, { mark: "m", value: "a" });
    expect(up({ mark: "m", value: "a", other: "o" })).toEqual(dropped({ mark: "m", value: "a" }, "other"));
  });

  it("stays in an object that is composed", async () => {
    const next = { allOf: [{ $ref: "#/$defs/Marked" }, { type: "object", properties: { value: text } }] };
    const Marked = object({ mark: text }, ["mark"]);
    const base: NoteText = { kind: "owned", targets: ["/$defs/Marked/properties/mark"] };
    const { lift: up } = await between(next, { ...next, unevaluatedProperties: false }, [base], {
      old: { Marked },
      next: { Marked },
      oldNotes: [base],
    });
    expectSame(up, { mark: "m", value: "a" });
    expect(up({ mark: "m", other: 1 })).toEqual(dropped({ mark: "m" }, "other"));
  });
});

describe("a member that both eras fill in, in another form", () => {
  const [before, after] = ["old", "new"].map((value) => object({ value: text, mark: { enum: [value] } }));
  const filled = (["lift", "lower"] as const).map(
    (kind) =>
      ({
        kind,
        targets: owned,
        previous: "r1",
        how: "fill",
        value: kind === "lift" ? "new" : "old",
      }) as unknown as NoteText,
  );

  it("is converted in messages and in the runtime's additions", async () => {
    const { lift: up, lower: down } = await between(before!, after!, [...own, ...filled], { oldNotes: own });
    expect(up({ mark: "old" })).toMatchObject({ value: { mark: "new" } });
    expect(down({ mark: "new" })).toMatchObject({ value: { mark: "old" } });
    expectSame(up, { value: "a" });
    const models = [answering("r1", before!, {}, own), answering("r2", after!, {}, [...own, ...filled])];
    const steps = stepFiles(...models).get("r2/steps.ts")!;
    const tables = steps.split(/^ {2}(?=\w+: )/mu).filter((table) => table.includes('"*"'));
    expect(tables.map((table) => table.slice(0, table.indexOf(":")))).toEqual([
      "incomingResults",
      "outgoingRequests",
      "incomingRequests",
      "outgoingResults",
    ]);
  });

  it("needs a note if the eras have no common value", async () => {
    const { lift: up } = await between(before!, after!, own, { oldNotes: own });
    expect(up({ mark: "old" })).toEqual({ refused: "no-newer-form", at: "/mark" });
  });

  it("stays unchanged if it contains messages, because their methods have steps", async () => {
    const asking = (count: number): JsonValue =>
      object({ value: text, mark: { type: "array", items: ref("DoRequest"), maxItems: count } });
    const { lift: up } = await between(asking(4), asking(2), own, { oldNotes: own });
    expectSame(up, { mark: [1, 2, 3, 4].map(() => ({ method: "test/do" })) });
  });
});

describe("a member that only the older era fills in", () => {
  const older = { oldNotes: own };

  it("is required from the application by the newer revision", async () => {
    const { lift: up, lower: down } = await between(whole, whole, [], older);
    expectSame(up, { mark: "m" });
    expectSame(down, { mark: "m", value: "a" });
  });

  it("is refused on the way up if it does not match the newer revision", async () => {
    const next = object({ value: text, mark: { enum: ["a", "b"] } }, ["mark"]);
    const { lift: up, lower: down } = await between(whole, next, [], older);
    expectSame(up, { mark: "a" });
    expect(up({ mark: "c" })).toEqual({ refused: "no-newer-form", at: "/mark" });
    expectSame(down, { mark: "b" });
  });

  it("is left out on the way down if the older revision does not accept it, and is filled in there", async () => {
    const next = object({ value: text, mark: {} }, ["mark"]);
    const { lift: up, lower: down } = await between(whole, next, [], older);
    expectSame(up, { mark: "a" });
    expectSame(down, { mark: "b" });
    expect(down({ mark: 5 })).toEqual(dropped({}, "mark"));
  });

  it.each([
    ["closed", { additionalProperties: false }],
    ["closed by unevaluatedProperties", { unevaluatedProperties: false }],
    ["taking numbers as other members", { additionalProperties: { type: "number" } }],
  ])("is not added to an object without it, %s", async (_, limit) => {
    const next = { ...(object({ value: text }) as JsonObject), ...(limit as JsonObject) };
    for (const old of [whole, { ...whole, ...(limit as JsonObject) }] as JsonValue[]) {
      const { lift: up } = await between(old, next, [], older);
      expectSame(up, { value: "a" });
      expect(up({ mark: "m", value: "a" })).toEqual(dropped({ value: "a" }, "mark"));
    }
  });
});

describe("a member that only the newer era fills in", () => {
  it("is required from the application by the older revision", async () => {
    const { lift: up, lower: down } = await between(whole, whole, own);
    expectSame(up, { mark: "m", value: "a" });
    expectSame(down, { mark: "m", value: "a" });
    expect(down({ value: "a" })).toEqual({ refused: "no-older-form", at: "/mark" });
  });
});

describe("an arm that the older revision does not have", () => {
  const kind = { resultType: text };
  const shared: JsonObject = {
    Result: object(kind, ["resultType"]),
    Response: object({ jsonrpc: text, id: text, result: ref("Result") }, ["jsonrpc", "id", "result"]),
  };
  const ofAll: readonly NoteText[] = [
    { kind: "owned", targets: ["/$defs/Result/properties/resultType"] },
    {
      kind: "lower",
      targets: ["/$defs/Data"],
      previous: "r1",
      how: "refuse",
      code: "no-data",
    } as unknown as NoteText,
  ];
  const older = object({ ...kind, text }, ["resultType", "text"]);
  const arms = {
    Text: older,
    Data: object({ ...kind, data: {} }, ["resultType", "data"]),
  };

  it("is recognised without the members that handlers never write", async () => {
    const { lower } = await between(older, anyOf("Text", "Data"), ofAll, {
      old: shared,
      next: { ...shared, ...arms },
      oldNotes: ofAll.slice(0, 1),
    });
    expectSame(lower, { text: "a" });
    expect(lower({ data: 1 })).toEqual({ refused: "no-data", at: "" });
  });
});
