import { type JsonObject, PatternBudget, canonicalText, jsonEqual, pointer } from "@mcpgen/engine";
import { type Finding, type Policy, bySeverity, defaultPolicy, grouped } from "../finding.js";
import type { Contract } from "../../contract/contract.js";
import { type Unlisted, unlisted, withoutEntries } from "../../contract/incomplete-lists.js";
import { contractNames } from "../../contract/emit/names.js";
import { compareEntry } from "./compare-entry.js";
import type { Comparison } from "./compare-schemas.js";
import { type Difference, type Part, contractFinding } from "./contract-finding.js";
import { type ComparedList, comparedLists } from "./lists.js";

/**
 * Finds the differences between two contracts, worst first. Each has its effect on a client and on a server
 * of the old contract when the peer adopts the new one. Pure and deterministic. Entries are matched by
 * identity, regardless of order.
 *
 * @param beside facts that the contracts do not contain
 */
export function diffContracts(
  old: Contract,
  next: Contract,
  policy: Policy = defaultPolicy,
  { invalid = [], unlisted: left = unlisted({ old, new: next }) }: BesideContracts = {},
): Finding[] {
  const comparison = { policy, budgets: { old: new PatternBudget(), new: new PatternBudget() } };
  const sides = { old, new: next, unlisted: left };
  const findings = [
    ...comparedLists.flatMap((list) => compareList(list, sides, comparison, invalid)),
    ...compareMethods(withoutEntries(old, left), withoutEntries(next, left), policy),
    ...compareServer(old as unknown as JsonObject, next as unknown as JsonObject, policy),
  ];
  // Sorting is stable, so equally severe findings keep the contract's order.
  return grouped(findings.sort(bySeverity));
}

interface BesideContracts {
  /** Invalid entries that a live server lists and that the contracts omit. */
  readonly invalid?: readonly InvalidEntry[];
  /** Entries of one contract that the other's incomplete list neither names nor excludes. */
  readonly unlisted?: readonly Unlisted[];
}

/** Both contracts, and the entries that are not compared. */
interface Sides {
  readonly old: Contract;
  readonly new: Contract;
  readonly unlisted: readonly Unlisted[];
}

/** An entry of a live server that clients cannot use. */
export interface InvalidEntry {
  readonly list: ComparedList["name"];
  /** The entry's `name`. */
  readonly name: string;
  readonly reason: string;
}

interface Entry {
  readonly value: JsonObject;
  readonly at: string;
}

function compareList(
  list: ComparedList,
  { old, new: next, unlisted: left }: Sides,
  comparison: Comparison,
  invalid: readonly InvalidEntry[],
): Finding[] {
  const [before, after] = [entriesOf(list, old), entriesOf(list, next)];
  for (const { key, by } of left.filter((each) => each.list === list.name))
    (by === "old" ? before : after).delete(key);
  const faults = invalidOf(list, invalid, before, after);
  return [...new Set([...before.keys(), ...after.keys(), ...faults.keys()])].flatMap((key) => {
    const [a, b] = [before.get(key), after.get(key)];
    const part: Part = {
      name: `${list.name}/${key}`,
      at: { old: a?.at ?? null, new: b?.at ?? null },
      method: list.method,
    };
    const compared = a && b ? compareEntry(part, list, [a.value, b.value], comparison) : [];
    const fault = faults.get(key);
    if (a && b && fault === undefined) return compared;
    const rule = `${list.rule}-${fault === undefined ? (a ? "removed" : "added") : "invalid"}`;
    const difference = { rule, old: null, new: null, writer: "client", ...(fault && { fault }) } as const;
    // A server may list an entry twice, once correctly.
    return [...compared, ...contractFinding(part, difference, comparison.policy)];
  });
}

/**
 * The faults of invalid entries in a list, keyed by the identity of the matching entry in a contract, else by
 * name.
 */
function invalidOf(
  list: ComparedList,
  invalid: readonly InvalidEntry[],
  ...sides: readonly ReadonlyMap<string, Entry>[]
): Map<string, string> {
  const entries = sides.flatMap((side) => [...side]);
  const faults = invalid
    .filter((entry) => entry.list === list.name)
    .map(({ name, reason }): [string, string] => {
      const known = entries.find(([key, { value }]) => key === name || value["name"] === name);
      return [known?.[0] ?? name, reason];
    });
  return new Map(faults);
}

