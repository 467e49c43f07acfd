import type { Policy } from "../finding.js";
import { ruleIds } from "../rules/table.js";

const severities = ["breaking", "dangerous", "safe", "off"];

/** An invalid entry of the severities in a configuration. */
interface SeverityProblem {
  readonly rule: string;
  readonly message: string;
  /** The names that are near to it. */
  readonly candidates: readonly string[];
}

/** The severities that a configuration gives to rules. */
export function readSeverities(
  rules: Readonly<Record<string, unknown>>,
): Policy["severities"] | SeverityProblem {
  for (const [rule, severity] of Object.entries(rules)) {
    if (!ruleIds.includes(rule))
      return { rule, message: `there is no rule ${JSON.stringify(rule)}`, candidates: ruleIds };
    if (!severities.includes(severity as string)) {
      const message = `expected the severity of ${rule} to be one of ${severities.join(", ")}, got ${JSON.stringify(severity)}`;
      return { rule: String(severity), message, candidates: severities };
    }
  }
  return rules as Policy["severities"];
}

export function isSeverityProblem(read: Policy["severities"] | SeverityProblem): read is SeverityProblem {
  return "candidates" in read;
}
