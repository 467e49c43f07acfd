import { type Schema, type SchemaNode, formats } from "@mcpgen/engine";
import { withChildren, withNodes } from "../with-children.js";

/** A node whose `format` is asserted. `scanned` is internal: no schema document has it. */
interface ScannedNode extends SchemaNode {
  /** The format, one that the engine knows. */
  readonly scanned?: string;
}

/** The format that texts must be of for `node`, where formats are asserted. */
export function scannedFormat(node: SchemaNode): string | undefined {
  return (node as ScannedNode).scanned;
}

/** The schema with formats asserted, if `formats` or its meta-schema requires it; else the schema as it is. */
export function assertFormats(schema: Schema, formats: "annotation" | "assertion" | undefined): Schema {
  const asserts = formats === undefined ? schema.assertsFormats === true : formats === "assertion";
  return asserts ? withScannedFormats(schema) : schema;
}

/**
 * The schema with the formats that the engine knows asserted (validation, section 7.2.2): each
 * such node gets `scanned`. Without it, formats are annotations.
 */
function withScannedFormats(schema: Schema): Schema {
  return { ...withNodes(schema, scanned), assertsFormats: true };
}

function scanned(node: SchemaNode): ScannedNode {
  const inner = withChildren(node, scanned);
  const { format } = node;
  return format !== undefined && formats.has(format) ? { ...inner, scanned: format } : inner;
}