/**
 * Finds methods of the generated client that now call a different entry: entries with similar names compete
 * for a method name.
 */
function compareMethods(old: Contract, next: Contract, policy: Policy): Finding[] {
  const [before, after] = [methodsOf(old), methodsOf(next)];
  const part: Part = { name: "client", at: { old: "", new: "" }, method: null };
  return [...before].flatMap(([path, entry]) => {
    const other = after.get(path);
    if (other === undefined || other === entry) return [];
    return contractFinding(
      part,
      { rule: "method-moved", path, old: entry, new: other, writer: "client" },
      policy,
    );
  });
}

/** The entry that each method of the generated client calls, by the method's path: `tools.getUser`. */
function methodsOf(contract: Contract): Map<string, string> {
  const names = contractNames(contract);
  const lists = {
    tools: [...names.tools].map(([key, { method }]) => [method, key] as const),
    prompts: [...names.prompts].map(([key, { method }]) => [method, key] as const),
    resources: [...names.resources].map(([key, method]) => [method, key] as const),
    resourceTemplates: [...names.templates].map(([key, { method }]) => [method, key] as const),
  };
  return new Map(
    Object.entries(lists).flatMap(([list, methods]) =>
      methods.map(([method, key]) => [`${list}.${method}`, key] as const),
    ),
  );
}

function entriesOf({ name, key }: ComparedList, contract: Contract): Map<string, Entry> {
  const entries = (contract[name] ?? []) as unknown as readonly JsonObject[];
  return new Map(
    entries.map((value, index) => [String(value[key]), { value, at: pointer(`/${name}`, index) }]),
  );
}

function compareServer(old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
  const part: Part = { name: "server", at: { old: "", new: "" }, method: null };
  const rules = {
    name: "listing-changed",
    title: "text-changed",
    version: "server-version-changed",
    instructions: "text-changed",
  };
  const said = Object.entries(rules).flatMap(([key, rule]) => {
    const [a = null, b = null] = [old[key], next[key]] as (string | undefined)[];
    if (a === b) return [];
    const difference: Difference = { rule, path: key, old: a, new: b, writer: "server", pointer: `/${key}` };
    return contractFinding(part, difference, policy);
  });
  return [...compareCapabilities(part, old, next, policy), ...said];
}

/** Compares each flag of the capabilities by path; an empty object counts as a declared capability. */
function compareCapabilities(part: Part, old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
  const [before, after] = [flagsOf(old["capabilities"]), flagsOf(next["capabilities"])];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [a, b] = [before.get(path), after.get(path)];
    if (a !== undefined && b !== undefined && jsonEqual(a, b)) return [];
    if ((a === undefined && lists(old, path)) || (b === undefined && lists(next, path))) return [];
    const rule = b === undefined ? "capability-removed" : "capability-added";
    const difference = {
      rule,
      path: `capabilities.${path}`,
      old: a === undefined ? null : canonicalText(a),
      new: b === undefined ? null : canonicalText(b),
      writer: "server" as const,
      pointer: `/capabilities`,
    };
    return contractFinding(part, difference, policy);
  });
}

/**
 * Whether the contract has the list of a capability. It then need not declare the capability, because the
 * server does.
 */
function lists(contract: JsonObject, capability: string): boolean {
  const names = capability === "resources" ? ["resources", "resourceTemplates"] : [capability];
  return comparedLists.some(({ name }) => {
    const list = names.includes(name) ? contract[name] : undefined;
    return Array.isArray(list) && list.length > 0;
  });
}

function flagsOf(value: JsonObject[string] | undefined, path = ""): Map<string, JsonObject[string]> {
  const flags = new Map<string, JsonObject[string]>();
  if (value === undefined) return flags;
  const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
  // An object declares a capability even if it is empty; its members are separate flags. `false` counts as
  // absent.
  if (path !== "" && value !== false) flags.set(path, isInner ? {} : value);
  if (isInner)
    for (const [key, inner] of Object.entries(value))
      for (const [way, flag] of flagsOf(inner, path === "" ? key : `${path}.${key}`)) flags.set(way, flag);
  return flags;
}
