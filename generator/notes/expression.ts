import { type JsonObject, type JsonValue, isJsonObject, pointer, pointerTokens } from "@mcpgen/engine";
import { closest } from "../diagnostics/suggest.js";

/** The place that an expression reads: a path from the object of the note, or from the item around the expression. */
export interface Path {
  readonly from: "item" | "object";
  readonly keys: readonly string[];
}

export type Scalar = boolean | number | string | null;

/** A member of the items of a list that must be `is`, or in the list that `among` gives. */
export type Condition = { readonly key: string; readonly pointer: string } & (
  { readonly is: Scalar } | { readonly among: Expression }
);

/** Items of a list, or members of an object, and what is made of each. */
interface Selection {
  readonly list: Path;
  readonly where?: readonly Condition[];
  readonly make: Expression;
}

/** How a value of the other revision is made. `pointer` is the place of the expression in its file. */
export type Expression = { readonly pointer: string } & (
  | { readonly kind: "scalar"; readonly value: Scalar }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [key: string, value: Expression])[] }
  | { readonly kind: "value"; readonly path: Path }
  | ({ readonly kind: "each"; readonly isFlat: boolean } & Selection)
  | ({ readonly kind: "first" } & Selection)
  | ({ readonly kind: "map"; readonly key: Expression } & Selection)
  | { readonly kind: "join"; readonly parts: readonly Expression[] }
  | { readonly kind: "or"; readonly choices: readonly Expression[] }
  | { readonly kind: "if"; readonly path: Path; readonly then: Expression; readonly otherwise?: Expression }
  | { readonly kind: "json"; readonly of: Expression }
  | { readonly kind: "request"; readonly path: Path }
);

/** Makes the error for a place of the file. */
export type Malformed = (at: string, message: string, next?: string) => Error;

interface Surroundings {
  readonly malformed: Malformed;
  /** The expression stands where an item is made or tested. */
  readonly hasItem: boolean;
}

/** The operators, with the fields that an object with one of them needs and may have beside it. */
export const operators: {
  readonly [operator: string]: { readonly needs: readonly string[]; readonly may: readonly string[] };
} = {
  $: { needs: [], may: [] },
  $each: { needs: ["make"], may: ["where", "flat"] },
  $first: { needs: ["make"], may: ["where"] },
  $map: { needs: ["key", "make"], may: ["where"] },
  $join: { needs: [], may: [] },
  $or: { needs: [], may: [] },
  $if: { needs: ["then"], may: ["else"] },
  $json: { needs: [], may: [] },
  $request: { needs: [], may: [] },
};

/** The paths: of the object, or with a point in front of the item around. */
export const pathPattern = "^\\.?(?:/(?:[^~/]|~[01])*)*$";
const paths = new RegExp(pathPattern, "u");

/** A member's name: two `$` at its beginning stand for one. */
export const namePattern = "^(?:\\$\\$|[^$]|$)";

/**
 * The expressions of a note, by the members that they make.
 *
 * @param at the place of `value` in its file
 * @throws what `malformed` makes, for the first place that is wrong
 */
export function readMembers(
  value: JsonObject,
  at: string,
  malformed: Malformed,
): (readonly [key: string, expression: Expression])[] {
  return membersOf(value, at, { malformed, hasItem: false });
}

function membersOf(
  value: JsonObject,
  at: string,
  around: Surroundings,
): (readonly [key: string, expression: Expression])[] {
  return Object.entries(value).map(([name, member]) => {
    const place = pointer(at, name);
    if (/^\$(?!\$)/.test(name)) throw strangeOperator(name, place, around);
    return [name.replace(/^\$\$/, "$"), expressionOf(member, place, around)];
  });
}

function strangeOperator(name: string, at: string, { malformed }: Surroundings): Error {
  const known = closest(name, Object.keys(operators));
  const meant = known === undefined ? "" : `Did you mean ${known}? `;
  return malformed(
    at,
    Object.hasOwn(operators, name)
      ? `${name} stands among members`
      : `there is no operator ${JSON.stringify(name)}`,
    `${Object.hasOwn(operators, name) ? "" : meant}For a member of that name write ${JSON.stringify(`$${name}`)}.`,
  );
}

function expressionOf(value: JsonValue, at: string, around: Surroundings): Expression {
  if (Array.isArray(value)) return { kind: "list", pointer: at, items: listOf(value, at, around) };
  if (!isJsonObject(value)) return { kind: "scalar", pointer: at, value };
  const operator = Object.keys(value).find((name) => Object.hasOwn(operators, name));
  if (operator === undefined) return { kind: "object", pointer: at, members: membersOf(value, at, around) };
  refuseStrays(operator, value, at, around);
  return { pointer: at, ...operationOf(operator, value, at, around) };
}

function refuseStrays(operator: string, value: JsonObject, at: string, { malformed }: Surroundings): void {
  const { needs, may } = operators[operator]!;
  const fields = [...needs, ...may];
  const stray = Object.keys(value).find((name) => name !== operator && !fields.includes(name));
  if (stray !== undefined) {
    const known = closest(stray, fields);
    const said = fields.length > 0 ? `Beside it may stand ${fields.join(", ")}.` : "It stands alone.";
    throw malformed(
      pointer(at, stray),
      `${operator} has no field ${JSON.stringify(stray)}`,
      known === undefined ? said : `Did you mean ${known}?`,
    );
  }
  const missing = needs.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) throw malformed(at, `${operator} needs ${JSON.stringify(missing)}`);
}

/** Without its `pointer`. */
type Operation = Expression extends infer Each
  ? Each extends Expression
    ? Omit<Each, "pointer">
    : never
  : never;

