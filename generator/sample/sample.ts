import type { JsonValue, Schema, SchemaNode } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Choices, buildInstance, firstChoices, randomChoices, heightsOf } from "./build.js";
import { type Random, randomFrom } from "./values.js";

/** Number of levels at which a random sample varies freely before it is kept minimal. */
const freeLevels = 5;

/**
 * Number of attempts for a schema whose constraints construction cannot satisfy (`not`, unusual patterns).
 */
const draws = 25;

/**
 * A random valid instance of a definition. Optional members vary; over many draws every arm, enum value and
 * extreme occurs.
 *
 * @returns `undefined` if none was found, e.g. for an unsatisfiable definition
 */
export function sampleValid(schema: Schema, name: string, random: Random): JsonValue | undefined {
  return (
    confirmed(schema, name, randomChoices(random, heightsOf(schema)), draws) ?? minimalValid(schema, name)
  );
}

const smallest = new WeakMap<Schema, Map<string, JsonValue | undefined>>();

/**
 * The smallest valid instance of a definition: required members only, the first and simplest choice
 * everywhere. It changes only if the definition, or one that it requires, changes. Every call returns the
 * same object.
 *
 * @returns `undefined` if none was found
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
 * @returns `undefined` if none was found
 */
export function minimalAt(schema: Schema, node: SchemaNode): JsonValue | undefined {
  const builder = { schema, choices: firstChoices(heightsOf(schema)) };
  const value = buildInstance(builder, [node], freeLevels, "example");
  return isValid(schema, node, value) ? value : undefined;
}

/**
 * The smallest valid instance of the root of a schema.
 *
 * @returns `undefined` if none was found, or there is no root
 */
export function minimalRoot(schema: Schema): JsonValue | undefined {
  if (!schema.root) return undefined;
  // Samples are made from definitions, so the root becomes one.
  const name = "\0root";
  const definitions = new Map([...schema.definitions, [name, { name, node: schema.root }]]);
  try {
    return minimalValid({ ...schema, definitions }, name);
  } catch {
    // No sample exists for some unusual schemas.
    return undefined;
  }
}

function confirmed(schema: Schema, name: string, choices: Choices, attempts: number): JsonValue | undefined {
  const { node } = schema.definitions.get(name)!;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const value = buildInstance({ schema, choices }, [node], freeLevels, "example");
    if (isValid(schema, node, value)) return value;
  }
  return undefined;
}
