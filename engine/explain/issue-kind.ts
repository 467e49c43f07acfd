import type { Issue } from "./search.js";

/**
 * What an issue is about: a key that the schema does not describe, a key that is missing, a value where the schema allows
 * none, or any other value.
 */
export type IssueKind = "unknown-key" | "missing-key" | "excluded" | "value";

/** The kind of an issue, by the words of `members.ts` and `explain.ts`; output has those files as they stand. */
export function issueKind({ expected, got }: Issue): IssueKind {
  if (expected === "no such key") return "unknown-key";
  if (expected === "nothing" || expected === "anything but value") return "excluded";
  return got === "nothing" ? "missing-key" : "value";
}
