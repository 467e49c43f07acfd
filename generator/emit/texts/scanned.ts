import { type Definition, type Schema, type SchemaNode, children, formats } from "@mcpgen/engine";

/** A node whose `format` is asserted: the keyword that its validator checks, which no schema has. */
export interface ScannedNode extends SchemaNode {
  /** The format, one that the engine knows. */
  readonly scanned?: string;
}

/** The format that texts must be of for `node`, where formats are asserted. */
export function scannedFormat(node: SchemaNode): string | undefined {
  return (node as ScannedNode).scanned;
}

/** The schema as validators read it: with its formats asserted, if that is asked for here or by its meta-schema. */
export function asAsked(schema: Schema, formats: "annotation" | "assertion" | undefined): Schema {
  const asserts = formats === undefined ? schema.assertsFormats === true : formats === "assertion";
  return asserts ? withScannedFormats(schema) : schema;
}

/**
 * The schema with the formats that the engine knows asserted (validation, section 7.2.2): said to be checked in
 * every node. Without, formats are annotations.
 */
function withScannedFormats(schema: Schema): Schema {
  const definitions = [...schema.definitions.values()].map((definition): [string, Definition] => [
    definition.name,
    { ...definition, node: scanned(definition.node) as SchemaNode },
  ]);
  const root = schema.root && { root: scanned(schema.root) as SchemaNode };
  return { ...schema, definitions: new Map(definitions), ...root, assertsFormats: true };
}

function scanned(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, child]) => [key, scanned(child)]));
  if (Array.isArray(value)) return value.map(scanned);
  if (typeof value !== "object" || value === null || !("pointer" in value)) return value;
  const node = value as SchemaNode;
  const below = new Set<unknown>(children(node));
  const entries = Object.entries(node).map(([key, child]) => {
    const holdsSchemas = below.has(child) || holdsAny(child, below);
    return [key, holdsSchemas ? scanned(child) : child] as const;
  });
  const known = node.format !== undefined && formats.has(node.format);
  return { ...Object.fromEntries(entries), ...(known && { scanned: node.format }) };
}

/** Whether a list or map has a schema among its members. */
function holdsAny(value: unknown, schemas: ReadonlySet<unknown>): boolean {
  if (value instanceof Map) return [...value.values()].some((child) => schemas.has(child));
  return Array.isArray(value) && value.some((child) => schemas.has(child));
}
