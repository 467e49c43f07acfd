import type { JsonValue } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { describe, expect, it } from "vitest";
import { loadTemplates } from "../../../generator/emit/templates.js";
import { emitVectors } from "../../../generator/emit/vectors/emit.js";
import type { ProtocolModel } from "../../../generator/model/model.js";
import { message, object, releasedModel, revisions } from "../../model/models.js";
import { tinyModel } from "../protocol/tiny.js";

interface Vector {
  readonly definition: string;
  readonly method?: string;
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

  it("are what they claim to be", () => {
    for (const { definition, valid, message } of vectors) {
      const { node } = model.schema.definitions.get(definition)!;
      expect(isValid(model.schema, node, message), JSON.stringify({ definition, message })).toBe(valid);
    }
  });

  it("hold a valid and an invalid message of each method and result", () => {
    const results = model.methods.flatMap(({ result }) => [
      result?.definition,
      ...(result?.alternatives ?? []).map((arm) => arm.definition),
    ]);
    const definitions = [
      ...model.methods.map((method) => method.message),
      ...results.filter((name) => name !== undefined),
    ];
    for (const definition of definitions) {
      const verdicts = vectors.filter((vector) => vector.definition === definition).map(({ valid }) => valid);
      expect(verdicts, definition).toEqual(expect.arrayContaining([true, false]));
    }
  });

  it("are whole messages, as they travel", () => {
    for (const { method, valid, message } of vectors) {
      const known = model.methods.find(({ name }) => name === method);
      if (!valid || !known || known.payload) continue;
      expect(message).toMatchObject({ jsonrpc: "2.0", method });
      expect(Object.hasOwn(message as object, "id")).toBe(known.kind === "request");
    }
  });
});

describe("vectors", () => {
  it("of one definition do not depend on others", () => {
    const before = vectorsText(tinyModel()).split("\n");
    const after = new Set(
      vectorsText(tinyModel({ AWaveRequest: message("a/wave"), AWaveResult: object({}) })).split("\n"),
    );
    // The last line of a list has no comma after it.
    expect(before.filter((line) => !after.has(line) && !after.has(`${line},`))).toEqual([]);
  });
});
