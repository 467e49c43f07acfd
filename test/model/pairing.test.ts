// The result of a method: from the schema, and from notes that may be older than the schema.
import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { agreeingNote } from "../../generator/notes/note.js";
import { type NoteText, anyOf, built, message, methodOf, modelOf, object, ref } from "../support/models.js";

const text = { type: "string" };
const kind = (value?: string): { [name: string]: JsonValue } => ({
  resultType: value === undefined ? text : { ...text, const: value },
});
const response = (...arms: string[]): JsonValue =>
  object({ id: text, jsonrpc: text, result: arms.length === 1 ? ref(arms[0]!) : anyOf(...arms) }, [
    ...["id", "jsonrpc", "result"],
  ]);
const plain = object({ ...kind(), etag: text, content: text }, ["content", "resultType"]);
const unchanged = object({ ...kind("not_modified"), etag: text }, ["etag", "resultType"]);
const asking = object({ ...kind(), requests: {} }, ["resultType"]);
const call = {
  CallRequest: message("call"),
  ClientRequest: anyOf("CallRequest"),
  CallResult: plain,
  UnchangedResult: unchanged,
  AskingResult: asking,
};
const note = (more: object): NoteText =>
  ({ kind: "pairing", targets: ["call"], result: "CallResult", ...more }) as NoteText;
const alternativesIn = (definitions: { [name: string]: JsonValue }, notes: readonly NoteText[] = []) =>
  methodOf(modelOf(definitions, notes), "call").result!.alternatives;

describe("an alternative with a constant", () => {
  const listed = { ...call, CallResultResponse: response("CallResult", "UnchangedResult") };

  it("is marked by it if the plain result may have any string there", () => {
    expect(alternativesIn(listed)).toEqual([
      { definition: "UnchangedResult", discriminator: { key: "resultType", value: "not_modified" } },
    ]);
    expect(modelOf(listed).assumptions.map(({ kind: of }) => of)).not.toContain("alternative");
  });

  it.each([
    ["may be anything", {}],
    ["is one of a few strings", { enum: ["complete", "not_modified"] }],
    ["may be that very constant", { type: ["string", "null"] }],
  ])("is marked by it if the member of the plain result %s", (_, resultType) => {
    const CallResult = object({ resultType, etag: text }, ["resultType"]);
    expect(alternativesIn({ ...listed, CallResult })[0]!.discriminator).toEqual({
      key: "resultType",
      value: "not_modified",
    });
  });

  it("is marked by a constant that differs from the plain result's, if there is one", () => {
    const UnchangedResult = object({ a: { const: "x" }, kind: { const: "unchanged" } }, ["a", "kind"]);
    const CallResult = object({ a: text, kind: { const: "done" } }, ["kind"]);
    expect(alternativesIn({ ...listed, CallResult, UnchangedResult })[0]!.discriminator).toEqual({
      key: "kind",
      value: "unchanged",
    });
  });

  it("is not marked by a constant that the plain result also has", () => {
    const UnchangedResult = object({ resultType: { const: "complete" }, task: {} }, ["resultType", "task"]);
    const CallResult = object({ resultType: { const: "complete" } }, ["resultType"]);
    expect(alternativesIn({ ...listed, CallResult, UnchangedResult })[0]!.discriminator).toEqual({
      key: "task",
    });
  });
});

describe("a union of results with a name", () => {
  it("stands for its arms", () => {
    const model = {
      ...call,
      CallAnswer: anyOf("CallResult", "UnchangedResult"),
      CallResultResponse: response("CallAnswer"),
    };
    expect(methodOf(modelOf(model), "call").result).toMatchObject({
      definition: "CallResult",
      alternatives: [{ definition: "UnchangedResult" }],
    });
  });

  it("is the plain result if it has the name of one", () => {
    const model = {
      ...call,
      CallResult: anyOf("UnchangedResult", "AskingResult"),
      CallResultResponse: response("CallResult"),
    };
    expect(methodOf(modelOf(model), "call").result).toEqual({ definition: "CallResult", alternatives: [] });
  });
});

