// The checklist rows about authorization, with the revisions of each. The tests are in test/auth; most rows
// are rules that are tested from outside (server-rules.ts, client-rules.ts).

import { revisionsMarked } from "../revision-marks.js";

export const serverRows = {
  "AUTHS-01": "06 11 26",
  "AUTHS-02": "06 11 26",
  "AUTHS-03": "11 26",
  "AUTHS-04": "06 11 26",
  "AUTHS-05": "03 06 11 26",
  "AUTHS-06": "11 26",
  "AUTHS-08": "26",
  "AUTHS-10": "06 11 26",
} as const;

export const clientRows = {
  "AUTHC-02": "03 06 11 26",
  "AUTHC-03": "03 06 11 26",
  "AUTHC-04": "06 11 26",
  "AUTHC-05": "03 06 11 26",
  "AUTHC-06": "11 26",
  "AUTHC-07": "26",
  "AUTHC-08": "11 26",
  "AUTHC-09": "11 26",
  "AUTHC-10": "26",
  "AUTHC-11": "11 26",
  "AUTHC-12": "11 26",
  "AUTHC-13": "03",
  "AUTHC-14": "03 06 11 26",
} as const;

interface Rule {
  readonly id: string;
  readonly text: string;
}

/** The rules of each row, for each revision of the row; other rules for 2025-11-25. */
export function rulesByRevision<R extends Rule>(
  rules: readonly R[],
  rows: Readonly<Record<string, string>>,
): (readonly [id: string, text: string, revision: string, rule: R])[] {
  return rules.flatMap((rule) =>
    revisionsMarked(rows[rule.id] ?? "11").map((revision) => [rule.id, rule.text, revision, rule] as const),
  );
}

/** Returns the rows without a rule. */
export function rowsWithoutRule(rules: readonly Rule[], rows: object): string[] {
  const ids = new Set(rules.map(({ id }) => id));
  return Object.keys(rows).filter((id) => !ids.has(id));
}
