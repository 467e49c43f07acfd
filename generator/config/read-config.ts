import { type JsonObject, type JsonValue, kindOf, pointer } from "@mcpgen/engine";
import type { Place } from "../diagnostics/coded-error.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import { type Shape, configShape } from "./config-shape.js";
import type { Config } from "./config.js";

/** The line and column of the value at a JSON Pointer of the configuration. */
export type PlaceOf = (pointer: string) => Promise<Place>;

/**
 * The configuration that `value` is.
 *
 * @throws CodedError MG2102 for a key that means nothing, MG2103 for a value of the wrong type
 */
export async function readConfig(value: JsonValue, placeOf: PlaceOf): Promise<Config> {
  await expectShape(configShape, value, "", placeOf);
  return value as unknown as Config;
}

async function expectShape(expected: Shape, value: JsonValue, at: string, placeOf: PlaceOf): Promise<void> {
  if (!expected.fits(value)) throw await wrongType(expected.expected, value, at, placeOf);
  if (expected.members) await expectMembers(expected, value as JsonObject, at, placeOf);
  if (expected.items) {
    for (const [index, item] of (value as JsonValue[]).entries()) {
      await expectShape(expected.items, item, pointer(at, index), placeOf);
    }
  }
}

async function expectMembers(
  expected: Shape,
  value: JsonObject,
  at: string,
  placeOf: PlaceOf,
): Promise<void> {
  const members = expected.members!;
  for (const [key, member] of Object.entries(value)) {
    if (!Object.hasOwn(members, key))
      throw await unknownKey(key, Object.keys(members), pointer(at, key), placeOf);
    if (member !== undefined) await expectShape(members[key]!, member, pointer(at, key), placeOf);
  }
  for (const key of expected.required ?? []) {
    if (!Object.hasOwn(value, key)) {
      throw new CodedError("MG2103", `expected the key ${JSON.stringify(key)}, which is missing`, {
        place: await placeOf(at),
        next: `Add ${JSON.stringify(key)}: ${members[key]!.expected}.`,
      });
    }
  }
}

async function wrongType(
  expected: string,
  value: JsonValue,
  at: string,
  placeOf: PlaceOf,
): Promise<CodedError> {
  const got = typeof value === "string" ? JSON.stringify(value) : describe(value);
  return new CodedError("MG2103", `expected ${expected}, got ${got}`, {
    place: await placeOf(at),
    next: "Correct the value; `mcpgen explain MG2103` says more.",
  });
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
  placeOf: PlaceOf,
): Promise<CodedError> {
  const suggestion = closest(key, known);
  return new CodedError("MG2102", `there is no key ${JSON.stringify(key)}`, {
    place: await placeOf(at),
    next:
      suggestion === undefined
        ? `The keys are ${known.join(", ")}.`
        : `Did you mean ${JSON.stringify(suggestion)}?`,
  });
}
