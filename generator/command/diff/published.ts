import type { Published } from "../../diff/walk/files.js";
import { canonicalDocument } from "../../revision/schema-source.js";
import { loadJson } from "../../files/json-file.js";
import { storedRevision } from "../../revision/revision-source.js";
import { carryNotes } from "../../revision/carry.js";
import { sha256 } from "../../files/sha256.js";
import { identify } from "../../revision/identify.js";
import { readLock } from "../../revision/lock.js";
import type { Source } from "./source.js";

/** The report where the old source is a pinned revision and the new one is that revision as published now. */
export async function publishedAgain(
  schemaDir: string,
  old: Source,
  { file }: Source,
): Promise<Published | undefined> {
  const lock = readLock(schemaDir);
  const pinned = lock.get(old.name);
  const sum = sha256(file.text);
  // The stored form of the revision is ours, not upstream's.
  if (!pinned || pinned.canonical === sum) return undefined;
  const identity = await identify(schemaDir, { ...file, sha256: sum });
  if (identity?.relation !== "same-revision" || identity.revision !== old.name) return undefined;
  const { notesFile } = storedRevision(schemaDir, old.name, pinned.status, true);
  const document = await canonicalDocument(file);
  const carried = notesFile && (await carryNotes(file, document, await loadJson(notesFile)));
  return {
    revision: old.name,
    old: pinned.upstream.sha256,
    new: sum,
    dropped: carried ? carried.dropped : [],
  };
}
