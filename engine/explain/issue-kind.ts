import type { Issue } from "./search.js";

/** What an issue is about: a key that the schema does not allow, a key that is missing, or a value. */
export type IssueKind = "unknown-key" | "missing-key" | "value";

/** The kind of an issue. The words are those of `members.ts`; output has that file as it stands. */
export function issueKind({ expected, got }: Issue): IssueKind {
  if (expected === "no such key") return "unknown-key";
  return got === "nothing" ? "missing-key" : "value";
}
