import { type JsonObject, type JsonValue, editDistance, isJsonObject, kindOf, pointer } from "@mcpgen/engine";
import { type Schema, type SchemaNode, isValid, readDocument } from "@mcpgen/engine/interpreter";
import type { CodeOfError } from "../diagnostics/catalogue.js";
import { closest } from "../diagnostics/suggest.js";
import { contractSchema } from "./contract-schema.js";
import { mostLevels, tooDeep } from "./depth.js";
import { duplicateNameFaults } from "./duplicate-names.js";

/** The fault of a value that is no contract. */
export interface Fault {
  readonly code: CodeOfError;
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
  /** For a duplicate name: the place of the first. */
  readonly first?: string;
  /** A text is expected where a number or a truth value is: in YAML, quotes may be all that is missing. */
  readonly lacksQuotes?: boolean;
}

/** The advice for a value without a more exact one. */
export const correctValue = "Correct the value; `mcpgen explain MG6003` says more.";

let read: Schema | undefined;

/** The first thing in `value` that keeps it from being a contract. */
export function contractFault(value: JsonValue): Fault | undefined {
  const [first] = contractFaults(value);
  return first;
}

/**
 * The faults of `value` as a contract, one by one: violations of the contract's schema, misspelt keys, and duplicate
 * names.
 */
export function* contractFaults(value: JsonValue): Generator<Fault> {
  const deep = tooDeep(value);
  if (deep !== undefined) {
    yield {
      code: "MG6003",
      pointer: deep,
      message: `expected at most ${mostLevels} nested levels, got more`,
      next: "Make it flatter.",
    };
    return;
  }
  read ??= readDocument(contractSchema);
  yield* schemaFaults(read, read.root!, value, "");
  yield* duplicateNameFaults(value);
}

/**
 * The violations of a schema, each at the innermost place that shows it.
 *
 * @param at JSON Pointer of the value
 */
export function* schemaFaults(
  schema: Schema,
  node: SchemaNode,
  value: JsonValue,
  at: string,
): Generator<Fault> {
  if (node.ref !== undefined)
    return yield* schemaFaults(schema, schema.definitions.get(node.ref)!.node, value, at);
  let isWhole = true;
  for (const fault of innerFaults(schema, node, value, at)) {
    isWhole = false;
    yield fault;
  }
  if (!isWhole || isValid(schema, node, value)) return;
  const wantsText = node.types?.includes("string") ?? false;
  yield {
    code: "MG6003",
    pointer: at,
    message: `expected ${expectationOf(node)}, got ${gotText(value)}`,
    next: meantValue(node, value) ?? correctValue,
    ...(wantsText && ["number", "boolean"].includes(typeof value) && { lacksQuotes: true }),
  };
}

/** Advice for a text that misspells one of several. */
function meantValue({ enum: choices = [] }: SchemaNode, value: JsonValue): string | undefined {
  if (typeof value !== "string") return undefined;
  const meant = closest(
    value,
    choices.filter((choice) => typeof choice === "string"),
  );
  return meant === undefined ? undefined : `Did you mean ${JSON.stringify(meant)}?`;
}

function* innerFaults(schema: Schema, node: SchemaNode, value: JsonValue, at: string): Generator<Fault> {
  if (isJsonObject(value)) yield* objectFaults(schema, node, value, at);
  else if (Array.isArray(value) && node.items)
    for (const [index, item] of value.entries())
      yield* schemaFaults(schema, node.items, item, pointer(at, index));
}

function* objectFaults(
  schema: Schema,
  { types, properties, additionalProperties, required = [] }: SchemaNode,
  value: JsonObject,
  at: string,
): Generator<Fault> {
  if (types && !types.includes("object")) return;
  const names = [...(properties?.keys() ?? [])];
  const meant = new Set<string>();
  for (const [key, member] of Object.entries(value)) {
    const described = properties?.get(key);
    if (described) {
      yield* schemaFaults(schema, described, member, pointer(at, key));
      continue;
    }
    const fits = (name: string): boolean =>
      Array.isArray(member) && isValid(schema, properties!.get(name)!, member);
    const closed = additionalProperties?.never === true;
    const slip = unknownKey(key, names, closed, value, pointer(at, key), fits);
    if (slip?.meant !== undefined) meant.add(slip.meant);
    if (slip) yield slip.fault;
  }
  for (const missing of required) {
    if (Object.hasOwn(value, missing) || meant.has(missing)) continue;
    const described = properties?.get(missing);
    yield {
      code: "MG6003",
      pointer: at,
      message: `expected the key ${JSON.stringify(missing)}, which is missing`,
      next: `Add ${JSON.stringify(missing)}${described ? `: ${expectationOf(described)}` : ""}.`,
    };
  }
}

/** An unknown key is rejected if the schema is closed there, or if it looks like a typo of a known key. */
function unknownKey(
  key: string,
  names: readonly string[],
  closed: boolean,
  value: JsonObject,
  at: string,
  fits: (name: string) => boolean,
): { readonly fault: Fault; readonly meant: string | undefined } | undefined {
  const free = names.filter((name) => !Object.hasOwn(value, name));
  const meant = closest(key, free);
  if (!closed && (meant === undefined || !slips(key, meant, fits))) return undefined;
  const next =
    meant === undefined ? `The keys are ${names.join(", ")}.` : `Did you mean ${JSON.stringify(meant)}?`;
  const message = `there is no key ${JSON.stringify(key)}`;
  return { meant, fault: { code: "MG6002", pointer: at, message, next } };
}

/**
 * In open objects only names that hardly can be another word: case, `_` and `-`, or one letter of a long one; of a shorter
 * one if the value is a list that fits, such as `scope: ["files:read"]`.
 */
function slips(key: string, meant: string, fits: (name: string) => boolean): boolean {
  const plain = (name: string): string => name.toLowerCase().replace(/(?<=.)[_-]/g, "");
  if (plain(key) === plain(meant)) return true;
  return editDistance(key, meant, 2) <= 1 && (meant.length >= 7 || fits(meant));
}

export function expectationOf({
  never,
  not,
  types,
  const: only,
  enum: choices,
  minLength,
  minimum,
  maximum,
  pattern,
}: SchemaNode): string {
  if (never || (not && acceptsAll(not))) return "no value";
  if (only) return JSON.stringify(only.value);
  if (choices) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  const type = types?.[0] ?? "value";
  const article = /^[aeiou]/.test(type) ? "an" : "a";
  if (minLength !== undefined) return `a non-empty ${type}`;
  if (pattern !== undefined) return `${article} ${type} that matches ${pattern}`;
  const least = minimum === undefined ? "" : ` of ${minimum} or more`;
  return `${article} ${type}${maximum === undefined ? least : ` from ${minimum} to ${maximum}`}`;
}

/** Whether a schema has no keyword: it is `true` or `{}`. */
function acceptsAll(node: SchemaNode): boolean {
  return Object.keys(node).every((key) => key === "pointer" || key === "always");
}

export function gotText(value: JsonValue): string {
  if (typeof value !== "string" && typeof value !== "number") return kindOf(value);
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
