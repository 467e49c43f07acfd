import { type JsonObject, type JsonValue, canonicalText, isJsonObject } from "@mcpgen/engine";
import { followed } from "../list/type-text.js";

/** A value that is given somewhere below an object. */
export interface GivenValue {
  /** Where: the rest of its key, in which dots may lead further. */
  readonly key: string;
  /** Whether the key is the name of a member as it stands. */
  readonly isName: boolean;
  /** Whether the value is one of several. */
  readonly isOneOf: (values: readonly JsonValue[]) => boolean;
}

/** A text given as a value: its type is still open. */
export function givenText(key: string, text: string): GivenValue {
  return { key, isName: false, isOneOf: (values) => values.some((value) => isWritten(value, text)) };
}

/** A JSON value given as such. */
export function givenJson(key: string, json: JsonValue, isName = false): GivenValue {
  const written = canonicalText(json);
  return { key, isName, isOneOf: (values) => values.some((value) => canonicalText(value) === written) };
}

/** Whether a text of a command line stands for a value. */
export function isWritten(value: JsonValue, text: string): boolean {
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
export class ArgumentPlaces {
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
export function constantsOf({ const: only, enum: values }: JsonObject): JsonValue[] {
  return [...(Array.isArray(values) ? values : []), ...(only === undefined ? [] : [only])];
}

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** Names of types that a schema gives; those of a schema that only describes members or items are known as well. */
export function typesOf({ type, properties, items }: JsonObject): string[] {
  const named = [type].flat().filter((name) => typeNames.has(name as string)) as string[];
  if (named.length > 0) return named;
  return [...(properties === undefined ? [] : ["object"]), ...(items === undefined ? [] : ["array"])];
}

/** Splits a key at its first member. The name of a member may have dots. */
export function nextMember(
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
export function memberSchemas(parts: readonly JsonObject[], name: string): JsonValue[] {
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
