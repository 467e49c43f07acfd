import { type Schema, descendants, hazardOf } from "@mcpgen/engine";
import type { Files, SchemaInput } from "../emitter.js";
import { capitalised } from "../names.js";
import { scannedFormat } from "./scanned.js";

/** Whether the platform's regular expressions may take time for `pattern` that grows faster than the text. */
export function isHazardous(pattern: string): boolean {
  return hazardOf(pattern) !== "none";
}

/** What the emitted code of a schema uses beside the language itself: modules of `textModules`. */
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
        (pattern) => pattern !== undefined && isHazardous(pattern),
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
export function textModules(
  needs: TextNeeds,
  { folder, origin, importExtension, render }: SchemaInput,
): Files {
  const names = (["formats", "patterns"] as const).filter((name) => needs[name]);
  return new Map(
    names.map((name) => [
      `${folder}/${name}.ts`,
      { content: render(`${name}.ts`, { origin, importExtension }) },
    ]),
  );
}
