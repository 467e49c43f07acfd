import { type LintRule, type ModelProfile, everyProfile, levelFor, profileText } from "./rule.js";
import { type HostName, hostNames, hostRows } from "./host-rows.js";
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

/** What a host does with a tool that violates the rule, and with that of an older server, if it is something else. */
function hostTexts(rule: LintRule, host: HostName): string[] {
  const { legacy } = hostRows[host].revision ?? {};
  const [newest, older] = [undefined, legacy].map((revision) =>
    levelFor(rule, host, { revision }) ? profileText(rule.id, host, revision) : undefined,
  );
  const { title } = hostRows[host];
  if (older === newest) return newest === undefined ? [] : [newest];
  return [newest, `${older ?? `${title} does nothing`} with servers up to ${legacy}`].filter(
    (text) => text !== undefined,
  );
}

function explanation(rule: LintRule): string {
  const { id, profiles, reason, sources = [] } = rule;
  const hosts = hostNames.flatMap((host) => hostTexts(rule, host));
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
