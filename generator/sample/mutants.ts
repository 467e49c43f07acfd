import { type JsonValue, type Schema, pointer } from "@mcpgen/engine";
import { replaced } from "./edit.js";
import { type Change, type ChangeKind, changesAt } from "./changes.js";
import { placesOf } from "./places.js";
import type { Random } from "./random.js";

/** An instance changed at one place. It may be valid or not: a validator decides. */
export interface Mutant {
  readonly value: JsonValue;
  /** JSON Pointer of the changed place. */
  readonly pointer: string;
  readonly kind: ChangeKind;
  /** The change, e.g. `dropped "name"`. */
  readonly change: string;
}

/** A mutant that is made on request. */
export interface PendingMutant {
  readonly kind: ChangeKind;
  make(): Mutant;
}

/**
 * Every single change worth trying on `value`, at every place of it that the definition describes. Mutants
 * share with `value` what they did not change.
 */
export function mutants(schema: Schema, name: string, value: JsonValue, random: Random): Mutant[] {
  return pendingMutants(schema, name, value, random).map((pending) => pending.make());
}

/** As `mutants`, for callers that need only some: each is made on request. */
export function pendingMutants(
  schema: Schema,
  name: string,
  value: JsonValue,
  random: Random,
): PendingMutant[] {
  const { node } = schema.definitions.get(name)!;
  return placesOf(schema, node, value).flatMap((place) =>
    changesAt(schema, place, random).map(({ kind, change, value: changed }: Change) => ({
      kind,
      make: () => ({
        value: replaced(value, place.path, changed()),
        pointer: pointer("", ...place.path),
        kind,
        change: change(),
      }),
    })),
  );
}
