import { type JsonValue, isJsonObject, naturalCompare } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Method, type ProtocolModel, answersOf, receivers } from "../../../model/model.js";
import { minimallyInvalid } from "../../../sample/invalid.js";
import { randomFrom } from "../../../sample/values.js";
import { minimalValid, sampleValid } from "../../../sample/sample.js";
import { type Emitter, type ExtensionInput, type ModelInput, isOfExtension, localNames } from "../emitter.js";
import { capitalised, escapeUnprintable } from "../../../print/text.js";

/** A test message, and whether its definition accepts it. */
export interface Vector {
  /** The definition's name in code; its validator is `is` followed by this name. */
  readonly validator: string;
  /** The method of the message. */
  readonly method?: string;
  /** The methods that the result belongs to. */
  readonly answers?: readonly string[];
  /** The roles that may send the message. */
  readonly from: readonly string[];
  readonly valid: boolean;
  /** For an invalid message: the place of the fault, and the change that caused it. */
  readonly pointer?: string;
  readonly why?: string;
  readonly message: JsonValue;
}

type About = Pick<Vector, "validator" | "method" | "answers" | "from">;

const invalidEach = 3;

/**
 * Emits `vectors.json`: valid and minimally invalid messages of each method, and results. The samples of each
 * definition use a separate random sequence, so that changing one definition does not affect the others.
 */
export const emitVectors: Emitter<ModelInput> = ({ folder, ...input }) => {
  const vectors = vectorsOfModel(input);
  const lines = vectors.map((vector) => `    ${escapeUnprintable(JSON.stringify(vector))}`).join(",\n");
  const list = vectors.length === 0 ? "[]" : `[\n${lines}\n  ]`;
  const content = `{\n  "format": 1,\n  "revision": ${JSON.stringify(input.model.revision)},\n  "vectors": ${list}\n}\n`;
  // One vector per line is best for diffs; prettier would spread each over many lines.
  return new Map([[`${folder}/vectors.json`, { content, formatted: true }]]);
};

/** A method, with its sending and receiving roles. */
interface Travelling {
  readonly method: Method;
  readonly senders: readonly string[];
  readonly receivers: readonly string[];
}

/** The vectors as values. */
export function vectorsOfModel(input: Pick<ModelInput, "model" | "imported">): Vector[] {
  const { model, imported } = input;
  const identifiers = localNames(model.schema, imported);
  const names: Names = (definition) => capitalised(identifiers.get(definition)!);
  const isOwn = (definition: string): boolean => !imported?.identifiers.has(definition);
  const between = model.methods.map((method) => ({
    ...{ method, senders: method.senders, receivers: receivers(method) },
  }));
  const travelling = [...between, ...(isOfExtension(input) ? onChannel(input) : [])];
  return [...messageVectors(model, travelling, names), ...resultVectors(model, travelling, names, isOwn)];
}

/** The messages on an extension's channel. */
function onChannel({ model, imported }: Pick<ExtensionInput, "model" | "imported">): Iterable<Travelling> {
  const travelling = new Map<string, Travelling>();
  for (const { method, sender, receiver } of model.channel?.messages ?? []) {
    if (imported.identifiers.has(method.message)) continue;
    const { senders, receivers: heard } = travelling.get(method.name) ?? { senders: [], receivers: [] };
    travelling.set(method.name, { method, senders: [...senders, sender], receivers: [...heard, receiver] });
  }
  return travelling.values();
}

type Names = (definition: string) => string;

function messageVectors(model: ProtocolModel, travelling: readonly Travelling[], names: Names): Vector[] {
  return travelling.flatMap(({ method, senders: from }) => {
    const { name, message } = method;
    const about = { validator: names(message), method: name, from };
    return vectorsOf(model, message, about, (value) => enveloped(value, method));
  });
}

function resultVectors(
  model: ProtocolModel,
  travelling: readonly Travelling[],
  names: Names,
  isOwn: (definition: string) => boolean,
): Vector[] {
  const answered = new Map<string, Travelling[]>();
  for (const method of travelling) {
    for (const definition of answersOf(method.method)) {
      if (!isOwn(definition)) continue;
      const methods = answered.get(definition);
      if (methods) methods.push(method);
      else answered.set(definition, [method]);
    }
  }
  return [...answered].flatMap(([definition, methods]) => {
    const from = [...new Set(methods.flatMap((one) => one.receivers))].sort(naturalCompare);
    const about = { validator: names(definition), answers: methods.map(({ method }) => method.name), from };
    return vectorsOf(model, definition, about, (value) => value);
  });
}

function vectorsOf(
  { schema }: ProtocolModel,
  definition: string,
  about: About,
  complete: (value: JsonValue) => JsonValue,
): Vector[] {
  const valid = [
    minimalValid(schema, definition),
    sampleValid(schema, definition, randomFrom(`${definition}: vectors`)),
  ].filter((value) => value !== undefined);
  const samples = [
    ...valid.map((value) => ({ value, valid: true })),
    ...minimallyInvalid(schema, definition, invalidEach).map(({ value, pointer, change }) => ({
      value,
      valid: false,
      pointer,
      why: change,
    })),
  ];
  const { node } = schema.definitions.get(definition)!;
  const vectors = samples.flatMap(({ value, ...claim }): Vector[] => {
    const readable = wellFormed(value);
    if (isValid(schema, node, readable) !== claim.valid) return [];
    return [{ ...about, ...claim, message: complete(readable) }];
  });
  return [...new Map(vectors.map((vector) => [JSON.stringify(vector.message), vector])).values()];
}

/** `value` without lone surrogates, which strict JSON parsers reject. */
function wellFormed(value: JsonValue): JsonValue {
  // JSON.stringify escapes lone surrogates; a backslash that was in the text appears doubled.
  const text = JSON.stringify(value).replace(/\\(?:ud[89a-f]..|.)/g, (escape) =>
    escape.startsWith("\\ud") ? "\ufffd" : escape,
  );
  return JSON.parse(text) as JsonValue;
}

/** The complete message as sent, if the definition describes only `method` and `params`. */
function enveloped(value: JsonValue, { envelope, payload, kind }: Method): JsonValue {
  if (envelope || payload || !isJsonObject(value)) return value;
  return { jsonrpc: "2.0", ...(kind === "request" && { id: 1 }), ...value };
}
