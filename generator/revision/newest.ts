import { naturalCompare } from "@mcpgen/engine";
import { type Lock, type LockContent, vocabularyIn } from "./lock.js";
import { isDate } from "../notes/revision-name.js";

/**
 * The revision that a new one called `name` is compared with: the newest released one before it; where none
 * is released, the newest of all others. Dates are in natural order; any other name is newer than every date.
 */
export function revisionBefore(lock: Lock, name: string | undefined): string | undefined {
  const others = [...lock].filter(([other]) => other !== name);
  const earlier =
    name !== undefined && isDate(name)
      ? others.filter(([other]) => isDate(other) && naturalCompare(other, name) < 0)
      : others;
  const released = (earlier.length > 0 ? earlier : others).filter(([, { status }]) => status === "released");
  return (released.at(-1) ?? others.at(-1))?.[0];
}

/**
 * The vocabulary to pin when a lock becomes `after`, so that new revisions do not move it: the pinned one, else the one that
 * `before` implied, if `after` implies another. Undefined where nothing has to be pinned.
 */
export function keptVocabulary(
  before: Pick<LockContent, "revisions" | "vocabulary">,
  after: Lock,
): string | undefined {
  if (before.vocabulary !== undefined) return before.vocabulary;
  const implied = vocabularyIn(before);
  const isFinished = implied !== undefined && after.get(implied)?.status !== "draft";
  return isFinished && vocabularyIn({ revisions: after }) !== implied ? implied : undefined;
}