describe("alternatives of a note", () => {
  it("have a mark and a capability each, or else the note's defaults", () => {
    const alternatives = [
      { definition: "AskingResult", mark: { resultType: "asks" } },
      { definition: "UnchangedResult", capability: "/cache" },
      "PlainResult",
    ];
    const said = note({ alternatives, alternativeCapability: "/all" });
    expect(alternativesIn({ ...call, PlainResult: object({ own: {} }, ["own"]) }, [said])).toEqual([
      { definition: "AskingResult", discriminator: { key: "resultType", value: "asks" }, capability: "/all" },
      {
        definition: "UnchangedResult",
        discriminator: { key: "resultType", value: "not_modified" },
        capability: "/cache",
      },
      { definition: "PlainResult", discriminator: { key: "own" }, capability: "/all" },
    ]);
  });

  it("are refused if two have the same mark, because only the first would be recognised", () => {
    const said = note({
      alternatives: ["AskingResult", "UnchangedResult"],
      alternativeMark: { resultType: "asks" },
    });
    expect(built(call, [said]).problems).toEqual([
      expect.objectContaining({
        code: "MG1203",
        message: "AskingResult and UnchangedResult have the same mark",
      }),
    ]);
  });

  it("must be definitions of the schema", () => {
    const said = note({ alternatives: [{ definition: "GoneResult" }] });
    expect(built(call, [said]).problems).toEqual([
      expect.objectContaining({ code: "MG1202", target: "call" }),
    ]);
  });

  it("are reported as needless if the schema lists the same", () => {
    const listed = { ...call, CallResultResponse: response("CallResult", "UnchangedResult") };
    const said = note({ alternatives: [{ definition: "UnchangedResult" }] });
    expect(built(listed, [said]).problems).toEqual([expect.objectContaining({ code: "MG1203" })]);
  });
});

describe("a note that was written for another schema", () => {
  const carried = note({ alternatives: ["AskingResult"], alternativeMark: { resultType: "asks" } });
  const conflictsOf = (definitions: { [name: string]: JsonValue }, said: NoteText) =>
    modelOf(definitions, [said]).conflicts.map((conflict) => ({
      message: conflict.message,
      note: agreeingNote(conflict),
    }));
  const common = { reason: "", link: "" };

  it("conflicts with alternatives that the schema lists, and they are proposed", () => {
    const listed = {
      ...call,
      CallResultResponse: response("CallResult", "AskingResult", "UnchangedResult"),
    };
    const agreeing = {
      ...{ kind: "pairing", target: "call", result: "CallResult" },
      alternatives: [{ definition: "AskingResult", mark: { resultType: "asks" } }, "UnchangedResult"],
      ...common,
    };
    expect(conflictsOf(listed, carried)).toEqual([
      {
        message: "among what answers it, the schema has UnchangedResult, which the note leaves out",
        note: agreeing,
      },
    ]);
    const { target, ...fields } = agreeing;
    const model = modelOf(listed, [{ ...fields, targets: [target] } as unknown as NoteText]);
    expect(model.conflicts).toEqual([]);
    expect(methodOf(model, "call").result!.alternatives).toHaveLength(2);
  });

  it("conflicts if it names an alternative that the schema no longer lists", () => {
    const listed = { ...call, CallResultResponse: response("CallResult") };
    expect(conflictsOf(listed, carried)).toEqual([
      {
        message: "among what answers it, the schema does not list AskingResult",
        note: {
          ...{ kind: "pairing", target: "call", result: "CallResult", alternatives: [] },
          ...common,
        },
      },
    ]);
  });

  it("conflicts with another plain result in the schema", () => {
    const { CallResult, ...others } = call;
    const said = note({ result: "AskingResult" });
    expect(conflictsOf(others, said)).toEqual([]);
    expect(conflictsOf({ ...others, CallResult }, said)).toEqual([
      {
        message: "among what answers it, the schema has CallResult, which the note leaves out",
        note: {
          ...{ kind: "pairing", target: "call", result: "CallResult", alternatives: [] },
          ...common,
        },
      },
    ]);
  });

  it("conflicts with another mark of an alternative in the schema", () => {
    const { AskingResult } = call;
    const marked = structuredClone(AskingResult) as { properties: { [name: string]: JsonValue } };
    marked.properties = { ...marked.properties, resultType: { const: "input" } };
    const agreeing = { ...note({ alternatives: ["AskingResult"] }) };
    expect(conflictsOf({ ...call, AskingResult: marked as never }, carried)).toMatchObject([
      {
        message: 'among what answers it, AskingResult is never marked by {"resultType":"asks"}',
        note: { result: "CallResult", alternatives: ["AskingResult"] },
      },
    ]);
    const model = modelOf({ ...call, AskingResult: marked as never }, [agreeing as never]);
    expect(methodOf(model, "call").result!.alternatives).toMatchObject([
      { definition: "AskingResult", discriminator: { key: "resultType", value: "input" } },
    ]);
  });

  it("does not conflict if the schema lists no alternatives, because it completes them", () => {
    expect(conflictsOf(call, carried)).toEqual([]);
  });
});
