import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import { followed, membersOf, typeText } from "../list/type-text.js";
import type { Pair } from "./pairs.js";

/** The schema of an object of arguments, for messages and for types. */
interface Target {
  /** A JSON Schema of an object. */
  readonly schema: JsonValue;
  /** The name of the whole in messages, e.g. `the tool "greet"`. */
  readonly owner: string;
  /** Shown where something is missing. */
  readonly signature: string;
}

/**
 * The object that pairs make, each value of the type that the schema gives its place. A dot leads into an object, unless
 * a member has a dot in its name; a list is made of pairs with one key.
 *
 * @param given what pairs are added to
 * @throws CodedError MG6309 for a key that is not there, a value of another type, and a required one that is missing
 */
export function typedArguments(pairs: readonly Pair[], target: Target, given: JsonObject = {}): JsonObject {
  const result = structuredClone(given);
  const written = new Set<string>();
  for (const pair of pairs) put(result, pair, target, written);
  const root = followed(target.schema, target.schema);
  const missing = isJsonObject(root)
    ? membersOf(root).filter(({ name, isRequired }) => isRequired && !Object.hasOwn(result, name))
    : [];
  if (missing.length > 0) {
    const names = missing.map(({ name }) => JSON.stringify(name)).join(", ");
    throw new CodedError("MG6309", `${target.owner} lacks ${names}`, {
      next: `It takes ${oneLine(target.signature)}.`,
    });
  }
  return result;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}

function put(result: JsonObject, pair: Pair, target: Target, written: Set<string>): void {
  const { schema: root } = target;
  let holder = result;
  let schema: JsonValue | undefined = followed(root, root);
  let rest = pair.key;
  for (;;) {
    const { name, left } = nextMember(rest, schema);
    const member = memberSchema(schema, name, root);
    if (member === undefined) throw unknownKey(name, pair, schema, target);
    if (left === undefined) return set(holder, name, pair, member, target, written);
    const inner = Object.hasOwn(holder, name) ? holder[name] : {};
    if (!isJsonObject(inner!)) throw wrongValue(pair, "an object", target);
    own(holder, name, inner);
    [holder, schema, rest] = [inner, followed(member, root), left];
  }
}

/** A member's name may hold dots itself. */
function nextMember(key: string, schema: JsonValue | undefined): { name: string; left: string | undefined } {
  const names =
    isJsonObject(schema!) && isJsonObject(schema["properties"]!) ? Object.keys(schema["properties"]) : [];
  if (names.includes(key) || !key.includes(".")) return { name: key, left: undefined };
  const longestPrefix = names
    .filter((name) => key.startsWith(`${name}.`))
    .sort((a, b) => b.length - a.length)[0];
  const name = longestPrefix ?? key.slice(0, key.indexOf("."));
  return { name, left: key.slice(name.length + 1) };
}

/** The schema of a member; undefined where the object's schema has no place for it. */
function memberSchema(schema: JsonValue | undefined, name: string, root: JsonValue): JsonValue | undefined {
  if (!isJsonObject(schema!)) return true;
  for (const part of partsOf(schema, root)) {
    const { properties } = part;
    if (isJsonObject(properties!) && Object.hasOwn(properties, name)) return properties[name];
  }
  const types = typesIn(schema, root);
  if (types.size > 0 && !types.has("object")) return undefined;
  const { properties, additionalProperties, patternProperties } = schema;
  if (isJsonObject(additionalProperties!) || additionalProperties === true) return additionalProperties;
  const isOpen = properties === undefined && additionalProperties === undefined;
  return isOpen || patternProperties !== undefined ? true : undefined;
}

/** Names of types that a schema, or one that it is composed of, gives. */
function typesIn(schema: JsonObject, root: JsonValue): Set<string> {
  return new Set(partsOf(schema, root).flatMap(typesOf));
}

/** Schemas that one is composed of, at most: references may multiply what a server sends. */
const mostParts = 300;

