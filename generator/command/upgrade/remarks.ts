import { naturalCompare } from "@mcpgen/engine";
import type { Finding } from "../../diagnostics/coded-error.js";
import type { AddedRevision } from "../../revision/add.js";
import type { LockedRevision } from "../../revision/lock.js";
import { isDate } from "../../notes/note.js";
import type { TriedExtension } from "../../extension/add/try-extensions.js";

/** Warnings about an odd name of a new revision. */
export function nameWarnings({
  revision,
  action,
  locked,
  lock,
}: Pick<AddedRevision, "revision" | "action" | "locked" | "lock">): Finding[] {
  if (action !== "added") return [];
  const others = [...lock].filter(([name]) => name !== revision);
  const twin = others.find(([, other]) => isSame(locked, other));
  const newest = others.findLast(([name]) => isDate(name))?.[0];
  const isOlder = newest !== undefined && isDate(revision) && naturalCompare(revision, newest) < 0;
  return [
    ...(twin ? [warning(`${revision} ${likeness(locked, twin)}`)] : []),
    ...(isOlder ? [warning(`${revision} is older than ${newest}, the newest revision`)] : []),
  ];
}

function isSame({ upstream, canonical }: LockedRevision, other: LockedRevision): boolean {
  return upstream.sha256 === other.upstream.sha256 || canonical === other.canonical;
}

function likeness({ upstream }: LockedRevision, [name, other]: readonly [string, LockedRevision]): string {
  return upstream.sha256 === other.upstream.sha256
    ? `is the same file as ${name}: its sha256 is in the lock`
    : `has the same meaning as ${name}: their canonical forms are equal`;
}

function warning(message: string): Finding {
  const next = "If the name is wrong, delete the revision's folder and its entry in lock.json.";
  return { code: "MG3112", severity: "warning", message, next };
}

/**
 * A remark that a newer revision does not become the vocabulary by itself, and the command that does it;
 * undefined for other revisions.
 */
export function vocabularyRemark({
  revision,
  locked,
  vocabulary: { after },
}: Pick<AddedRevision, "revision" | "locked" | "vocabulary">): string | undefined {
  if (naturalCompare(revision, after) <= 0) return undefined;
  const move = `\`mcpgen revision vocabulary ${revision}\` moves it, in a major version of the package`;
  return `${after} stays what handlers write and clients read${locked.status === "draft" ? "" : `; ${move}`}`;
}

/** A line for a stored extension that compiles over the new revision. */
export function over({ extension, isBase, error }: TriedExtension, revision: string): string[] {
  if (error) return [];
  return [`${extension} compiles over ${revision}${isBase ? "" : '; it is not among its "bases"'}`];
}

/**
 * A finding for a stored extension that does not compile over the new revision: an error if the revision is
 * one of its bases, else a warning.
 */
export function notOver({ extension, file, isBase, error }: TriedExtension, revision: string): Finding[] {
  if (!error) return [];
  const message = `${extension} does not compile over ${revision}: ${error.message} (${error.code})`;
  const finding = { code: "MG1310", message, place: error.place ?? { file } } as const;
  if (!isBase) return [{ ...finding, severity: "warning" }];
  const next = `Remove ${revision} from its "bases", or correct its schema.`;
  return [{ ...finding, severity: "error", next }];
}
