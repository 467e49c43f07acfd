import type { JsonValue, Schema, SchemaNode } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Choices, buildInstance, firstChoices, randomChoices, heightsOf } from "./build.js";
import { type Random, randomFrom } from "./values.js";

/** How many levels of a random sample vary freely before it is brought to an end. */
const freeLevels = 5;

/** Draws before giving up on a schema that construction alone does not satisfy (`not`, odd patterns). */
const draws = 25;

/**
 * A valid instance of a definition, drawn from `random`: optional members come and go, and over many draws
 * every arm, enum member and extreme is met.
 *
 * @returns `undefined` where none was found, as for a definition that nothing satisfies
 */
export function sampleValid(schema: Schema, name: string, random: Random): JsonValue | undefined {
  return (
    confirmed(schema, name, randomChoices(random, heightsOf(schema)), draws) ?? minimalValid(schema, name)
  );
}

const smallest = new WeakMap<Schema, Map<string, JsonValue | undefined>>();

/**
 * The smallest valid instance of a definition: required members only, the first and simplest choice
 * everywhere. It changes only when the definition, or one it needs, does. Every call gives the same object.
 *
 * @returns `undefined` where none was found
 */
export function minimalValid(schema: Schema, name: string): JsonValue | undefined {
  let known = smallest.get(schema);
  if (!known) smallest.set(schema, (known = new Map()));
  if (!known.has(name)) known.set(name, findMinimal(schema, name));
  return known.get(name);
}

function findMinimal(schema: Schema, name: string): JsonValue | undefined {
  const heightOf = heightsOf(schema);
  return (
    confirmed(schema, name, firstChoices(heightOf), 1) ??
    confirmed(schema, name, randomChoices(randomFrom(name), heightOf), draws)
  );
}

/**
 * The smallest valid instance of any place of a schema.
 *
 * @returns `undefined` where none was found
 */
export function minimalAt(schema: Schema, node: SchemaNode): JsonValue | undefined {
  const builder = { schema, choices: firstChoices(heightsOf(schema)) };
  const value = buildInstance(builder, [node], freeLevels, "example");
  return isValid(schema, node, value) ? value : undefined;
}

function confirmed(schema: Schema, name: string, choices: Choices, attempts: number): JsonValue | undefined {
  const { node } = schema.definitions.get(name)!;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const value = buildInstance({ schema, choices }, [node], freeLevels, "example");
    if (isValid(schema, node, value)) return value;
  }
  return undefined;
}
