import { type LintRule, type ModelProfile, everyProfile, levelFor, profileText } from "./rule.js";
import { hostNames } from "./host-rows.js";
import { lintRules } from "./lint-contract.js";

/** The advice, and what `--fix` does. */
function adviceText({ fix, certain }: Pick<LintRule, "fix" | "certain">): string {
  return certain === undefined ? fix : `${fix} \`--fix\` ${certain}.`;
}

/** The output of `mcpgen explain RULE`; undefined for an unknown rule. */
export function explainLintRule(id: string): string | undefined {
  const rule = lintRules.find((each) => each.id === id);
  return rule && explanation(rule);
}

function profilesText(profiles: readonly ModelProfile[]): string {
  return profiles.length === everyProfile.length ? "all profiles" : profiles.join(", ");
}

/** The level, and the profiles with another level. */
function levelText({ level, warns = [] }: Pick<LintRule, "level" | "warns">): string {
  return warns.length === 0 ? level : `${level}; warning for ${warns.join(", ")}`;
}

function explanation(rule: LintRule): string {
  const { id, profiles, reason, sources = [] } = rule;
  const hosts = hostNames.filter((host) => levelFor(rule, host)).map((host) => profileText(id, host));
  return [
    `${id}: a rule of mcpgen lint`,
    [
      reason,
      `→ ${adviceText(rule)}`,
      ...(profiles.length > 0 ? [`For ${profilesText(profiles)}: ${levelText(rule)}.`] : []),
      ...(hosts.length > 0 ? [`With --host: ${hosts.join(", ")}.`] : []),
      ...sources.map((each) => `See ${each}`),
    ].join("\n"),
  ].join("\n\n");
}
