import { type JsonObject, type JsonValue, isJsonObject, kindOf, pointer } from "@mcpgen/engine";
import type { CodeOfError } from "../diagnostics/catalogue.js";
import { CodedError, type Place } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";

/** The values that a JSON file allows: for its reader, and as a JSON Schema for editors. */
export interface Shape {
  readonly expected: string;
  readonly fits: (value: JsonValue) => boolean;
  /** Shapes of the members of an object, or of every item of an array. */
  readonly members?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** Members that another one needs beside it. */
  readonly dependent?: Readonly<Record<string, readonly string[]>>;
  readonly items?: Shape;
  /** The same as `fits`, as a JSON Schema; members and items are added to it. */
  readonly schema: JsonObject;
}

export const text = (description: string): Shape => ({
  expected: "a non-empty string",
  fits: (value) => typeof value === "string" && value !== "",
  schema: { type: "string", minLength: 1, description },
});

/** A string that matches all of `pattern`. */
export const textLike = (pattern: string, expected: string, description: string): Shape => {
  const expression = new RegExp(pattern, "u");
  return {
    expected,
    fits: (value) => typeof value === "string" && expression.test(value),
    schema: { type: "string", pattern, description },
  };
};

export const listOf = (items: Shape, description: string): Shape => ({
  expected: "an array",
  fits: Array.isArray,
  items,
  schema: { type: "array", description },
});

export const objectOf = (
  members: Readonly<Record<string, Shape>>,
  description: string,
  required: readonly string[] = [],
  dependent?: Shape["dependent"],
): Shape => ({
  expected: "an object",
  fits: isJsonObject,
  members,
  required,
  ...(dependent && { dependent }),
  schema: { type: "object", description },
});

export const oneOf = (choices: readonly (string | number)[], description: string): Shape => ({
  expected: choices.length === 1 ? quoted(choices) : `one of ${quoted(choices)}`,
  fits: (value) => choices.some((choice) => choice === value),
  schema: { enum: [...choices], description },
});

function quoted(choices: readonly (string | number)[]): string {
  return choices.map((choice) => JSON.stringify(choice)).join(", ");
}

/** The JSON Schema of a shape. */
export function schemaOf({ schema, members, required, dependent, items }: Shape): JsonObject {
  return {
    ...schema,
    ...(items && { items: schemaOf(items) }),
    ...(members && {
      properties: Object.fromEntries(Object.entries(members).map(([key, member]) => [key, schemaOf(member)])),
      ...(required && required.length > 0 && { required: [...required] }),
      ...(dependent && { dependentRequired: dependent as unknown as JsonObject }),
      additionalProperties: false,
    }),
  };
}

/** The line and column of the value at a JSON Pointer of the file. */
export type PlaceOf = (pointer: string) => Promise<Place>;

/** How the errors of one kind of file are reported. */
export interface ShapeErrors {
  /** The code for a key that means nothing. */
  readonly unknownKey: CodeOfError;
  /** The code for a value of the wrong type, or a key that is missing. */
  readonly wrongValue: CodeOfError;
  readonly placeOf: PlaceOf;
}

/** @throws CodedError for the first value that is not of the shape */
export async function expectShape(
  expected: Shape,
  value: JsonValue,
  errors: ShapeErrors,
  at = "",
): Promise<void> {
  if (!expected.fits(value)) throw await wrongType(expected, value, at, errors);
  if (expected.members) await expectMembers(expected, value as JsonObject, at, errors);
  if (expected.items) {
    for (const [index, item] of (value as JsonValue[]).entries()) {
      await expectShape(expected.items, item, errors, pointer(at, index));
    }
  }
}

async function expectMembers(
  expected: Shape,
  value: JsonObject,
  at: string,
  errors: ShapeErrors,
): Promise<void> {
  const members = expected.members!;
  for (const [key, member] of Object.entries(value)) {
    if (!Object.hasOwn(members, key))
      throw await unknownKey(key, Object.keys(members), pointer(at, key), errors);
    if (member !== undefined) await expectShape(members[key]!, member, errors, pointer(at, key));
  }
  const needed = Object.entries(expected.dependent ?? {}).flatMap(([key, others]) =>
    Object.hasOwn(value, key) ? others : [],
  );
  for (const key of [...(expected.required ?? []), ...needed]) {
    if (!Object.hasOwn(value, key)) {
      throw new CodedError(errors.wrongValue, `expected the key ${JSON.stringify(key)}, which is missing`, {
        place: await errors.placeOf(at),
        next: `Add ${JSON.stringify(key)}: ${members[key]!.expected}.`,
      });
    }
  }
}

async function wrongType(
  { expected, schema }: Shape,
  value: JsonValue,
  at: string,
  { wrongValue, placeOf }: ShapeErrors,
): Promise<CodedError> {
  const got = typeof value === "string" ? JSON.stringify(value) : describe(value);
  return new CodedError(wrongValue, `expected ${expected}, got ${got}`, {
    place: await placeOf(at),
    next: meantOf(value, schema["enum"]) ?? `Correct the value; \`mcpgen explain ${wrongValue}\` says more.`,
  });
}

/** Advice for a text that misspells one of several. */
function meantOf(value: JsonValue, choices: JsonValue | undefined): string | undefined {
  if (typeof value !== "string" || !Array.isArray(choices)) return undefined;
  const meant = closest(
    value,
    choices.filter((choice) => typeof choice === "string"),
  );
  return meant === undefined ? undefined : `Did you mean ${JSON.stringify(meant)}?`;
}

/** A configuration module may hold what JSON cannot. */
function describe(value: unknown): string {
  return typeof value === "function" || value === undefined
    ? String(typeof value)
    : kindOf(value as JsonValue);
}

async function unknownKey(
  key: string,
  known: readonly string[],
  at: string,
  errors: ShapeErrors,
): Promise<CodedError> {
  const suggestion = closest(key, known);
  return new CodedError(errors.unknownKey, `there is no key ${JSON.stringify(key)}`, {
    place: await errors.placeOf(at),
    next:
      suggestion === undefined
        ? `The keys are ${known.join(", ")}.`
        : `Did you mean ${JSON.stringify(suggestion)}?`,
  });
}
