import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import { membersOf, typeText } from "../list/type-text.js";
import {
  ArgumentPlaces,
  type GivenValue,
  constantsOf,
  givenJson,
  givenText,
  isWritten,
  memberSchemas,
  nextMember,
  typesOf,
} from "./argument-places.js";
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
 * a member has a dot in its name; a list is made of pairs with one key. Of a union, the arms count whose constants fit all that is
 * given, else all.
 *
 * @param given what pairs are added to
 * @throws CodedError MG6309 for a key that is not there, a value of another type, and a required one that is missing
 */
export function typedArguments(pairs: readonly Pair[], target: Target, given: JsonObject = {}): JsonObject {
  const result = structuredClone(given);
  const places = new ArgumentPlaces(target.schema);
  const written = new Set<string>();
  const values = pairs.map(({ key, text, json }) =>
    json === undefined ? givenText(key, text) : givenJson(key, json),
  );
  const keys = pairs.flatMap(({ key, json }) => (json === undefined ? [key] : []));
  const repeated = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  for (const pair of pairs) put(result, pair, values, { ...target, places, written, repeated });
  const missing = requiredNames(target.schema, places).filter((name) => !Object.hasOwn(result, name));
  if (missing.length > 0) {
    const names = missing.map((name) => JSON.stringify(name)).join(", ");
    throw new CodedError("MG6309", `${target.owner} lacks ${names}`, {
      next: `It takes ${oneLine(target.signature)}.`,
    });
  }
  return result;
}

/** Names that every value of a schema has. */
function requiredNames(schema: JsonValue, places: ArgumentPlaces): string[] {
  const [outer] = places.parts(schema);
  const all = outer === undefined ? [] : [outer, ...(Array.isArray(outer["allOf"]) ? outer["allOf"] : [])];
  const names = all.flatMap((part) =>
    isJsonObject(part) && Array.isArray(part["required"]) ? part["required"] : [],
  );
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

/** Where values are put, and which keys have a text before this one, or several in all. */
interface Writing extends Target {
  readonly places: ArgumentPlaces;
  readonly written: Set<string>;
  readonly repeated: ReadonlySet<string>;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}

function put(result: JsonObject, pair: Pair, values: readonly GivenValue[], writing: Writing): void {
  let holder = result;
  let schemas: readonly JsonValue[] = [writing.schema];
  let given = values;
  let rest = pair.key;
  for (;;) {
    const parts = writing.places.partsFor(schemas, [...given, ...othersIn(holder, given)]);
    const { name, left } = nextMember(rest, parts);
    const members = memberSchemas(parts, name);
    if (members.length === 0) throw unknownKey(name, pair, parts, writing);
    if (left === undefined) return set(holder, name, pair, oneOf(members), writing);
    const inner = Object.hasOwn(holder, name) ? holder[name] : {};
    if (!isJsonObject(inner!)) throw wrongValue(pair, "an object", writing);
    own(holder, name, inner);
    given = given.flatMap((value) => {
      const next = nextMember(value.key, parts);
      return next.name === name && next.left !== undefined ? [{ ...value, key: next.left }] : [];
    });
    [holder, schemas, rest] = [inner, members, left];
  }
}

/** Members of an object that no key is about. */
function othersIn(holder: JsonObject, given: readonly GivenValue[]): GivenValue[] {
  return Object.entries(holder)
    .filter(([name]) => !given.some(({ key }) => key === name || key.startsWith(`${name}.`)))
    .map(([name, value]) => givenJson(name, value!, true));
}

/** Several schemas that a place may have as one. */
function oneOf(schemas: readonly JsonValue[]): JsonValue {
  return schemas.length === 1 ? schemas[0]! : { anyOf: [...schemas] };
}

function set(holder: JsonObject, name: string, pair: Pair, schema: JsonValue, writing: Writing): void {
  const { owner, written, repeated, places } = writing;
  if (pair.json !== undefined) return own(holder, name, pair.json);
  if (!repeated.has(pair.key)) return own(holder, name, valueOf(pair, schema, writing));
  const item = itemOf(pair, places.parts(schema), writing);
  if (item === undefined)
    throw new CodedError(
      "MG6309",
      `${owner}: ${JSON.stringify(pair.key)} is given twice, but is not an array`,
      {
        next: "Give it once.",
      },
    );
  const list = written.has(pair.key) ? holder[name] : undefined;
  if (Array.isArray(list)) return void list.push(item);
  written.add(pair.key);
  own(holder, name, [item]);
}

/** `__proto__` is a name like any other. */
function own(holder: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The value that a text is at a place: a text where one may stand there, else what it can be read as. */
function valueOf(pair: Pair, schema: JsonValue, writing: Writing): JsonValue {
  const { text } = pair;
  const parts = writing.places.parts(schema);
  const choices = parts.flatMap(constantsOf);
  const types = new Set(parts.flatMap(typesOf));
  const choice = choices.find((value) => isWritten(value, text));
  if (choice !== undefined) return choice;
  if (choices.length > 0 && types.size === 0)
    throw wrongValue(pair, typeText(schema, writing.schema), writing);
  if (types.size === 0 || types.has("string")) return text;
  const read = readAs(text, types);
  if (read !== undefined) return read;
  const item = itemOf(pair, parts, writing);
  if (item !== undefined) return [item];
  throw wrongValue(pair, typeText(schema, writing.schema), writing);
}

/** The value that a text is as an item of a list; `undefined` where no list may stand. */
function itemOf(pair: Pair, parts: readonly JsonObject[], writing: Writing): JsonValue | undefined {
  const lists = parts.filter((part) => typesOf(part).includes("array"));
  if (lists.length === 0) return undefined;
  return valueOf(pair, oneOf(lists.map(({ items }) => items ?? true)), writing);
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
  parts: readonly JsonObject[],
  { owner, signature }: Target,
): CodedError {
  const names = parts.flatMap(membersOf).map((member) => member.name);
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
