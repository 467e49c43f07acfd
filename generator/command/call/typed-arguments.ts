import { type JsonObject, type JsonValue, isJsonObject, canonicalText } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import { membersOf, typeText, followed } from "../signature.js";
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

/** A value that is given somewhere below an object. */
interface GivenValue {
  /** Where: the rest of its key, in which dots may lead further. */
  readonly key: string;
  /** Whether the key is the name of a member as it stands. */
  readonly isName: boolean;
  /** Whether the value is one of several. */
  readonly isOneOf: (values: readonly JsonValue[]) => boolean;
}

/** A text given as a value: its type is still open. */
function givenText(key: string, text: string): GivenValue {
  return { key, isName: false, isOneOf: (values) => values.some((value) => isWritten(value, text)) };
}

/** A JSON value given as such. */
function givenJson(key: string, json: JsonValue, isName = false): GivenValue {
  const written = canonicalText(json);
  return { key, isName, isOneOf: (values) => values.some((value) => canonicalText(value) === written) };
}

/** Whether a text of a command line stands for a value. */
function isWritten(value: JsonValue, text: string): boolean {
  return (typeof value === "string" ? value : JSON.stringify(value)) === text;
}

/** Schemas that one is composed of, at most: references may multiply what a server sends. */
const maxParts = 300;

/** Unions inside of unions whose arms are chosen. */
const maxDepth = 6;

/** Arms that are looked at, over all keys: beyond it, unions count with all their arms. */
const maxArms = 20_000;

/** How well an arm of a union fits what is given: not, in its constants, or also in its names. */
type Fit = 0 | 1 | 2;

/** The schema of the arguments, read for keys that lead into it. */
class ArgumentPlaces {
  readonly #root: JsonValue;
  #arms = maxArms;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  /** The schema and those that it is composed of, the outer ones first: of unions all arms. */
  parts(schema: JsonValue): JsonObject[] {
    return this.#parts([schema], [], maxDepth);
  }

  /**
   * The same, of several schemas that one place may have, for an object with values: of each union the arms that these fit. An arm
   * fits if each of its constants is the value that is given for it; before others come arms that have a place for every value.
   * Where no arm fits, all are taken.
   */
  partsFor(schemas: readonly JsonValue[], given: readonly GivenValue[]): JsonObject[] {
    return this.#parts(schemas, given, 0);
  }

