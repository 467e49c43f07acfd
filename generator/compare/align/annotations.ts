import { type JsonValue, type SchemaNode, canonicalText, jsonEqual } from "@mcpgen/engine";
import { commonLocation, locationOf } from "../location.js";
import type { Fact } from "./pair.js";

/** The annotations of two nodes: defaults, deprecation, prose. */
export function compareAnnotations(old: SchemaNode, next: SchemaNode): Fact[] {
  const facts: Fact[] = [];
  const found = (rule: string, before: string | null, after: string | null): void =>
    void facts.push({ rule, ...placesOf(old, next), old: before, new: after });

  if (old.default && next.default) {
    if (!jsonEqual(old.default.value, next.default.value)) {
      found("default-changed", text(old.default.value), text(next.default.value));
    }
  } else if (next.default) found("default-added", null, text(next.default.value));
  else if (old.default) found("default-removed", text(old.default.value), null);

  if (!old.deprecated && next.deprecated) found("deprecated-added", null, "deprecated");
  if (old.deprecated && !next.deprecated) found("deprecated-removed", "deprecated", null);
  facts.push(...compareProse(old, next));
  return facts;
}

/** Whether a fact is of this kind: it leaves alone what is valid. */
export function isAnnotation({ rule }: Fact): boolean {
  return /^(?:default|deprecated|description|docs)-/.test(rule);
}

function text(value: JsonValue): string {
  return `default ${canonicalText(value)}`;
}

/** Prose that only one side has is not compared. */
function compareProse(old: SchemaNode, next: SchemaNode): Fact[] {
  if (old.description === undefined || next.description === undefined) return [];
  if (old.description === next.description) return [];
  const places = placesOf(old, next);
  const [before, after] = [normative(old.description), normative(next.description)];
  if (before !== after) return [{ rule: "docs-normative", ...places, old: before, new: after }];
  return [{ rule: "description-changed", ...places, old: old.description, new: next.description }];
}

function placesOf(old: SchemaNode, next: SchemaNode): Pick<Fact, "subject" | "at"> {
  return {
    subject: commonLocation(locationOf(old.pointer), locationOf(next.pointer)),
    at: { old: old.pointer, new: next.pointer },
  };
}

/** The words of RFC 2119 that a text uses, with how often. */
function normative(description: string): string {
  const words =
    description.match(/\b(?:MUST|SHALL|SHOULD)(?: NOT)?\b|\b(?:MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b/g) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, count]) => `${word} × ${count}`)
    .join(", ");
}
