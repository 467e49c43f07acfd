import { naturalCompare } from "@mcpgen/engine";
import type { AddedRevision } from "../../revision/add.js";

/** Says of a newer revision that it does not move the vocabulary, and what does; undefined for any other. */
export function vocabularyRemark({
  revision,
  locked,
  vocabulary: { after },
}: Pick<AddedRevision, "revision" | "locked" | "vocabulary">): string | undefined {
  if (naturalCompare(revision, after) <= 0) return undefined;
  const move = `\`mcpgen revision vocabulary ${revision}\` moves it, in a major version of the package`;
  return `${after} stays what handlers write and clients read${locked.status === "draft" ? "" : `; ${move}`}`;
}
