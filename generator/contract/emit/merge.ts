import { type Definition, type Matcher, type Schema, type SchemaNode, isAutomaton } from "@mcpgen/engine";
import { assertFormats } from "../../targets/typescript/texts/modules.js";

/** Keywords whose values are data, without schema references. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/**
 * Merges schemas into one. Each root becomes a definition of the given name, and its definitions get names
 * with a space after that. Whether formats are asserted, by meta-schema or `formats`, is decided for each
 * schema before.
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
    // If one schema could not afford to analyse a pattern, an automaton matches it everywhere.
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
