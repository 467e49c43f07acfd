import { invariant } from "../../diagnostics/coded-error.js";
import { contractRules } from "./contracts.js";
import { definitionRules, fileRules } from "./definitions.js";
import { errorRules, limitRules, typeRules } from "./types.js";
import { methodRules } from "./methods.js";
import { propertyRules } from "./properties.js";
import type { Rule } from "./rule.js";

/** All rules; a rule with several cases has a row for each. */
export const ruleTable: readonly Rule[] = [
  ...rulesOf({ area: "methods" }, methodRules),
  ...rulesOf({ area: "properties" }, propertyRules),
  ...rulesOf({ area: "types" }, typeRules),
  ...rulesOf({ area: "limits" }, limitRules),
  ...rulesOf({ area: "errors" }, errorRules),
  ...rulesOf({ area: "definitions", writer: "safe", reader: "safe" }, definitionRules),
  ...rulesOf({ area: "files", writer: "safe", reader: "safe", source: "safe" }, fileRules),
  ...rulesOf({ area: "contracts" }, contractRules),
];

/** The rules of a list whose rows share members. */
function rulesOf<Shared extends Partial<Rule>>(
  shared: Shared,
  rows: readonly Omit<Rule, keyof Shared>[],
): readonly Rule[] {
  return rows.map((row) => ({ ...shared, ...row }) as unknown as Rule);
}

export const ruleIds: readonly string[] = [...new Set(ruleTable.map(({ id }) => id))];

const single = new Set(ruleTable.flatMap(({ id, isOneFinding }) => (isOneFinding ? [id] : [])));

/** Whether all findings of a rule are reported as one. */
export function isOneFinding(id: string): boolean {
  return single.has(id);
}

const rows: ReadonlyMap<string, Rule> = new Map(ruleTable.map((rule) => [keyOf(rule.id, rule.when), rule]));

/** The row of the rule `id` for the case `when`. */
export function ruleOf(id: string, when?: string): Rule {
  const rule = rows.get(keyOf(id, when));
  invariant(rule, `there is no rule ${keyOf(id, when)}`);
  return rule;
}

function keyOf(id: string, when: string | undefined): string {
  return when === undefined ? id : `${id}: ${when}`;
}
