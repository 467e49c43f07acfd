import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { naturalCompare } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import type { Finding } from "../diagnostics/finding.js";
import { readRegularFile } from "../files/regular-file.js";
import { decodeText } from "../files/text-file.js";
import { type Lock, type LockedRevision, readLock, readVocabulary } from "./lock.js";
import { releasedRevisions } from "./revisions-folder.js";
import type { UpstreamFile } from "./source.js";
import { type SchemaRelation, relationTo, storedSchema, verifyStored } from "./stored-schema.js";

/**
 * Compares every stored schema with the lock: canonical, unchanged since its import, none missing or extra.
 *
 * @throws CodedError MG1204 when the lock is malformed
 */
export async function verifyStore(schemaDir: string): Promise<Finding[]> {
  const lock = readLock(schemaDir);
  readVocabulary(schemaDir, lock);
  const folders = revisionFolders(schemaDir);
  const names = [...new Set([...lock.keys(), ...folders])].sort(naturalCompare);
  const findings = await Promise.all(names.map((name) => verifyRevision(schemaDir, name, lock.get(name))));
  return findings.filter((finding) => finding !== undefined);
}

/** Folders that hold a schema, whether the lock knows of them or not. */
export function revisionFolders(schemaDir: string): string[] {
  if (!existsSync(schemaDir)) return [];
  return readdirSync(schemaDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(schemaDir, entry.name, "schema.json")))
    .map((entry) => entry.name);
}

async function verifyRevision(
  schemaDir: string,
  revision: string,
  locked: LockedRevision | undefined,
): Promise<Finding | undefined> {
  const file = join(schemaDir, revision, "schema.json");
  const finding = (message: string, next: string): Finding => ({
    ...{ code: "MG3106", severity: "error", message, place: { file }, next },
  });
  if (!locked) {
    return finding(`revision ${revision} is not in the lock`, "Import it with `mcpgen revision add FILE`.");
  }
  if (!existsSync(file)) {
    return finding(
      `revision ${revision} is in the lock, but its folder has no schema`,
      "Restore it from version control.",
    );
  }
  return verifyStored(file, locked, "imported");
}

/** How a file relates to the one a revision was imported from. */
export interface UpstreamVerdict extends SchemaRelation {
  readonly locked: LockedRevision;
  /** sha256 of the file's canonical form, prose kept or left out as in the store. */
  readonly canonical: string;
  /** Another revision of the store that has this content. */
  readonly contentOf?: string;
}

/** @throws CodedError MG2010 when the lock does not know the revision */
export async function verifyUpstream(
  schemaDir: string,
  revision: string,
  source: UpstreamFile,
): Promise<UpstreamVerdict> {
  const lock = readLock(schemaDir);
  const locked = expectRevision(lock, revision);
  const { sha256: canonical, document } = await storedSchema(source, locked);
  const other = [...lock].find(([name, entry]) => name !== revision && entry.canonical === canonical);
  const file = join(schemaDir, revision, "schema.json");
  const stored: unknown = existsSync(file) ? JSON.parse(decodeText(readRegularFile(file), file)) : {};
  const found = relationTo({ sha256: source.sha256, document }, { value: stored, locked });
  return {
    ...found,
    locked,
    canonical,
    ...(other && found.relation === "different" && { contentOf: other[0] }),
  };
}

/** @throws CodedError MG2010 naming the nearest revision */
export function expectRevision(lock: Lock, revision: string): LockedRevision {
  const locked = lock.get(revision);
  if (locked) return locked;
  const suggestion = closest(revision, lock.keys());
  const released = releasedRevisions().has(revision);
  throw new CodedError("MG2010", `there is no revision ${JSON.stringify(revision)}`, {
    next: released
      ? `Bring it in with \`mcpgen revision add ${revision}\`.`
      : suggestion !== undefined
        ? `Did you mean ${suggestion}?`
        : lock.size === 0
          ? "Bring it in with `mcpgen revision add FILE`."
          : `The revisions are ${[...lock.keys()].join(", ")}.`,
  });
}
