import type { Issue } from "./search.js";

/** What an issue is about: a key that the schema does not allow (there), a key that is missing, or a value. */
export type IssueKind = "unknown-key" | "missing-key" | "value";

/** The kind of an issue, by the words of `members.ts` and `explain.ts`; output has those files as they stand. */
export function issueKind({ expected, got }: Issue): IssueKind {
  if (expected === "no such key" || expected === "nothing") return "unknown-key";
  return got === "nothing" ? "missing-key" : "value";
}
