import { type JsonObject, type JsonValue, isJsonObject, kindOf, pointer } from "@mcpgen/engine";
import { type Schema, type SchemaNode, isValid, readDocument } from "@mcpgen/engine/interpreter";
import type { DiagnosticCode } from "../diagnostics/catalogue.js";
import { closest } from "../diagnostics/suggest.js";
import { contractSchema } from "./contract-schema.js";
import { mostLevels, tooDeep } from "./depth.js";

/** What keeps a value from being a contract. */
export interface Fault {
  readonly code: DiagnosticCode;
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
}

let read: Schema | undefined;

/** The first thing in `value` that the schema of contracts refuses, or that is all but a key it knows. */
export function contractFault(value: JsonValue): Fault | undefined {
  const deep = tooDeep(value);
  if (deep !== undefined)
    return {
      code: "MG6003",
      pointer: deep,
      message: `expected at most ${mostLevels} levels, one inside the other, got more`,
      next: "Make it flatter.",
    };
  read ??= readDocument(contractSchema);
  return faultOf(read, read.root!, value, "");
}

function faultOf(schema: Schema, node: SchemaNode, value: JsonValue, at: string): Fault | undefined {
  if (node.ref !== undefined) return faultOf(schema, schema.definitions.get(node.ref)!.node, value, at);
  const inner = isJsonObject(value)
    ? faultOfObject(schema, node, value, at)
    : Array.isArray(value) && node.items
      ? firstFault(value, (item, index) => faultOf(schema, node.items!, item, pointer(at, index)))
      : undefined;
  if (inner || isValid(schema, node, value)) return inner;
  const expected = expectationOf(node);
  return {
    code: "MG6003",
    pointer: at,
    message: `expected ${expected}, got ${gotText(value)}`,
    next: "Correct the value; `mcpgen explain MG6003` tells more.",
  };
}

function faultOfObject(
  schema: Schema,
  { types, properties, additionalProperties, required = [] }: SchemaNode,
  value: JsonObject,
  at: string,
): Fault | undefined {
  if (types && !types.includes("object")) return undefined;
  const names = [...(properties?.keys() ?? [])];
  for (const [key, member] of Object.entries(value)) {
    const described = properties?.get(key);
    const fault = described
      ? faultOf(schema, described, member, pointer(at, key))
      : unknownKey(key, names, additionalProperties?.never === true, value, pointer(at, key));
    if (fault) return fault;
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing === undefined) return undefined;
  const described = properties?.get(missing);
  return {
    code: "MG6003",
    pointer: at,
    message: `expected the key ${JSON.stringify(missing)}, which is missing`,
    next: `Add ${JSON.stringify(missing)}${described ? `: ${expectationOf(described)}` : ""}.`,
  };
}

/** A key that nobody knows is refused where the schema does, and wherever it is a slip of a known one. */
function unknownKey(
  key: string,
  names: readonly string[],
  closed: boolean,
  value: JsonObject,
  at: string,
): Fault | undefined {
  const free = names.filter((name) => !Object.hasOwn(value, name));
  const meant = closest(key, free);
  if (!closed && (meant === undefined || !slips(key, meant))) return undefined;
  return {
    code: "MG6002",
    pointer: at,
    message: `there is no key ${JSON.stringify(key)}`,
    next:
      meant === undefined ? `The keys are ${names.join(", ")}.` : `Did you mean ${JSON.stringify(meant)}?`,
  };
}

/** In open objects only names that hardly can be another word: case, `_` and `-`, or one letter of a long one. */
function slips(key: string, meant: string): boolean {
  const plain = (name: string): string => name.toLowerCase().replace(/(?<=.)[_-]/g, "");
  return plain(key) === plain(meant) || (meant.length >= 7 && differsByOne(key, meant));
}

/** Whether one letter more, less or other makes `key` what was meant. */
function differsByOne(key: string, meant: string): boolean {
  if (Math.abs(key.length - meant.length) > 1) return false;
  let start = 0;
  while (start < key.length && key[start] === meant[start]) start++;
  let end = 0;
  const shorter = Math.min(key.length, meant.length);
  while (end < shorter - start && key.at(-1 - end) === meant.at(-1 - end)) end++;
  return Math.max(key.length, meant.length) - start - end <= 1;
}

function firstFault(
  items: readonly JsonValue[],
  faultAt: (item: JsonValue, index: number) => Fault | undefined,
): Fault | undefined {
  for (const [index, item] of items.entries()) {
    const fault = faultAt(item, index);
    if (fault) return fault;
  }
  return undefined;
}

function expectationOf({
  types,
  const: only,
  enum: choices,
  minLength,
  minimum,
  maximum,
}: SchemaNode): string {
  if (only) return JSON.stringify(only.value);
  if (choices) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  const type = types?.[0] ?? "value";
  const article = /^[aeiou]/.test(type) ? "an" : "a";
  if (minLength !== undefined) return `a non-empty ${type}`;
  const least = minimum === undefined ? "" : ` of ${minimum} or more`;
  return `${article} ${type}${maximum === undefined ? least : ` from ${minimum} to ${maximum}`}`;
}

function gotText(value: JsonValue): string {
  if (typeof value !== "string" && typeof value !== "number") return kindOf(value);
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
