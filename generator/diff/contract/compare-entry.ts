import {
  type JsonObject,
  type JsonValue,
  canonicalText,
  isJsonObject,
  jsonEqual,
  pointer,
} from "@mcpgen/engine";
import type { Finding, Policy } from "../finding.js";
import { type Comparison, compareSchemas } from "./compare-schemas.js";
import { type Part, contractFinding } from "./contract-finding.js";
import type { ComparedList } from "./lists.js";

/** Members with text for people and models. */
const texts = ["title", "description"];
/** Members that have separate rules or identify the entry; the generic comparison skips them. */
const accounted = new Set([
  "inputSchema",
  "outputSchema",
  "arguments",
  "mimeType",
  "scopes",
  "replay",
  ...texts,
]);
const accountedOfTools = new Set(["annotations", "execution", "task"]);

/** The differences of an entry that both contracts contain. */
export function compareEntry(
  part: Part,
  list: ComparedList,
  [old, next]: readonly [JsonObject, JsonObject],
  comparison: Comparison,
): Finding[] {
  if (jsonEqual(old, next)) return [];
  const { policy } = comparison;
  const said = (rule: string, key: string): Finding[] =>
    jsonEqual(old[key] ?? null, next[key] ?? null)
      ? []
      : contractFinding(
          part,
          {
            rule,
            path: key,
            old: shown(old[key]),
            new: shown(next[key]),
            writer: "server",
            pointer: pointer("", key),
          },
          policy,
        );
  const keys = new Set([...Object.keys(old), ...Object.keys(next)]);
  const isTool = list.name === "tools";
  const rest = [...keys].filter(
    (key) => !accounted.has(key) && key !== list.key && !(isTool && accountedOfTools.has(key)),
  );
  return [
    ...(isTool ? compareTool(part, old, next, comparison) : []),
    ...(list.name === "prompts" ? compareArguments(part, old, next, comparison) : []),
    ...(isTool ? compareHints(part, old, next, policy) : []),
    ...(isTool ? compareExecution(part, old, next, policy) : []),
    ...compareScopes(part, old, next, policy),
    ...said("media-type-changed", "mimeType"),
    ...texts.flatMap((key) => said("text-changed", key)),
    ...rest.flatMap((key) => said("listing-changed", key)),
  ];
}

function compareTool(part: Part, old: JsonObject, next: JsonObject, comparison: Comparison): Finding[] {
  const schemas = (key: string): [JsonObject | undefined, JsonObject | undefined] => [
    schemaOf(old[key]),
    schemaOf(next[key]),
  ];
  const [[before, after], [result, other]] = [schemas("inputSchema"), schemas("outputSchema")];
  const findings: Finding[] = [];
  if (before && after) {
    const pair = { part, noun: "arguments", pointer: "/inputSchema", writer: "client" } as const;
    findings.push(...compareSchemas({ ...pair, old: before, new: after }, comparison));
  }
  if (result && other) {
    const pair = { part, noun: "result", pointer: "/outputSchema", writer: "server" } as const;
    findings.push(...compareSchemas({ ...pair, old: result, new: other }, comparison));
  } else if (result || other) {
    const rule = result ? "output-schema-removed" : "output-schema-added";
    const difference = { rule, path: "result", old: null, new: null, writer: "server" } as const;
    findings.push(...contractFinding(part, { ...difference, pointer: "/outputSchema" }, comparison.policy));
  }
  return findings;
}

/**
 * Compares prompt arguments. They are strings by name, so both lists are converted to object schemas and
 * compared like these.
 */
function compareArguments(part: Part, old: JsonObject, next: JsonObject, comparison: Comparison): Finding[] {
  const pair = { part, noun: "arguments", pointer: "/arguments", writer: "client" } as const;
  return compareSchemas({ ...pair, old: argumentsSchema(old), new: argumentsSchema(next) }, comparison);
}

function argumentsSchema({ arguments: list }: JsonObject): JsonObject {
  const given = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const described = given.map(({ name, title, description }): [string, JsonValue] => [
    String(name),
    {
      type: "string",
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(described),
    required: given.filter(({ required }) => required === true).map(({ name }) => name!),
  };
}

function schemaOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** A short form of a value for a finding; strings are not quoted. */
function shown(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : canonicalText(value);
}

/** The value of `taskSupport` for a tool without `execution`. */
const usual = "forbidden";

/** Compares whether a tool may be called as a task (2025-11-25, Tasks, tool-level negotiation). */
function compareExecution(part: Part, old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
  const [before, after] = [executionOf(old), executionOf(next)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [a, b] = [before[key], after[key]];
    if (a !== undefined && b !== undefined && jsonEqual(a, b)) return [];
    const difference = {
      path: `execution.${key}`,
      old: a === undefined ? null : canonicalText(a),
      new: b === undefined ? null : canonicalText(b),
      // The client decides how to call.
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

/** The task support that clients see: `support` of the contract's `task`, else `execution` in the list. */
function executionOf({ execution, task }: JsonObject): JsonObject {
  const listed = isJsonObject(execution) ? execution : {};
  if (!isJsonObject(task)) return listed;
  const { taskSupport: _, ...others } = listed;
  return task["support"] === usual ? others : { ...others, taskSupport: task["support"]! };
}

/** Compares the scopes that a request for an entry requires (RFC 6749, 3.3); one finding for each scope. */
function compareScopes(part: Part, old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
  const [before, after] = [scopesOf(old), scopesOf(next)];
  const found = (rule: string, scope: string, at: "old" | "new"): Finding[] =>
    contractFinding(
      part,
      // Clients request the scopes of their tokens.
      { rule, path: "scopes", old: null, new: null, [at]: scope, writer: "client", pointer: "/scopes" },
      policy,
    );
  return [
    ...[...after]
      .filter((scope) => !before.has(scope))
      .flatMap((scope) => found("scope-added", scope, "new")),
    ...[...before]
      .filter((scope) => !after.has(scope))
      .flatMap((scope) => found("scope-removed", scope, "old")),
  ];
}

function scopesOf({ scopes }: JsonObject): Set<string> {
  return new Set(Array.isArray(scopes) ? scopes.map(String) : []);
}

/** The default of each hint, and the value for which the tool has fewer effects. */
const hints = new Map([
  ["readOnlyHint", { absent: false, less: true }],
  ["destructiveHint", { absent: true, less: false }],
  ["idempotentHint", { absent: false, less: true }],
  ["openWorldHint", { absent: true, less: false }],
]);

/** Compares the annotations of a tool (2025-03-26, ToolAnnotations). */
function compareHints(part: Part, old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
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
    return contractFinding(part, { ...difference, rule: hintRule(key, a, b) }, policy);
  });
}

function hintRule(key: string, old: unknown, next: unknown): string {
  const hint = hints.get(key);
  if (!hint) return key === "title" ? "text-changed" : "listing-changed";
  const [before, after] = [old ?? hint.absent, next ?? hint.absent];
  if (before === after) return "listing-changed";
  return after === hint.less ? "hint-strengthened" : "hint-weakened";
}

function annotationsOf({ annotations }: JsonObject): JsonObject {
  return isJsonObject(annotations) ? annotations : {};
}
