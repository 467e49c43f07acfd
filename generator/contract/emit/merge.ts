import { type Definition, type Matcher, type Schema, type SchemaNode, isAutomaton } from "@mcpgen/engine";
import { assertFormats } from "../../emit/texts/modules.js";

/** Keywords whose values are data, in which nothing refers to a schema. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/**
 * Schemas as one: each root is a definition of the name given, and its definitions stand behind a space.
 * What their meta-schemas ask of formats, or `formats` asks for all, is settled for each before.
 */
export function mergeSchemas(
  schemas: ReadonlyMap<string, Schema>,
  formats: "annotation" | "assertion" = "annotation",
): Schema {
  const definitions = new Map<string, Definition>();
  const patterns = new Map<string, Matcher>();
  for (const [prefix, given] of schemas) {
    const schema = assertFormats(given, formats === "assertion" ? formats : undefined);
    const rename = (name: string): string => `${prefix} ${name}`;
    definitions.set(prefix, { name: prefix, node: renamed(schema.root ?? anything, rename) });
    for (const { name, node } of schema.definitions.values())
      definitions.set(rename(name), { name: rename(name), node: renamed(node, rename) });
    // A pattern that one of them could not afford to judge is matched by the automaton everywhere.
    for (const [pattern, matcher] of schema.patterns ?? [])
      if (!isAutomaton(patterns.get(pattern))) patterns.set(pattern, matcher);
  }
  return { definitions, ...(patterns.size > 0 && { patterns }) };
}

const anything: SchemaNode = { pointer: "" };

function renamed(node: SchemaNode, rename: (name: string) => string): SchemaNode {
  const entries = Object.entries(node).map(([keyword, value]: [string, unknown]) => {
    if (keyword === "ref") return [keyword, rename(value as string)];
    return [keyword, data.has(keyword) ? value : renamedWithin(value, rename)];
  });
  return Object.fromEntries(entries) as unknown as SchemaNode;
}

function renamedWithin(value: unknown, rename: (name: string) => string): unknown {
  if (value instanceof Map)
    return new Map([...value].map(([key, child]) => [key, renamedWithin(child, rename)]));
  if (Array.isArray(value)) return value.map((child: unknown) => renamedWithin(child, rename));
  if (typeof value !== "object" || value === null || !("pointer" in value)) return value;
  return renamed(value as SchemaNode, rename);
}