  #parts(schemas: readonly JsonValue[], given: readonly GivenValue[], depth: number): JsonObject[] {
    const parts = new Set<JsonObject>();
    const add = (schema: JsonValue): void => {
      const node = followed(schema, this.#root);
      if (isJsonObject(node!) && parts.size < maxParts) parts.add(node);
    };
    this.#chosen(schemas, given, depth).forEach(add);
    for (const part of parts) {
      [...always(part), ...this.#branches(part, given, depth)].forEach(add);
      for (const union of [part["anyOf"], part["oneOf"]])
        if (Array.isArray(union)) this.#chosen(union.slice(0, maxParts), given, depth).forEach(add);
    }
    return [...parts];
  }

  #chosen(arms: readonly JsonValue[], given: readonly GivenValue[], depth: number): readonly JsonValue[] {
    if (arms.length < 2 || given.length === 0 || depth >= maxDepth) return arms;
    const fits = arms.map((arm) => this.#fit([arm], given, depth + 1));
    const best = Math.max(...fits);
    return best === 0 || this.#arms < 0 ? arms : arms.filter((_, index) => fits[index] === best);
  }

  /** Of a condition, the branch that what is given decides on, else both. */
  #branches(part: JsonObject, given: readonly GivenValue[], depth: number): JsonValue[] {
    const { if: test } = part;
    const [then, otherwise] = [part["then"], part["else"]].map((branch) =>
      branch === undefined ? [] : [branch],
    );
    const isOpen = test === undefined || given.length === 0 || depth >= maxDepth;
    if (!isOpen && this.#fit([test], given, depth + 1) === 0) return otherwise!;
    if (!isOpen && isToldBy(test, given)) return then!;
    return [...then!, ...otherwise!];
  }

  #fit(schemas: readonly JsonValue[], given: readonly GivenValue[], depth: number): Fit {
    if (--this.#arms < 0) return 2;
    if (schemas.some((schema) => followed(schema, this.#root) === true)) return 2;
    const parts = this.#parts(schemas, given, depth);
    const byName = new Map<string, GivenValue[]>();
    let fit: Fit = 2;
    for (const value of given) {
      const { name, left } = value.isName
        ? { name: value.key, left: undefined }
        : nextMember(value.key, parts);
      const members = memberSchemas(parts, name);
      if (members.length === 0) fit = fit === 0 ? 0 : 1;
      else if (left !== undefined) byName.set(name, [...(byName.get(name) ?? []), { ...value, key: left }]);
      else if (!members.some((member) => this.#allows(member, value, depth))) return 0;
    }
    for (const [name, inner] of byName)
      fit = Math.min(fit, this.#fit(memberSchemas(parts, name), inner, depth + 1)) as Fit;
    return fit;
  }

  /** Whether constants of a schema allow a value. */
  #allows(schema: JsonValue, value: GivenValue, depth: number): boolean {
    const node = followed(schema, this.#root);
    if (!isJsonObject(node!) || depth >= maxDepth || --this.#arms < 0) return node !== false;
    const constants = constantsOf(node);
    if (constants.length > 0 && !value.isOneOf(constants)) return false;
    if (!always(node).every((part) => this.#allows(part, value, depth + 1))) return false;
    const branches = [node["then"], node["else"]].filter((branch) => branch !== undefined);
    if (branches.length > 0 && !branches.some((part) => this.#allows(part, value, depth + 1))) return false;
    return [node["anyOf"], node["oneOf"]].every(
      (union) => !Array.isArray(union) || union.some((arm) => this.#allows(arm, value, depth + 1)),
    );
  }
}

/** Schemas beside a schema that describe the same value: all of them, or as a member says. */
function always({ allOf, dependentSchemas }: JsonObject): JsonValue[] {
  return [
    ...(Array.isArray(allOf) ? allOf.slice(0, maxParts) : []),
    ...(isJsonObject(dependentSchemas!) ? Object.values(dependentSchemas as Record<string, JsonValue>) : []),
  ];
}

/** Whether a test asks for constants of members alone, all of which are given. */
function isToldBy(test: JsonValue, given: readonly GivenValue[]): boolean {
  if (!isJsonObject(test)) return false;
  const { properties, required: _required, type: _type, ...others } = test;
  if (Object.keys(others).length > 0 || !isJsonObject(properties!)) return false;
  return Object.entries(properties).every(
    ([name, member]) =>
      given.some(({ key }) => key === name) &&
      isJsonObject(member!) &&
      Object.keys(member).every((keyword) => ["const", "enum", "type"].includes(keyword)),
  );
}

/** The values that `const` and `enum` of a schema name. */
function constantsOf({ const: only, enum: values }: JsonObject): JsonValue[] {
  return [...(Array.isArray(values) ? values : []), ...(only === undefined ? [] : [only])];
}

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** Names of types that a schema gives; those of a schema that only describes members or items are known as well. */
function typesOf({ type, properties, items }: JsonObject): string[] {
  const named = [type].flat().filter((name) => typeNames.has(name as string)) as string[];
  if (named.length > 0) return named;
  return [...(properties === undefined ? [] : ["object"]), ...(items === undefined ? [] : ["array"])];
}

/** Splits a key at its first member. The name of a member may have dots. */
function nextMember(
  key: string,
  parts: readonly JsonObject[],
): { readonly name: string; readonly left: string | undefined } {
  const names = parts.flatMap(({ properties }) =>
    isJsonObject(properties!) ? Object.keys(properties as JsonObject) : [],
  );
  if (names.includes(key) || !key.includes(".")) return { name: key, left: undefined };
  const longestPrefix = names
    .filter((name) => key.startsWith(`${name}.`))
    .sort((a, b) => b.length - a.length)[0];
  const name = longestPrefix ?? key.slice(0, key.indexOf("."));
  return { name, left: key.slice(name.length + 1) };
}

/** The schemas of a member; none where the object has no place for it. */
function memberSchemas(parts: readonly JsonObject[], name: string): JsonValue[] {
  if (parts.length === 0) return [true];
  const named = parts.flatMap(({ properties }) =>
    isJsonObject(properties!) && Object.hasOwn(properties, name) ? [properties[name]!] : [],
  );
  if (named.length > 0) return named;
  const types = new Set(parts.flatMap(typesOf));
  if (types.size > 0 && !types.has("object")) return [];
  const others = parts.flatMap(({ additionalProperties, unevaluatedProperties, patternProperties }) => [
    ...[additionalProperties, unevaluatedProperties].filter(
      (schema) => isJsonObject(schema!) || schema === true,
    ),
    ...(patternProperties === undefined ? [] : [true]),
  ]) as JsonValue[];
  if (others.length > 0) return others;
  const isClosed = parts.some(
    ({ properties, additionalProperties }) => properties !== undefined || additionalProperties !== undefined,
  );
  return isClosed ? [] : [true];
}
