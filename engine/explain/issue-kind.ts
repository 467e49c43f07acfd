import type { Issue } from "./search.js";

/**
 * The kind of an issue: a key that the schema does not describe, a missing key, a value where the schema allows none, or
 * any other wrong value.
 */
export type IssueKind = "unknown-key" | "missing-key" | "excluded" | "value";

/**
 * Returns the kind of an issue. Recognises it by the texts of `members.ts` and `explain.ts`: output contains copies of
 * those files, so their issues have no member for the kind.
 */
export function issueKind({ expected, got }: Issue): IssueKind {
  if (expected === "no such key") return "unknown-key";
  if (expected === "nothing" || expected === "anything but value") return "excluded";
  return got === "nothing" ? "missing-key" : "value";
}
