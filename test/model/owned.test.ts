// Members that the runtime fills in, by the place of a definition.
import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { authoredSchema } from "../../generator/targets/typescript/authoring/authored-schema.js";
import { type NoteText, anyOf, message, modelOf, object, ref } from "../support/models.js";

const text = { type: "string" };
type Definitions = { [name: string]: JsonValue };
const definitions = (more: Definitions): Definitions => ({
  CallRequest: message("call", { params: ref("CallParams") }),
  ClientRequest: anyOf("CallRequest"),
  CallParams: object({ _meta: {}, answers: {}, name: text }, ["_meta"]),
  AnswerParams: object({ _meta: {}, answers: {} }, ["_meta"]),
  Result: object({ _meta: {}, resultType: text }, ["resultType"]),
  Response: object({ jsonrpc: text, id: text, result: ref("Result") }, ["jsonrpc", "id", "result"]),
  CallResult: object({ resultType: text, content: text }, ["resultType", "content"]),
  Elsewhere: object({ _meta: {}, answers: {}, resultType: text }, ["_meta", "resultType"]),
  ...more,
});
const notes: readonly NoteText[] = [
  {
    kind: "owned",
    targets: ["/$defs/Result/properties/resultType", "/$defs/AnswerParams/properties/answers"],
  },
];
const ownedIn = (more: Definitions, added: readonly NoteText[] = []) =>
  Object.fromEntries(
    [...modelOf(definitions(more), [...notes, ...added]).owned].map(([name, properties]) => [
      name,
      [...properties],
    ]),
  );
const always = { Result: ["resultType"], AnswerParams: ["answers"], CallParams: ["answers"] };

describe("members that the era fills in in every response", () => {
  it("are filled in in the result of a method, although the result extends nothing", () => {
    expect(ownedIn({})).toEqual({ ...always, CallResult: ["resultType"] });
  });

  it("are filled in in each arm of a union that answers a method", () => {
    const arm = (member: string): JsonValue =>
      object({ resultType: text, [member]: text }, ["resultType", member]);
    const more = {
      CallResult: anyOf("TextResult", "Nested"),
      Nested: anyOf("DataResult"),
      TextResult: arm("text"),
      DataResult: arm("data"),
    };
    expect(ownedIn(more)).toEqual({ ...always, TextResult: ["resultType"], DataResult: ["resultType"] });
  });

  it("are removed from inline arms", () => {
    const CallResult = {
      anyOf: [
        object({ resultType: text, text }, ["resultType", "text"]),
        { allOf: [object({ resultType: text }, ["resultType"]), object({ data: text }, ["data"])] },
      ],
    };
    expect(ownedIn({ CallResult })).toEqual({ ...always, CallResult: ["resultType"] });
    const { schema } = authoredSchema(modelOf(definitions({ CallResult }), notes));
    const printed = JSON.stringify(schema.definitions.get("CallResult")!.node, (_, value: unknown) =>
      value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value,
    );
    expect(printed).not.toContain("resultType");
    expect(printed).toContain('"required":["text"]');
  });

  it("are left to authors if they distinguish the possible results", () => {
    const tagged = (tag: string): JsonValue =>
      object({ resultType: { ...text, const: tag } }, ["resultType"]);
    const more = {
      CallResult: anyOf("TextResult", "DataResult"),
      TextResult: tagged("text"),
      DataResult: tagged("data"),
    };
    expect(ownedIn(more)).toEqual(always);
    const alternative: NoteText = {
      ...{ kind: "pairing", targets: ["call"], result: "CallResult" },
      alternatives: ["UnchangedResult"],
    } as NoteText;
    expect(ownedIn({ UnchangedResult: tagged("not_modified") }, [alternative])).toEqual({
      ...always,
      CallResult: ["resultType"],
    });
  });

  it("are filled in in an alternative whose mark only a note names", () => {
    const alternative: NoteText = {
      ...{ kind: "pairing", targets: ["call"], result: "CallResult" },
      alternatives: [{ definition: "AskingResult", mark: { resultType: "asks" } }],
    } as NoteText;
    const AskingResult = object({ resultType: text }, ["resultType"]);
    expect(ownedIn({ AskingResult }, [alternative])).toMatchObject({ AskingResult: ["resultType"] });
  });
});

it("members that a note names elsewhere are filled in if params repeat all of them", () => {
  expect(ownedIn({ CallParams: object({ answers: {}, name: text }) })).not.toHaveProperty("CallParams");
  expect(ownedIn({ CallParams: object({ _meta: {}, answers: {} }) })).not.toHaveProperty("CallParams");
});
