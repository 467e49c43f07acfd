import { type JsonObject, type JsonValue, isJsonObject, canonicalText } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { nameAdvice } from "../../diagnostics/suggest.js";
import { jsonIn } from "../../files/json-file.js";
import { oneLine } from "../../print/terminal-text.js";
import { membersOf, typeText, typesOf, followed } from "../signature.js";
import type { Pair } from "./pairs.js";

/** The object schema that arguments must fit, with texts for messages. */
interface Target {
  /** A JSON Schema of an object. */
  readonly schema: JsonValue;
  /** Names the owner of the arguments in messages, e.g. `the tool "greet"`. */
  readonly owner: string;
  /** Signature that an error shows if an argument is missing. */
  readonly signature: string;
}

/**
 * Builds an object from pairs. Converts each value to the type that the schema has at its place. A dot in a
 * key leads into a nested object, unless a property has the dot in its name. Pairs with the same key form an
 * array. Of a union (`anyOf`, `oneOf`), only the branches count whose constants match the given values; if no
 * branch matches, all count.
 *
 * @param given the object to add the pairs to
 * @throws CodedError MG6309 for an unknown key, a value of the wrong type, or a missing required property
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
      next: `It takes ${oneLine(target.signature, " ")}.`,
    });
  }
  return result;
}

/** Names of properties that the schema requires, also through `allOf`. */
function requiredNames(schema: JsonValue, places: ArgumentPlaces): string[] {
  const [outer] = places.parts(schema);
  const all = outer === undefined ? [] : [outer, ...(Array.isArray(outer["allOf"]) ? outer["allOf"] : [])];
  const names = all.flatMap((part) =>
    isJsonObject(part) && Array.isArray(part["required"]) ? part["required"] : [],
  );
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

/**
 * State while values are put into the object: `written` has the keys that have started an array, `repeated`
 * the keys that occur more than once.
 */
interface Writing extends Target {
  readonly places: ArgumentPlaces;
  readonly written: Set<string>;
  readonly repeated: ReadonlySet<string>;
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

/** Members that the object has already and that no given key addresses. */
function othersIn(holder: JsonObject, given: readonly GivenValue[]): GivenValue[] {
  return Object.entries(holder)
    .filter(([name]) => !given.some(({ key }) => key === name || key.startsWith(`${name}.`)))
    .map(([name, value]) => givenJson(name, value!, true));
}

/** Combines the schemas that apply to one place into a single one. */
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

/** Defines a property even if its name is `__proto__`, which assignment would treat as the prototype. */
function own(holder: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Converts the text of a pair to a value that the schema allows: a string if strings are allowed, else the
 * type that the text can be parsed as.
 */
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

/** Converts the text of a pair to an item of an array; `undefined` if the schema allows no array. */
function itemOf(pair: Pair, parts: readonly JsonObject[], writing: Writing): JsonValue | undefined {
  const lists = parts.filter((part) => typesOf(part).includes("array"));
  if (lists.length === 0) return undefined;
  return valueOf(pair, oneOf(lists.map(({ items }) => items ?? true)), writing);
}

/**
 * Parses a number, a boolean, null, or an object in JSON; undefined if the text is none of the allowed types.
 */
function readAs(text: string, types: ReadonlySet<string>): JsonValue | undefined {
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
    const number = Number(text);
    const fits = types.has("number") || (types.has("integer") && Number.isInteger(number));
    if (fits && Number.isFinite(number)) return number;
  }
  if ((text === "true" || text === "false") && types.has("boolean")) return text === "true";
  if (text === "null" && types.has("null")) return null;
  return text.startsWith("{") && types.has("object") ? jsonIn(text) : undefined;
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
  const otherwise =
    names.length === 0
      ? "The schema has no members there; --args passes any value."
      : `It takes ${oneLine(signature, " ")}.`;
  return new CodedError(
    "MG6309",
    `${owner} has no argument ${JSON.stringify(name)}, got ${JSON.stringify(word)}`,
    { next: nameAdvice(name, names, otherwise) },
  );
}

/** A value given for a place below an object, for the choice of union branches. */
interface GivenValue {
  /** The rest of the value's key, relative to the object. Dots in it may lead to nested objects. */
  readonly key: string;
  /** Whether the key is one property name, even if it has dots. */
  readonly isName: boolean;
  /** Whether the value equals one of the given constants. */
  readonly isOneOf: (values: readonly JsonValue[]) => boolean;
}

/** A value given as text, which may match constants of any type. */
function givenText(key: string, text: string): GivenValue {
  return { key, isName: false, isOneOf: (values) => values.some((value) => isWritten(value, text)) };
}

/** A value given as JSON, which matches only equal constants. */
function givenJson(key: string, json: JsonValue, isName = false): GivenValue {
  const written = canonicalText(json);
  return { key, isName, isOneOf: (values) => values.some((value) => canonicalText(value) === written) };
}

/** Whether a text on the command line means this value. */
function isWritten(value: JsonValue, text: string): boolean {
  return (typeof value === "string" ? value : JSON.stringify(value)) === text;
}

/**
 * Maximum number of subschemas that one schema is composed of. A server's references could otherwise multiply
 * them without limit.
 */
const maxParts = 300;

/** Maximum nesting of unions in which branches are chosen. */
const maxDepth = 6;

/** Maximum number of branches examined over all keys. Beyond it, all branches of a union count. */
const maxArms = 20_000;

/**
 * How well a branch of a union fits the given values: 0 a constant differs, 1 constants match, 2 the branch
 * also has a place for every value.
 */
type Fit = 0 | 1 | 2;

/** Finds the subschemas of the argument schema that a key leads to. */
class ArgumentPlaces {
  readonly #root: JsonValue;
  #arms = maxArms;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  /**
   * The schema and all subschemas that describe the same value, outermost first. Includes every branch of a
   * union.
   */
  parts(schema: JsonValue): JsonObject[] {
    return this.#parts([schema], [], maxDepth);
  }

  /**
   * Same as `parts`, but for several schemas of one place and with given values: of each union, includes only
   * the best fitting branches. A branch fits if each of its constants equals the given value. Branches that
   * also have a place for every value are preferred. If no branch fits, includes all.
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

  /** The branch of `if`/`then`/`else` that the given values select; both if they leave the condition open. */
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

  /** Whether the constants in a schema allow a value. */
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

/** Subschemas in `allOf` and `dependentSchemas`, which describe the same value. */
function always({ allOf, dependentSchemas }: JsonObject): JsonValue[] {
  return [
    ...(Array.isArray(allOf) ? allOf.slice(0, maxParts) : []),
    ...(isJsonObject(dependentSchemas!) ? Object.values(dependentSchemas as Record<string, JsonValue>) : []),
  ];
}

/**
 * Whether the given values decide an `if` condition: it tests only properties for `const`, `enum` or `type`,
 * and all of them are given.
 */
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

/** The values in `const` and `enum`. */
function constantsOf({ const: only, enum: values }: JsonObject): JsonValue[] {
  return [...(Array.isArray(values) ? values : []), ...(only === undefined ? [] : [only])];
}

/** Splits a key at its first property. A property name may contain dots. */
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

/** The schemas of a property; none if the object does not allow it. */
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
