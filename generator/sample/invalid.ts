import {
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  isJsonObject,
  jsonEqual,
  pointer,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Random, randomFrom, shuffled } from "./values.js";
import { minimalValid, sampleValid } from "./sample.js";
import { type Place, extended, renamed, replaced, without, applicable, placesOf } from "./edit.js";
import { buildInstance, randomChoices, heightsOf } from "./build.js";

/**
 * Up to `count` instances of a definition, each made invalid by a single change, with as many different kinds
 * of change as possible. Random numbers are seeded by the definition's name, so the result is stable.
 */
export function minimallyInvalid(schema: Schema, name: string, count: number): Mutant[] {
  const random = randomFrom(`${name}: invalid`);
  const { node } = schema.definitions.get(name)!;
  const found: Mutant[] = [];
  for (const draw of [minimalValid, sampleValid]) {
    const base = draw(schema, name, random);
    if (base === undefined) continue;
    const candidates = shuffled(pendingMutants(schema, name, base, random), random);
    for (const candidate of kindsInTurn(candidates)) {
      if (found.length >= count) return found;
      const mutant = candidate.make();
      if (!isValid(schema, node, mutant.value)) found.push(mutant);
    }
  }
  return found;
}

/** One candidate of each kind, then a second of each kind, and so on. */
function kindsInTurn(candidates: readonly PendingMutant[]): PendingMutant[] {
  const seen = new Map<string, number>();
  const turns: PendingMutant[][] = [];
  for (const candidate of candidates) {
    const turn = seen.get(candidate.kind) ?? 0;
    seen.set(candidate.kind, turn + 1);
    (turns[turn] ??= []).push(candidate);
  }
  return turns.flat();
}

/** An instance changed at one place. A validator must decide whether it is invalid. */
interface Mutant {
  readonly value: JsonValue;
  /** JSON Pointer of the changed place. */
  readonly pointer: string;
  readonly kind: ChangeKind;
  /** The change, e.g. `dropped "name"`. */
  readonly change: string;
}

/** A mutant that is made on request. */
interface PendingMutant {
  readonly kind: ChangeKind;
  make(): Mutant;
}

/**
 * All single changes of `value` worth trying, at every place that the definition describes. Mutants share
 * unchanged parts with `value`.
 */
export function mutants(schema: Schema, name: string, value: JsonValue, random: Random): Mutant[] {
  return pendingMutants(schema, name, value, random).map((pending) => pending.make());
}

/** Same as `mutants`, but each is made on request, for callers that need only some. */
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

type ChangeKind =
  | "dropped"
  | "added"
  | "renamed"
  | "type"
  | "null"
  | "constant"
  | "arm"
  | "item"
  | "number"
  | "string"
  | "prototype";

/** A replacement for the value at a place. */
interface Change {
  readonly kind: ChangeKind;
  /** Describes the change. */
  change(): string;
  value(): JsonValue;
}

/** The changes worth trying at one place. */
function changesAt(schema: Schema, place: Place, random: Random): Change[] {
  const { value } = place;
  const changes = [
    ...typeChanges(value, random),
    ...constantChanges(place, random),
    ...armChanges(schema, place, random),
  ];
  if (Array.isArray(value)) changes.push(...arrayChanges(value, place, random));
  else if (isJsonObject(value)) changes.push(...objectChanges(value, place, random));
  else if (typeof value === "number") changes.push(...numberChanges(value, place, random));
  else if (typeof value === "string") changes.push(...stringChanges(value, place));
  return changes;
}

const samples: readonly JsonValue[] = ["text", 7, true, [], {}];

function typeChanges(value: JsonValue, random: Random): Change[] {
  const others = samples.filter((sample) => kind(sample) !== kind(value));
  const other = random.pick(others);
  const changes = [change("type", `${kind(value)} made ${kind(other)}`, other)];
  if (value !== null) changes.push(change("null", `${kind(value)} made null`, null));
  return changes;
}

/** Changes to constants of other arms, and to one that no arm has. */
function constantChanges({ value, nodes }: Place, random: Random): Change[] {
  const constants = nodes.flatMap((node) => (node.const ? [node.const.value] : (node.enum ?? [])));
  if (constants.length === 0) return [];
  const others = constants.filter((constant) => !jsonEqual(constant, value));
  const unknown = typeof value === "string" ? `${value}s` : "unknown";
  return [...shuffled(others, random).slice(0, 4), unknown].map((other) => ({
    kind: "constant",
    change: () => `${JSON.stringify(value)} made ${JSON.stringify(other)}`,
    // A copy, because objects of the schema have no prototype, unlike those from `JSON.parse`.
    value: () => structuredClone(other),
  }));
}

/** For a union: the body of another arm with the constants of the present one. */
function armChanges(schema: Schema, { value, nodes }: Place, random: Random): Change[] {
  const arms = nodes.flatMap((node) => node.anyOf ?? node.oneOf ?? []);
  if (arms.length < 2) return [];
  const arm = random.pick(arms);
  const builder = { schema, choices: randomChoices(random, heightsOf(schema)) };
  return [
    {
      kind: "arm",
      change: () => "given the body of another arm",
      value: () => {
        const body = buildInstance(builder, [arm], 2, "other");
        return isJsonObject(value) && isJsonObject(body) ? tagged(schema, body, value, nodes) : body;
      },
    },
  ];
}