/** A schema and those that it is composed of, the outer ones first. */
function partsOf(schema: JsonObject, root: JsonValue): JsonObject[] {
  const parts = new Set([schema]);
  for (const part of parts)
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const list = part[keyword];
      for (const each of Array.isArray(list) ? list.slice(0, mostParts) : []) {
        const inner = followed(each, root);
        if (isJsonObject(inner!) && parts.size < mostParts) parts.add(inner);
      }
    }
  return [...parts];
}

function set(
  holder: JsonObject,
  name: string,
  pair: Pair,
  schema: JsonValue,
  target: Target,
  written: Set<string>,
): void {
  if (pair.json !== undefined) return own(holder, name, pair.json);
  const value = valueOf(pair, schema, target);
  const isAgain = written.has(pair.key);
  written.add(pair.key);
  if (!isAgain) return own(holder, name, value);
  if (!Array.isArray(value))
    throw new CodedError(
      "MG6309",
      `${target.owner}: ${JSON.stringify(pair.key)} is given twice, but is not an array`,
      {
        next: "Give it once.",
      },
    );
  (holder[name] as JsonValue[]).push(...value);
}

/** `__proto__` is a name like any other. */
function own(holder: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The value that a text is at a place: a text where one may stand there, else what it can be read as. */
function valueOf(pair: Pair, schema: JsonValue, target: Target): JsonValue {
  const root = target.schema;
  const { text } = pair;
  const node = followed(schema, root);
  const parts = isJsonObject(node!) ? partsOf(node, root) : [];
  const choices = parts.flatMap(({ enum: values, const: only }) => [
    ...(Array.isArray(values) ? values : []),
    ...(only === undefined ? [] : [only]),
  ]);
  const types = new Set(parts.flatMap(typesOf));
  const choice = choices.find(
    (value) => (typeof value === "string" ? value : JSON.stringify(value)) === text,
  );
  if (choice !== undefined) return choice;
  if (choices.length > 0 && types.size === 0) throw wrongValue(pair, typeText(schema, root), target);
  if (types.size === 0 || types.has("string")) return text;
  const read = readAs(text, types);
  if (read !== undefined) return read;
  const list = types.has("array") ? parts.find((part) => typesOf(part).includes("array")) : undefined;
  if (list !== undefined) return [valueOf(pair, list["items"] ?? true, target)];
  throw wrongValue(pair, typeText(schema, root), target);
}

function typesOf({ type, properties, items }: JsonObject): string[] {
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  return [...(properties === undefined ? [] : ["object"]), ...(items === undefined ? [] : ["array"])];
}

/** Numbers, booleans, null, and objects as JSON writes them; undefined where the text is none that is allowed. */
function readAs(text: string, types: ReadonlySet<string>): JsonValue | undefined {
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
    const number = Number(text);
    const fits = types.has("number") || (types.has("integer") && Number.isInteger(number));
    if (fits && Number.isFinite(number)) return number;
  }
  if ((text === "true" || text === "false") && types.has("boolean")) return text === "true";
  if (text === "null" && types.has("null")) return null;
  if (!text.startsWith("{") || !types.has("object")) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function wrongValue({ word, key }: Pair, expected: string, { owner }: Target): CodedError {
  return new CodedError(
    "MG6309",
    `${owner}: expected ${JSON.stringify(key)} to be ${expected}, got ${JSON.stringify(word)}`,
    {
      next:
        expected.startsWith("{") || expected === "object" || expected === "an object"
          ? `Give its members, ${key}.NAME=VALUE, or JSON: '${key}:={…}'.`
          : `Correct the value; ${key}:=JSON passes any JSON value.`,
    },
  );
}

function unknownKey(
  name: string,
  { word }: Pair,
  schema: JsonValue | undefined,
  { owner, signature }: Target,
): CodedError {
  const names = isJsonObject(schema!) ? membersOf(schema).map((member) => member.name) : [];
  const suggestion = closest(name, names);
  return new CodedError(
    "MG6309",
    `${owner} has no argument ${JSON.stringify(name)}, got ${JSON.stringify(word)}`,
    {
      next:
        suggestion === undefined
          ? names.length === 0
            ? "The schema has no members there; --args passes any value."
            : `It takes ${oneLine(signature)}.`
          : `Did you mean ${suggestion}?`,
    },
  );
}
