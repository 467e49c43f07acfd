import {
  type Schema,
  type SchemaNode,
  descendants,
  isAutomaton,
  matcherOf,
  formats,
  withChildren,
  withNodes,
} from "@mcpgen/engine";
import { copyModule } from "../copied-module.js";
import type { Files, SchemaInput } from "../emitter.js";
import { capitalised } from "../../print/text.js";

/**
 * Whether an automaton matches `pattern`, for the platform's regular expressions may take time that grows faster than
 * the text, or it would take too much work to find out.
 *
 * @param patterns the matchers of the schema it stands in
 */
export function isHazardous(pattern: string, patterns: Schema["patterns"]): boolean {
  return isAutomaton(patterns?.get(pattern) ?? matcherOf(pattern));
}

/** The modules, of `textModules`, that the emitted code of a schema imports. */
export interface TextNeeds {
  readonly formats: boolean;
  readonly patterns: boolean;
}

export function textNeeds(schema: Schema): TextNeeds {
  let scans = false;
  let hazards = false;
  for (const { node } of schema.definitions.values()) {
    for (const each of descendants(node)) {
      scans ||= scannedFormat(each) !== undefined;
      hazards ||= [each.pattern, ...(each.patternProperties?.keys() ?? [])].some(
        (pattern) => pattern !== undefined && isHazardous(pattern, schema.patterns),
      );
    }
  }
  return { formats: scans, patterns: hazards };
}

/** The function of `formats.ts` that judges texts of a format: `isDateTime` for `date-time`. */
export function scannerOf(format: string): string {
  return `is${format.split("-").map(capitalised).join("")}`;
}

/** The modules that a schema's validators and checks import. */
export function textModules(needs: TextNeeds, input: SchemaInput): Files {
  const names = (["formats", "patterns"] as const).filter((name) => needs[name]);
  return new Map(names.map((name) => [`${input.folder}/${name}.ts`, { content: copyModule(name, input) }]));
}

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
