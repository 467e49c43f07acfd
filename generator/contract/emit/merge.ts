import {
  type Definition,
  type Matcher,
  type Schema,
  type SchemaNode,
  isAutomaton,
  withReferenceNames,
} from "@mcpgen/engine";
import { assertFormats } from "../../targets/typescript/texts/modules.js";

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
    definitions.set(prefix, { name: prefix, node: withReferenceNames(schema.root ?? anything, rename) });
    for (const { name, node } of schema.definitions.values())
      definitions.set(rename(name), { name: rename(name), node: withReferenceNames(node, rename) });
    // If one schema could not afford to analyse a pattern, an automaton matches it everywhere.
    for (const [pattern, matcher] of schema.patterns ?? [])
      if (!isAutomaton(patterns.get(pattern))) patterns.set(pattern, matcher);
  }
  return { definitions, ...(patterns.size > 0 && { patterns }) };
}

const anything: SchemaNode = { pointer: "" };
