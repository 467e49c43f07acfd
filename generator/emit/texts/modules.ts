import { type Schema, descendants, isAutomaton, matcherOf } from "@mcpgen/engine";
import { copyModule } from "../copied-module.js";
import type { Files, SchemaInput } from "../emitter.js";
import { capitalised } from "../../print/names.js";
import { scannedFormat } from "./scanned.js";

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
