// Reads schemas as output contains them: a JSON text for each definition.
import { referencedPointer } from "../ir/fragment.js";
import type { Definition, Matcher, Schema, SchemaNode } from "../ir/ir.js";
import { type JsonObject, type JsonValue, pointerTokens } from "../ir/json.js";
import { Explainer } from "./explain.js";
import type { OpenNode } from "./facts.js";
import type { Issue } from "./search.js";

export { type Issue, summary } from "./search.js";

/**
 * A schema in output. Each definition has a JSON text, its exact validator, and its open validator if that differs. The
 * text has the assertions of the schema, and `x-open` in nodes whose open reading accepts more.
 */
export type Written = readonly (readonly [definition: string, schema: string, is: Judge, accepts?: Judge])[];

/** Checks of formats and patterns that the platform's regular expressions cannot check safely. */
export interface Texts {
  readonly formats?: ReadonlyMap<string, (text: string) => boolean>;
  readonly matcher?: (pattern: string) => Matcher;
}

/** Returns the issues of a value by a definition, in the exact or the open reading. */
export type Explain = (value: unknown, reading?: "open") => Issue[];

type Judge = (value: unknown) => boolean;

/** Explains the values that the definitions of a schema refuse. */
export interface Explanations {
  /** Returns the `Explain` of a definition. */
  readonly explains: (definition: string) => Explain;
  /** Returns the issues of a value that this validator refuses; none if it is not a validator of the schema. */
  readonly issuesOf: (judge: Judge, value: unknown) => Issue[];
}

/** Returns the explanations of a schema. Reads the schema when the first value is explained. */
export function explanationsOf(written: Written, texts: Texts = {}): Explanations {
  const validators = new Map(written.map(([name, , is, accepts = is]) => [name, { is, accepts }]));
  let explainer: Explainer | undefined;
  const explains: Explanations["explains"] = (definition) => (value, reading) => {
    explainer ??= new Explainer(readWritten(written), {
      ...texts,
      judge: (name, part, open) => validators.get(name)![open ? "accepts" : "is"](part),
    });
    return explainer.issues({ pointer: "", ref: definition }, value, reading);
  };
  return {
    explains,
    issuesOf: (judge, value) => {
      for (const [name, , is, accepts = is] of written) {
        if (judge === accepts) return explains(name)(value, "open");
        if (judge === is) return explains(name)(value);
      }
      return [];
    },
  };
}

/** Reads a schema in output without checking it again. */
export function readWritten(written: Written): Schema {
  const definitions = new Map<string, Definition>();
  for (const [name, text] of written)
    definitions.set(name, { name, node: readNode(JSON.parse(text) as JsonValue) });
  return { definitions };
}

type KeywordReader = (value: JsonValue) => unknown;

/** Keywords that have another name in a node. */
const renamed: ReadonlyMap<string, string> = new Map<string, keyof OpenNode>([
  ["type", "types"],
  ["$ref", "ref"],
  ["x-open", "opening"],
]);

/** Keywords whose value has another form in a node. */
const readers: ReadonlyMap<string, KeywordReader> = new Map<string, KeywordReader>([
  ["type", (value) => (Array.isArray(value) ? value : [value])],
  ["const", (value) => ({ value })],
  ["$ref", (value) => pointerTokens(referencedPointer(String(value)))[1]],
  ["dependentRequired", (value) => mapOf(value, (names) => names)],
  ...namedReaders(["properties", "patternProperties", "dependentSchemas"], (value) => mapOf(value, readNode)),
  ...namedReaders(["allOf", "anyOf", "oneOf", "prefixItems"], (value) =>
    (value as JsonValue[]).map(readNode),
  ),
  ...namedReaders(["not", "if", "then", "else", "items", "contains", "propertyNames"], readNode),
  ...namedReaders(["additionalProperties", "unevaluatedProperties", "unevaluatedItems"], readNode),
]);

function namedReaders(
  names: readonly (keyof SchemaNode)[],
  read: KeywordReader,
): (readonly [string, KeywordReader])[] {
  return names.map((name) => [name, read]);
}

function readNode(value: JsonValue): SchemaNode {
  if (typeof value === "boolean") return { pointer: "", ...(value ? { always: true } : { never: true }) };
  const members = Object.entries(value as JsonObject).map(([keyword, content]) => [
    renamed.get(keyword) ?? keyword,
    readers.get(keyword)?.(content) ?? content,
  ]);
  return { pointer: "", ...(Object.fromEntries(members) as object) };
}

function mapOf(value: JsonValue, read: KeywordReader): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value as JsonObject).map(([key, member]) => [key, read(member)]));
}
