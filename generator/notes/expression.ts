import { type JsonObject, type JsonValue, isJsonObject, pointer, pointerTokens } from "@mcpgen/engine";
import { closest } from "../diagnostics/suggest.js";

/** The value that an expression reads: a path from the note's object, or from the current item. */
export interface Path {
  readonly from: "item" | "object";
  readonly keys: readonly string[];
}

export type Scalar = boolean | number | string | null;

/** A condition on list items: a member must equal `is`, or be in the list of `among`. */
export type Condition = { readonly key: string; readonly pointer: string } & (
  { readonly is: Scalar } | { readonly among: Expression }
);

/** Selects items of a list or members of an object; an expression makes a value of each. */
interface Selection {
  readonly list: Path;
  readonly where?: readonly Condition[];
  readonly make: Expression;
}

/** How to make a value of the other revision. `pointer` is the expression's place in its file. */
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

/** Creates the error for a place of the file. */
export type Malformed = (at: string, message: string, next?: string) => Error;

interface Surroundings {
  readonly malformed: Malformed;
  /** Whether the expression is used for items, so that it may refer to the current item. */
  readonly hasItem: boolean;
}

/** The operators with their required and optional fields. */
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

/** Matches paths: from the object, or with a leading dot from the current item. */
const pathPattern = "^\\.?(?:/(?:[^~/]|~[01])*)*$";

/**
 * Reads the expressions of a note, by the members that they make. Reports faults that the schema cannot:
 * unknown operators, and paths from an item where there is none.
 *
 * @param value value that is valid for the notes schema
 * @param at pointer of `value` in its file
 * @throws the error from `malformed` for the first fault
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
  return { pointer: at, ...operationOf(operator, value, at, around) };
}

/** An operation without its `pointer`. */
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
      return {
        kind: "each",
        isFlat: value["flat"] === true,
        ...selectionOf(value, operator, at, around),
      };
    case "$first":
      return { kind: "first", ...selectionOf(value, operator, at, around) };
    case "$map":
      return {
        kind: "map",
        key: expressionOf(value["key"]!, pointer(at, "key"), { ...around, hasItem: true }),
        ...selectionOf(value, operator, at, around),
      };
    case "$join":
      return { kind: "join", parts: listOf(given, place, around) };
    case "$or":
      return { kind: "or", choices: listOf(given, place, around) };
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

function conditionsOf(value: JsonValue, at: string, around: Surroundings): Condition[] {
  return Object.entries(value as JsonObject).map(([key, wanted]) => {
    const place = pointer(at, key);
    if (isJsonObject(wanted))
      return { key, pointer: place, among: expressionOf(wanted["in"]!, pointer(place, "in"), around) };
    return { key, pointer: place, is: wanted as Scalar };
  });
}

function listOf(value: JsonValue, at: string, around: Surroundings): Expression[] {
  return (value as JsonValue[]).map((item, index) => expressionOf(item, pointer(at, index), around));
}

function pathOf(value: JsonValue, at: string, { malformed, hasItem }: Surroundings): Path {
  const path = value as string;
  const isItem = path.startsWith(".");
  if (isItem && !hasItem)
    throw malformed(
      at,
      `${JSON.stringify(path)} is a path into an item, and there is none here`,
      `Only "make", "key" and "where" of $each, $first and $map have an item. Write ${JSON.stringify(path.slice(1))} for a path into the object.`,
    );
  return { from: isItem ? "item" : "object", keys: pointerTokens(isItem ? path.slice(1) : path) };
}

/**
 * Schema of member names, for editors: a leading `$$` means `$`. The reader does not use it, because its own
 * error explains more about an unknown operator.
 */
export const memberNames: JsonObject = { pattern: "^(?:\\$\\$|[^$]|$)" };

/** The JSON Schema of expressions. */
export const expressionSchemas: {
  readonly expression: JsonObject;
  readonly made: JsonObject;
} = expressionSchemasOf();

function expressionSchemasOf(): typeof expressionSchemas {
  const expression = { $ref: "#/$defs/expression" };
  const path = { type: "string", pattern: pathPattern, examples: ["/content", "./text"] };
  const list = { type: "array", minItems: 1, items: expression };
  const fields: { readonly [name: string]: JsonValue } = {
    $: path,
    $each: path,
    $first: path,
    $map: path,
    key: expression,
    $if: path,
    $request: { type: "string", pattern: pathPattern.replace("\\.?", ""), examples: ["/uri"] },
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
      if: { required: [name] },
      then: {
        properties: Object.fromEntries(all.map((field) => [field, fields[field]!])),
        ...(needs.length > 0 && { required: [...needs] }),
        additionalProperties: false,
      },
    };
  });
  return {
    expression: {
      description: "How a value is made: a value itself, a list or object of expressions, or an operator.",
      type: ["string", "number", "boolean", "null", "array", "object"],
      items: expression,
      if: { type: "object", anyOf: names.map((name) => ({ required: [name] })) },
      then: { allOf: operations },
      else: { if: { type: "object" }, then: { $ref: "#/$defs/made" } },
    },
    made: {
      description: "Members by expressions. Two `$` at the beginning of a name stand for one.",
      type: "object",
      additionalProperties: expression,
    },
  };
}
