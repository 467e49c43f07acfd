import { type JsonValue, type Schema, isJsonObject } from "@mcpgen/engine";
import type { Method, ProtocolModel } from "../../model/model.js";
import { minimallyInvalid } from "../../sample/invalid.js";
import { randomFrom } from "../../sample/random.js";
import { minimalValid, sampleValid } from "../../sample/sample.js";
import type { Emitter, ModelInput } from "../emitter.js";

/** A message, and whether the definition takes it. */
interface Vector {
  readonly definition: string;
  /** The method of a message. */
  readonly method?: string;
  /** The methods that a result answers. */
  readonly answers?: readonly string[];
  readonly valid: boolean;
  /** Where an invalid message is wrong, and what was done there. */
  readonly pointer?: string;
  readonly why?: string;
  readonly message: JsonValue;
}

const invalidEach = 3;

/**
 * `vectors.json`: valid and minimally invalid messages of each method, and results. Drawn from a stream of
 * random numbers of each definition's own, so that a change of one leaves the others as they are.
 */
export const emitVectors: Emitter<ModelInput> = ({ model, folder }) => {
  const vectors = [...messageVectors(model), ...resultVectors(model)];
  const lines = vectors.map((vector) => `    ${jsonLine(vector)}`).join(",\n");
  const list = vectors.length === 0 ? "[]" : `[\n${lines}\n  ]`;
  const content = `{\n  "format": 1,\n  "revision": ${JSON.stringify(model.revision)},\n  "vectors": ${list}\n}\n`;
  // One vector a line reads best in a diff; prettier would spread each over many.
  return new Map([[`${folder}/vectors.json`, { content, formatted: true }]]);
};

function messageVectors({ methods, schema }: ProtocolModel): Vector[] {
  return methods.flatMap((method) =>
    vectorsOf(schema, method.message, { method: method.name }, (value) => enveloped(value, method)),
  );
}

function resultVectors({ methods, schema }: ProtocolModel): Vector[] {
  const answers = new Map<string, string[]>();
  for (const { name, result } of methods) {
    const definitions = [result?.definition, ...(result?.alternatives ?? []).map((arm) => arm.definition)];
    for (const definition of definitions.filter((one) => one !== undefined)) {
      const answered = answers.get(definition);
      if (answered) answered.push(name);
      else answers.set(definition, [name]);
    }
  }
  return [...answers].flatMap(([definition, names]) =>
    vectorsOf(schema, definition, { answers: names }, (value) => value),
  );
}

function vectorsOf(
  schema: Schema,
  definition: string,
  about: Pick<Vector, "method" | "answers">,
  complete: (value: JsonValue) => JsonValue,
): Vector[] {
  const valid = [
    minimalValid(schema, definition),
    sampleValid(schema, definition, randomFrom(`${definition}: vectors`)),
  ].filter((value) => value !== undefined);
  const vectors: Vector[] = [
    ...valid.map((value) => ({ definition, ...about, valid: true, message: complete(value) })),
    ...minimallyInvalid(schema, definition, invalidEach).map(({ value, pointer, change }) => ({
      definition,
      ...about,
      valid: false,
      pointer,
      why: change,
      message: complete(value),
    })),
  ];
  return [...new Map(vectors.map((vector) => [JSON.stringify(vector.message), vector])).values()];
}

/** The whole message on the wire, where the definition describes only `method` and `params`. */
function enveloped(value: JsonValue, { envelope, payload, kind }: Method): JsonValue {
  if (envelope || payload || !isJsonObject(value)) return value;
  return { jsonrpc: "2.0", ...(kind === "request" && { id: 1 }), ...value };
}

/** Characters that would hide or reorder others where the file is read; in JSON only strings can hold them. */
const unprintable = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function jsonLine(value: object): string {
  return JSON.stringify(value).replace(
    unprintable,
    (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}
