import { type JsonObject, canonicalText, isJsonObject, jsonEqual } from "@mcpgen/engine";
import type { Finding, Policy } from "../finding.js";
import { type Part, contractFinding } from "./contract-finding.js";

/** The default for a tool without `execution`. */
const usual = "forbidden";

/** Compares how two forms of a tool may be called (2025-11-25, Tasks, tool-level negotiation). */
export function compareExecution(part: Part, old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
  const [before, after] = [executionOf(old), executionOf(next)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [a, b] = [before[key], after[key]];
    if (a !== undefined && b !== undefined && jsonEqual(a, b)) return [];
    const difference = {
      path: `execution.${key}`,
      old: a === undefined ? null : canonicalText(a),
      new: b === undefined ? null : canonicalText(b),
      // Clients choose how they call.
      writer: "client" as const,
      pointer: old["task"] || next["task"] ? "/task" : "/execution",
    };
    return contractFinding(part, { ...difference, ...ruleOf(key, a ?? usual, b ?? usual) }, policy);
  });
}

function ruleOf(key: string, old: unknown, next: unknown): { rule: string; when?: string } {
  const known = [old, next].every((value) => ["forbidden", "optional", "required"].includes(value as string));
  if (key !== "taskSupport" || !known || old === next) return { rule: "listing-changed" };
  const rule = `task-call-${next as string}`;
  return next !== "optional" && old === "optional" ? { rule, when: "it was optional" } : { rule };
}

/** What clients see: `support` of the contract's `task`, else the list's `execution`. */
function executionOf({ execution, task }: JsonObject): JsonObject {
  const listed = isJsonObject(execution) ? execution : {};
  if (!isJsonObject(task)) return listed;
  const { taskSupport: _, ...others } = listed;
  return task["support"] === usual ? others : { ...others, taskSupport: task["support"]! };
}
