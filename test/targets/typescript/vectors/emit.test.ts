import type { JsonValue } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { describe, expect, it } from "vitest";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { emitVectors } from "../../../../generator/targets/typescript/vectors/emit.js";
import { type ProtocolModel, type Role, answersOf } from "../../../../generator/model/model.js";
import { type NoteText, anyOf, message, modelOf, object, releasedModel } from "../../../support/models.js";
import { tinyModel } from "../protocol/tiny.js";
import { revisions } from "../../../support/revisions.js";

interface Vector {
  readonly validator: string;
  readonly method?: string;
  readonly answers?: readonly string[];
  readonly from: readonly Role[];
  readonly valid: boolean;
  readonly message: JsonValue;
}

const render = loadTemplates();

function vectorsText(model: ProtocolModel): string {
  const surroundings = { folder: "", origin: "", importExtension: "js" as const, render };
  return emitVectors({ ...surroundings, model }).get("/vectors.json")!.content;
}

function vectorsOf(model: ProtocolModel): readonly Vector[] {
  return (JSON.parse(vectorsText(model)) as { vectors: readonly Vector[] }).vectors;
}

describe.each(revisions)("the vectors of %s", async (revision) => {
  const model = await releasedModel(revision);
  const vectors = vectorsOf(model);

  it("have correct verdicts", () => {
    for (const { validator, valid, message } of vectors) {
      const { node } = model.schema.definitions.get(validator)!;
      expect(isValid(model.schema, node, message), JSON.stringify({ validator, message })).toBe(valid);
    }
  });

  it("contain a valid and an invalid message of each method and result", () => {
    const definitions = model.methods.flatMap((method) => [method.message, ...answersOf(method)]);
    for (const definition of definitions) {
      const verdicts = vectors.filter(({ validator }) => validator === definition).map(({ valid }) => valid);
      expect(verdicts, definition).toEqual(expect.arrayContaining([true, false]));
    }
  });

  it("are whole messages", () => {
    for (const { method, valid, message } of vectors) {
      const known = model.methods.find(({ name }) => name === method);
      if (!valid || !known || known.payload) continue;
      expect(message).toMatchObject({ jsonrpc: "2.0", method });
      expect(Object.hasOwn(message as object, "id")).toBe(known.kind === "request");
    }
  });
});

describe("vectors", () => {
  it("name their validator, whatever the name of their definition", () => {
    const odd = { ClientRequest: anyOf("wave-request"), "wave-request": message("wave"), waved: object({}) };
    const notes: NoteText[] = [{ kind: "pairing", targets: ["wave"], result: "waved" }];
    const vectors = vectorsOf(modelOf(odd, notes));
    const said = vectors.map(({ validator, method, answers, from }) => ({
      validator,
      method,
      answers,
      from,
    }));
    expect(said).toContainEqual({ validator: "WaveRequest", method: "wave", from: ["client"] });
    expect(said).toContainEqual({ validator: "Waved", answers: ["wave"], from: ["server"] });
  });

  it("can be read by strict readers of JSON", () => {
    const awkward = Array.from({ length: 40 }, (_, index) =>
      message(`m/${index}`, { text: { type: "string" } }),
    );
    const definitions = Object.fromEntries(awkward.map((node, index) => [`M${index}Request`, node]));
    const halves = /\\ud[89a-f]|\p{Surrogate}/iu;
    expect(vectorsText(modelOf({ ...definitions, "\ud800": object({}), Result: object({}) }))).not.toMatch(
      halves,
    );
  });

  it("of one definition do not depend on others", () => {
    const before = vectorsText(tinyModel()).split("\n");
    const after = new Set(
      vectorsText(tinyModel({ AWaveRequest: message("a/wave"), AWaveResult: object({}) })).split("\n"),
    );
    // The last line of a list has no comma after it.
    expect(before.filter((line) => !after.has(line) && !after.has(`${line},`))).toEqual([]);
  });
});
