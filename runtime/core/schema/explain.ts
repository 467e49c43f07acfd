import { type JsonValue, type Schema, type SchemaNode, isValid } from "@mcpgen/engine/interpreter";
import { isObject } from "../peer/message.js";

/** Longest text. */
const longest = 400;

/** Deepest place that is looked for: what is wrong further in is told here. */
const deepest = 64;

/** What is wrong with a value that was refused, in one line: `days: expected integer, got "3"`. */
export function explain(given: Schema, node: SchemaNode, value: JsonValue): string {
  // What the schema takes was refused for a format, which generated validators may check.
  const schema: Schema = isValid(given, node, value) ? { ...given, assertsFormats: true } : given;
  const { path, expected, got } = search(schema, node, value, []);
  const where = path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join("");
  const text = `${where === "" ? "" : `${where}: `}expected ${expected}, got ${got}`;
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

interface Wrong {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly got: string;
}

function search(
  schema: Schema,
  node: SchemaNode,
  value: JsonValue,
  path: readonly (string | number)[],
): Wrong {
  const wrong = (expected: string, got = textOf(value)): Wrong => ({ path, expected, got });
  if (path.length >= deepest) return wrong("something else");
  const inner = innermost(schema, node, value);
  if (inner !== node) return search(schema, inner, value, path);
  const { types, enum: values, const: only, required = [] } = node;
  if (types && !types.some((type) => hasType(type, value))) return wrong(types.join(" or "));
  if (only) return isValid(schema, node, value) ? wrong("something else") : wrong(JSON.stringify(only.value));
  if (values && !isValid(schema, { pointer: node.pointer, enum: values }, value))
    return wrong(`one of ${values.map((choice) => JSON.stringify(choice)).join(", ")}`);
  if (isObject(value)) {
    const missing = required.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return { path: [...path, missing], expected: "a value", got: "nothing" };
    const found = wrongMember(schema, node, value as { readonly [key: string]: JsonValue }, path);
    if (found) return found;
  }
  if (Array.isArray(value)) {
    const found = wrongItem(schema, node, value, path);
    if (found) return found;
  }
  return wrong(boundsOf(node, schema.assertsFormats === true));
}

/** The part of a reference or a conjunction that refuses the value. */
function innermost(schema: Schema, node: SchemaNode, value: JsonValue): SchemaNode {
  const target = node.ref === undefined ? undefined : schema.definitions.get(node.ref)?.node;
  return [target, ...(node.allOf ?? [])].find((part) => part && !isValid(schema, part, value)) ?? node;
}

function wrongMember(
  schema: Schema,
  { properties, additionalProperties }: SchemaNode,
  value: { readonly [key: string]: JsonValue },
  path: readonly (string | number)[],
): Wrong | undefined {
  for (const [key, member] of Object.entries(value)) {
    const described = properties?.get(key) ?? additionalProperties;
    if (!described || isValid(schema, described, member)) continue;
    const at = [...path, key];
    if (described.never) return { path: at, expected: "no such member", got: textOf(member) };
    return search(schema, described, member, at);
  }
  return undefined;
}

function wrongItem(
  schema: Schema,
  { prefixItems = [], items }: SchemaNode,
  value: readonly JsonValue[],
  path: readonly (string | number)[],
): Wrong | undefined {
  for (const [index, item] of value.entries()) {
    const described = prefixItems[index] ?? items;
    if (described && !isValid(schema, described, item))
      return search(schema, described, item, [...path, index]);
  }
  return undefined;
}

/** What else a node asks for, in words. */
function boundsOf(node: SchemaNode, assertsFormats: boolean): string {
  const bounds = (
    [
      ["minLength", "characters at least"],
      ["maxLength", "characters at most"],
      ["minimum", "or more"],
      ["maximum", "or less"],
      ["exclusiveMinimum", "exceeded"],
      ["exclusiveMaximum", "not reached"],
      ["multipleOf", "or a multiple of it"],
      ["minItems", "items at least"],
      ["maxItems", "items at most"],
      ["minProperties", "members at least"],
      ["maxProperties", "members at most"],
    ] as const
  ).flatMap(([keyword, words]) => (node[keyword] === undefined ? [] : [`${node[keyword]} ${words}`]));
  if (node.pattern !== undefined) bounds.push(`text that matches ${node.pattern}`);
  if (assertsFormats && node.format !== undefined) bounds.push(`the format ${node.format}`);
  if (node.uniqueItems) bounds.push("no item twice");
  if (node.anyOf) bounds.push("one of the alternatives");
  if (node.oneOf) bounds.push("exactly one of the alternatives");
  return bounds.length === 0 ? "what the schema describes" : bounds.join(", ");
}

function hasType(type: string, value: JsonValue): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

function textOf(value: JsonValue): string {
  const text = JSON.stringify(value) ?? "nothing";
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  return typeof value === "string" || value === null
    ? short
    : `${short} (${Array.isArray(value) ? "array" : typeof value})`;
}