function operationOf(operator: string, value: JsonObject, at: string, around: Surroundings): Operation {
  const place = pointer(at, operator);
  const given = value[operator]!;
  const inside = (name: string): Expression => expressionOf(value[name]!, pointer(at, name), around);
  switch (operator) {
    case "$":
      return { kind: "value", path: pathOf(given, place, around) };
    case "$each":
      return { kind: "each", isFlat: isFlat(value, at, around), ...selectionOf(value, operator, at, around) };
    case "$first":
      return { kind: "first", ...selectionOf(value, operator, at, around) };
    case "$map":
      return {
        kind: "map",
        key: expressionOf(value["key"]!, pointer(at, "key"), { ...around, hasItem: true }),
        ...selectionOf(value, operator, at, around),
      };
    case "$join":
      return { kind: "join", parts: listOf(given, place, around, 1) };
    case "$or":
      return { kind: "or", choices: listOf(given, place, around, 1) };
    case "$if": {
      const otherwise = Object.hasOwn(value, "else") && { otherwise: inside("else") };
      return { kind: "if", path: pathOf(given, place, around), then: inside("then"), ...otherwise };
    }
    case "$json":
      return { kind: "json", of: inside(operator) };
    default:
      return { kind: "request", path: pathOf(given, place, { ...around, hasItem: false }) };
  }
}

function selectionOf(value: JsonObject, operator: string, at: string, around: Surroundings): Selection {
  const inside = { ...around, hasItem: true };
  const where = Object.hasOwn(value, "where") && {
    where: conditionsOf(value["where"]!, pointer(at, "where"), inside),
  };
  return {
    list: pathOf(value[operator]!, pointer(at, operator), around),
    ...where,
    make: expressionOf(value["make"]!, pointer(at, "make"), inside),
  };
}

function isFlat({ flat = false }: JsonObject, at: string, { malformed }: Surroundings): boolean {
  if (typeof flat !== "boolean") throw malformed(pointer(at, "flat"), "expected true or false");
  return flat;
}

function conditionsOf(value: JsonValue, at: string, around: Surroundings): Condition[] {
  const { malformed } = around;
  if (!isJsonObject(value) || Object.keys(value).length === 0)
    throw malformed(at, 'expected members of the items with their values, such as { "type": "text" }');
  return Object.entries(value).map(([key, wanted]) => {
    const place = pointer(at, key);
    if (typeof wanted !== "object" || wanted === null) return { key, pointer: place, is: wanted };
    if (!isJsonObject(wanted) || Object.keys(wanted).join() !== "in")
      throw malformed(place, 'expected a string, number, boolean or null, or { "in": an expression }');
    return { key, pointer: place, among: expressionOf(wanted["in"]!, pointer(place, "in"), around) };
  });
}

function listOf(value: JsonValue, at: string, around: Surroundings, least = 0): Expression[] {
  if (!Array.isArray(value) || value.length < least)
    throw around.malformed(at, "expected a list of expressions");
  return value.map((item, index) => expressionOf(item, pointer(at, index), around));
}

function pathOf(value: JsonValue, at: string, { malformed, hasItem }: Surroundings): Path {
  if (typeof value !== "string" || !paths.test(value))
    throw malformed(
      at,
      'expected a JSON Pointer into the object, such as "/content", or with a point in front into the item, such as "./text"',
    );
  const isItem = value.startsWith(".");
  if (isItem && !hasItem)
    throw malformed(
      at,
      `${JSON.stringify(value)} is a path into an item, and there is none here`,
      `Only "make", "key" and "where" of $each, $first and $map have an item. Write ${JSON.stringify(value.slice(1))} for a path into the object.`,
    );
  return { from: isItem ? "item" : "object", keys: pointerTokens(isItem ? value.slice(1) : value) };
}

/** The JSON Schema of expressions, for editors: it does not see where there is an item. */
export const expressionSchemas: { readonly [name: string]: JsonObject } = expressionSchemasOf();

function expressionSchemasOf(): { readonly [name: string]: JsonObject } {
  const expression = { $ref: "#/$defs/expression" };
  const path = { type: "string", pattern: pathPattern };
  const list = { type: "array", minItems: 1, items: expression };
  const fields: { readonly [name: string]: JsonValue } = {
    $: path,
    $each: path,
    $first: path,
    $map: path,
    key: expression,
    $if: path,
    $request: { type: "string", pattern: pathPattern.replace("\\.?", "") },
    $join: list,
    $or: list,
    $json: expression,
    make: expression,
    then: expression,
    else: expression,
    flat: { type: "boolean" },
    where: {
      type: "object",
      minProperties: 1,
      additionalProperties: {
        type: ["string", "number", "boolean", "null", "object"],
        properties: { in: expression },
        required: ["in"],
        additionalProperties: false,
      },
    },
  };
  const names = Object.keys(operators);
  const operations = names.map((name): JsonObject => {
    const { needs, may } = operators[name]!;
    const all = [name, ...needs, ...may];
    return {
      properties: Object.fromEntries(all.map((field) => [field, fields[field]!])),
      required: [name, ...needs],
      additionalProperties: false,
    };
  });
  return {
    expression: {
      description: "How a value is made: a value itself, a list or object of expressions, or an operator.",
      type: ["string", "number", "boolean", "null", "array", "object"],
      items: expression,
      if: { type: "object", anyOf: names.map((name) => ({ required: [name] })) },
      then: { oneOf: operations },
      else: { if: { type: "object" }, then: { $ref: "#/$defs/made" } },
    },
    made: {
      description: "Members by expressions. Two `$` at the beginning of a name stand for one.",
      type: "object",
      propertyNames: { pattern: namePattern },
      additionalProperties: expression,
    },
  };
}
