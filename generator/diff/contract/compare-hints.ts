import { type JsonObject, canonicalText, isJsonObject, jsonEqual, pointer } from "@mcpgen/engine";
import type { Finding, Policy } from "../finding.js";
import { type Part, contractFinding } from "./contract-finding.js";

/** The default of each hint, and the value by which the tool does less. */
const hints = new Map([
  ["readOnlyHint", { absent: false, less: true }],
  ["destructiveHint", { absent: true, less: false }],
  ["idempotentHint", { absent: false, less: true }],
  ["openWorldHint", { absent: true, less: false }],
]);

/** Compares the annotations of two forms of a tool (2025-03-26, ToolAnnotations). */
export function compareHints(part: Part, old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
  const [before, after] = [annotationsOf(old), annotationsOf(next)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [a, b] = [before[key], after[key]];
    if (a !== undefined && b !== undefined && jsonEqual(a, b)) return [];
    const difference = {
      path: `annotations.${key}`,
      old: a === undefined ? null : canonicalText(a),
      new: b === undefined ? null : canonicalText(b),
      writer: "server" as const,
      pointer: pointer("/annotations", key),
    };
    return contractFinding(part, { ...difference, rule: ruleOf(key, a, b) }, policy);
  });
}

function ruleOf(key: string, old: unknown, next: unknown): string {
  const hint = hints.get(key);
  if (!hint) return key === "title" ? "text-changed" : "listing-changed";
  const [before, after] = [old ?? hint.absent, next ?? hint.absent];
  if (before === after) return "listing-changed";
  return after === hint.less ? "hint-strengthened" : "hint-weakened";
}

function annotationsOf({ annotations }: JsonObject): JsonObject {
  return isJsonObject(annotations) ? annotations : {};
}
