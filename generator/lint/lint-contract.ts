import { editDistance, pointer, groupBy } from "@mcpgen/engine";
import type { Contract } from "../contract/contract.js";
import { scopesOf, withoutUnlisted } from "../contract/scopes.js";
import { nameInHosts } from "../contract/project-name.js";
import { asListed } from "../contract/tasks.js";
import { definitionAround, placesOf, unusedDefinitions } from "./places.js";
import { unreadParts } from "./reading.js";
import {
  type Level,
  type LintRule,
  type LintSubject,
  type Mend,
  type Profile,
  levelFor,
  nameFor,
  profileText,
} from "./rule.js";
import { contradictionRules, unionRules } from "./contradictions.js";
import { keywordRules } from "./keywords.js";
import { nameRules, scopeRules, taskRules } from "./tool.js";
import { patternRules } from "./patterns.js";
import { structureRules } from "./structure.js";

/** A violation of a rule in a contract. */
export interface LintProblem {
  readonly rule: LintRule;
  /** The rule's level for these profiles. */
  readonly level: Level;
  readonly tool: string;
  /** The selected profiles to which the rule applies. */
  readonly profiles: readonly Profile[];
  /** How messages name them: hosts with what they do. */
  readonly judges: readonly string[];
  readonly pointer: string;
  readonly message: string;
  /** The certain correction, if there is one. */
  readonly mend?: Mend;
}

/** The share of a model's context that a tool uses. */
export interface ToolCost {
  readonly tool: string;
  readonly pointer: string;
  /** Size of the tool's entry in `tools/list`. */
  readonly bytes: number;
  /** Estimated as a quarter of the bytes. */
  readonly tokens: number;
}

/**
 * Applies the rules of the profiles to the contract: tool by tool, in the order of the rule table.
 *
 * @param revision of the server; by default the newest
 */
export function lintContract(
  contract: Contract,
  profiles: readonly Profile[],
  revision?: string,
): LintProblem[] {
  const problems: LintProblem[] = [];
  const { tools = [] } = contract;
  const server = nameInHosts(contract.name);
  const similarScopes = scopesAlike(scopesOf(contract));
  const alike = similarNames(tools.map(({ name }) => name));
  for (const [index, tool] of tools.entries()) {
    const at = pointer("/tools", index);
    const places = placesOf(tool.inputSchema, pointer(at, "inputSchema"));
    const unused = unusedDefinitions(places);
    const results = tool.outputSchema ? placesOf(tool.outputSchema, pointer(at, "outputSchema")) : [];
    const unread = once(() => [places, results].flatMap(([root]) => (root ? unreadParts(root) : [])));
    const schemas = { places, results, unread, unused };
    const subject: LintSubject = { tool, pointer: at, ...schemas, alike, similarScopes };
    const isRead = isUsed(unused, pointer(at, "inputSchema"));
    const read: LintSubject = {
      ...subject,
      places: places.filter(isRead),
      unread: once(() => unread().filter(isRead)),
    };
    for (const rule of lintRules) {
      const nameOf = (profile: Profile): string =>
        rule.inHosts ? nameFor(profile, server, tool.name) : tool.name;
      const all = profiles.filter((profile) => levelFor(rule, profile, { revision }));
      for (const name of new Set(all.map(nameOf))) {
        const concerned = all.filter((profile) => nameOf(profile) === name);
        const judged = worst(rule, concerned, revision) === "error" ? subject : read;
        for (const spot of rule.find({ ...judged, tool: { ...tool, name } })) {
          const inResult = spot.pointer.startsWith(pointer(at, "outputSchema"));
          const met = concerned.filter((profile) => levelFor(rule, profile, { inResult, revision }));
          if (met.length === 0) continue;
          const judges = met.map((profile) => profileText(rule.id, profile, revision));
          const level = worst(rule, met, revision);
          problems.push({ rule, level, tool: tool.name, profiles: met, judges, ...spot });
        }
      }
    }
  }
  return problems;
}

function worst(rule: LintRule, concerned: readonly Profile[], revision: string | undefined): Level {
  return concerned.some((profile) => levelFor(rule, profile, { revision }) === "error") ? "error" : "warning";
}

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: compute() }).value;
}

/**
 * Whether a rule examines a place of the schema at `root`. Errors count in unused definitions, too, because
 * hosts reject them; warnings do not.
 */
function isUsed(unused: readonly string[], root: string): (place: { readonly pointer: string }) => boolean {
  const without = new Set<string | undefined>(unused);
  return ({ pointer: at }) =>
    without.size === 0 || !at.startsWith(`${root}/`) || !without.has(definitionAround(at, root));
}

/**
 * For each scope, the others that differ only in case, punctuation or one letter. Scopes that differ in
 * digits are distinct.
 */
function scopesAlike(scopes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const form = (scope: string): string => scope.toLowerCase().replace(/[-_.:/]/g, "");
  const digits = (scope: string): string => scope.replace(/\D/g, "");
  const areAlike = (one: string, other: string): boolean =>
    form(one) === form(other) ||
    (one.length >= 7 && digits(one) === digits(other) && editDistance(one, other, 2) <= 1);
  return new Map(
    scopes
      .map((scope) => [scope, scopes.filter((each) => each !== scope && areAlike(scope, each))] as const)
      .filter(([, others]) => others.length > 0),
  );
}

/** Groups names that differ only in case or punctuation. */
function similarNames(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byForm = groupBy(names, (name) => name.toLowerCase().replace(/[-_.]/g, ""));
  const groups = [...byForm.values()].filter(({ length }) => length > 1);
  return new Map(groups.flatMap((same) => same.map((name) => [name, same.filter((each) => each !== name)])));
}

/** Estimates each tool's share of a model's context. */
export function toolCosts(contract: Contract): ToolCost[] {
  return (asListed(withoutUnlisted(contract), false).tools ?? []).map((tool, index) => {
    const bytes = Buffer.byteLength(JSON.stringify(tool));
    return { tool: tool.name, pointer: pointer("/tools", index), bytes, tokens: Math.ceil(bytes / 4) };
  });
}

/** All rules of `mcpgen lint`, in the order of docs/lint.md. */
export const lintRules: readonly LintRule[] = [
  ...nameRules,
  ...structureRules,
  ...keywordRules,
  ...patternRules,
  ...contradictionRules,
  ...unionRules,
  ...scopeRules,
  ...taskRules,
];
