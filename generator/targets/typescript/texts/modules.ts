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
import { capitalised } from "../../../print/text.js";

/**
 * Whether a generated automaton must match `pattern`: the platform's regular expressions may need more than
 * linear time for it, or this is too expensive to decide.
 *
 * @param patterns the matchers of the schema that contains it
 */
export function isHazardous(pattern: string, patterns: Schema["patterns"]): boolean {
  return isAutomaton(patterns?.get(pattern) ?? matcherOf(pattern));
}

/** Which of `textModules` the emitted code of a schema imports. */
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

/** The function of `formats.ts` that validates a format: `isDateTime` for `date-time`. */
export function scannerOf(format: string): string {
  return `is${format.split("-").map(capitalised).join("")}`;
}

/** Emits the text modules that a schema's validators import. */
export function textModules(needs: TextNeeds, input: SchemaInput): Files {
  const names = (["formats", "patterns"] as const).filter((name) => needs[name]);
  return new Map(names.map((name) => [`${input.folder}/${name}.ts`, { content: copyModule(name, input) }]));
}

/** A node whose `format` is asserted. `scanned` is internal and never occurs in a schema document. */
interface ScannedNode extends SchemaNode {
  /** The asserted format, one that the engine knows. */
  readonly scanned?: string;
}

/** The format that strings must have for `node`; undefined if none is asserted. */
export function scannedFormat(node: SchemaNode): string | undefined {
  return (node as ScannedNode).scanned;
}

/**
 * Returns the schema with formats asserted if `formats` or the meta-schema requires it, else the schema
 * unchanged.
 */
export function assertFormats(schema: Schema, formats: "annotation" | "assertion" | undefined): Schema {
  const asserts = formats === undefined ? schema.assertsFormats === true : formats === "assertion";
  return asserts ? withScannedFormats(schema) : schema;
}

/**
 * Asserts the formats that the engine knows (validation, section 7.2.2): each such node gets `scanned`.
 * Otherwise formats are annotations.
 */
function withScannedFormats(schema: Schema): Schema {
  return { ...withNodes(schema, scanned), assertsFormats: true };
}

function scanned(node: SchemaNode): ScannedNode {
  const inner = withChildren(node, scanned);
  const { format } = node;
  return format !== undefined && formats.has(format) ? { ...inner, scanned: format } : inner;
}