/** `body` with the members of `original` that some arm fixes by a constant. */
function tagged(
  schema: Schema,
  body: JsonObject,
  original: JsonObject,
  nodes: readonly SchemaNode[],
): JsonObject {
  let result = body;
  for (const key of Object.keys(original)) {
    const members = nodes.map((node) => node.properties?.get(key)).filter((node) => node !== undefined);
    const fixed = applicable(schema, members).some((node) => node.const ?? node.enum);
    if (fixed) result = extended(result, key, original[key]!);
  }
  return result;
}

function arrayChanges(items: readonly JsonValue[], { nodes }: Place, random: Random): Change[] {
  const odd = random.pick([null, "odd", 3.5, {}, []]);
  const at = random.below(items.length + 1);
  const changes = [
    change("item", `given the item ${JSON.stringify(odd)}`, [...items.slice(0, at), odd, ...items.slice(at)]),
  ];
  if (items.length > 0) {
    changes.push(
      change("item", "emptied", []),
      change("item", "given its first item twice", [items[0]!, ...items]),
      change("type", "array made its first item", items[0]!),
      change("type", "array made object", { ...(items as unknown as JsonObject) }),
    );
  }
  for (const { maxItems } of nodes) {
    // Very large limits are not meant to be reached.
    if (maxItems === undefined || maxItems > 1000) continue;
    const many = Array.from({ length: maxItems + 1 }, (_, index) => items[index % items.length] ?? "item");
    changes.push(change("item", `made ${maxItems + 1} items`, many));
  }
  for (const { contains, minContains = 1 } of nodes) {
    if (contains && minContains > 1)
      changes.push(change("item", `left with ${minContains - 1} items`, items.slice(0, minContains - 1)));
  }
  return changes;
}

const unknownKeys = ["unknown", "_meta", "toString", "valueOf", "a/b~c", ""];

function objectChanges(object: JsonObject, { nodes }: Place, random: Random): Change[] {
  const keys = Object.keys(object);
  const changes: Change[] = [];
  for (const key of keys) {
    const name = misspelled(key, random);
    changes.push(
      { kind: "dropped", change: () => `dropped ${JSON.stringify(key)}`, value: () => without(object, key) },
      {
        kind: "renamed",
        change: () => `renamed ${JSON.stringify(key)} to ${JSON.stringify(name)}`,
        value: () => renamed(object, key, name),
      },
    );
  }
  const described = new Set(nodes.flatMap((node) => [...(node.properties?.keys() ?? [])]));
  for (const key of described) if (!Object.hasOwn(object, key)) changes.push(added(object, key, random));
  changes.push(added(object, random.pick(unknownKeys), random));
  for (const { maxProperties } of nodes) {
    if (maxProperties === undefined || maxProperties > 1000) continue;
    const more = Array.from({ length: maxProperties + 1 }, (_, index) => `more${index}`);
    changes.push({
      kind: "added",
      change: () => `given ${maxProperties + 1} members more`,
      value: () => more.reduce((grown, key) => extended(grown, key, "added"), object),
    });
  }
  const own = random.pick([null, {}, 1.5]);
  changes.push({
    kind: "prototype",
    change: () => "given an own __proto__",
    value: () => extended(object, "__proto__", own),
  });
  return changes;
}

function added(object: JsonObject, key: string, random: Random): Change {
  const value = random.pick<JsonValue>([null, 1.5, "added", {}, [null], true]);
  return {
    kind: "added",
    change: () => `given ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
    value: () => extended(object, key, value),
  };
}

/** `key` with a typing error: a letter omitted, doubled, swapped, or in the other case. */
function misspelled(key: string, random: Random): string {
  if (key.length < 2) return `${key}x`;
  const at = random.below(key.length - 1);
  const [before, here, next, after] = [key.slice(0, at), key[at]!, key[at + 1]!, key.slice(at + 2)];
  const upper = here.toUpperCase();
  return random.pick([
    before + next + after,
    before + here + here + next + after,
    before + next + here + after,
    before + (upper === here ? here.toLowerCase() : upper) + next + after,
  ]);
}

function numberChanges(value: number, { nodes }: Place, random: Random): Change[] {
  const beyond = nodes.flatMap(({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }) => [
    ...[minimum, exclusiveMinimum].filter((bound) => bound !== undefined).map((bound) => bound - 1),
    ...[maximum, exclusiveMaximum].filter((bound) => bound !== undefined).map((bound) => bound + 1),
  ]);
  const other = random.pick([-value - 1, 1e300, 2 ** 53, -(2 ** 63)]);
  return [
    ...[value + 0.5, other, ...beyond].map((number) => change("number", `made ${number}`, number)),
    change("type", "number made its text", String(value)),
  ];
}

function stringChanges(value: string, { nodes }: Place): Change[] {
  const changes = [change("type", "string made 3", 3)];
  if (value !== "") changes.push(change("string", "emptied", ""));
  for (const { maxLength } of nodes) {
    if (maxLength === undefined || maxLength > 10_000) continue;
    changes.push(change("string", `made ${maxLength + 1} characters`, "x".repeat(maxLength + 1)));
  }
  return changes;
}

function change(kind: ChangeKind, text: string, value: JsonValue): Change {
  return { kind, change: () => text, value: () => value };
}

function kind(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
