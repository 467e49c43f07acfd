import {
  type JsonObject,
  type JsonValue,
  canonicalText,
  isJsonObject,
  jsonEqual,
  pointer,
} from "@mcpgen/engine";
import type { Finding } from "../finding.js";
import { compareExecution } from "./compare-execution.js";
import { compareHints } from "./compare-hints.js";
import { type Comparison, compareSchemas } from "./compare-schemas.js";
import { compareScopes } from "./compare-scopes.js";
import { type Part, contractFinding } from "./contract-finding.js";
import type { ComparedList } from "./lists.js";

/** Texts that people and models read. */
const texts = ["title", "description"];
/** Members with separate rules, and the members that identify the entry. */
const accounted = new Set(["inputSchema", "outputSchema", "arguments", "mimeType", "scopes", ...texts]);
const accountedOfTools = new Set(["annotations", "execution", "task"]);

/** The differences of an entry that both contracts have. */
export function compareEntry(
  part: Part,
  list: ComparedList,
  old: JsonObject,
  next: JsonObject,
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

/** Arguments of prompts are texts by name: an object, as schemas describe them. */
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

/** A value in short, for a finding: texts as they are. */
function shown(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : canonicalText(value);
}
