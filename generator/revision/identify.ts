import { type JsonObject, canonicalText, isJsonObject, naturalCompare } from "@mcpgen/engine";
import { type UpstreamFile, canonicalDocument } from "./schema-source.js";
import { loadJson } from "../files/json-file.js";
import { type Lock, type LockContent, readLock, vocabularyIn, expectRevision } from "./lock.js";
import { folderOf, isRevisionFolder, isDate } from "../notes/note.js";
import { storedRevision } from "./revision-source.js";

/**
 * Revisions have far less in common (78 % at most, of those until 2026), and corrections of a published file
 * leave far more as it is.
 */
const nearness = 0.9;

/** The relation of a published file to the revisions of a schema folder, as far as it is known without a diff. */
export interface Identity {
  /** `unknown`: only the size of the difference to the nearest revision could decide. */
  readonly relation: "same-file" | "same-revision" | "new-revision" | "unknown";
  /** The revision it is, or the one to compare it with. */
  readonly revision: string;
  /** The name of a new revision, if its address contains it. */
  readonly name?: string;
  /** How the relation was found, as the end of a sentence. */
  readonly reason: string;
}

/**
 * Identifies the revision of a file. The content does not name it (the schema has no version number of the
 * protocol), so the first of these decides: what the user named, the checksum, the canonical form, the
 * folder in its address, the number of definitions it shares with each revision.
 *
 * @returns undefined for a schema folder without revisions
 * @throws CodedError MG2010 when `named` is no revision
 */
export async function identify(
  schemaDir: string,
  source: UpstreamFile,
  named?: string,
): Promise<Identity | undefined> {
  const lock = readLock(schemaDir);
  if (named !== undefined) return byName(lock, source, named);
  const same = [...lock].find(([, { upstream }]) => upstream.sha256 === source.sha256)?.[0];
  if (same !== undefined)
    return { relation: "same-file", revision: same, reason: "its sha256 is in the lock" };

  const definitions = definitionsOf(await canonicalDocument(source, { descriptions: false }));
  const shared = await sharedDefinitions(schemaDir, lock, definitions);
  const equal = shared.find(({ common, all }) => common === all && common === definitions.size)?.revision;
  if (equal !== undefined) {
    const reason = "all definitions are equal, prose left out";
    return { relation: "same-revision", revision: equal, reason };
  }
  const folder = folderOf(source.url ?? source.file);
  if (lock.has(folder)) {
    return { relation: "same-revision", revision: folder, reason: `the folder is called ${folder}` };
  }
  const nearest = shared.toSorted((a, b) => b.common / b.all - a.common / a.all)[0];
  if (!nearest) return undefined;
  if (isRevisionFolder(folder)) {
    const reason = `the folder is called ${folder}, which the lock does not know`;
    return { relation: "new-revision", revision: revisionBefore(lock, folder)!, name: folder, reason };
  }
  const { revision, common, all } = nearest;
  const reason = `${common} of the ${all} definitions of ${revision} are in it unchanged`;
  const isNear = common >= nearness * Math.max(all, definitions.size);
  return { relation: isNear ? "same-revision" : "unknown", revision, reason };
}

function byName(lock: Lock, { sha256 }: UpstreamFile, named: string): Identity {
  const { upstream } = expectRevision(lock, named);
  const relation = upstream.sha256 === sha256 ? "same-file" : "same-revision";
  return { relation, revision: named, reason: "--revision says so" };
}

interface Shared {
  readonly revision: string;
  /** Definitions of the revision that the file has unchanged. */
  readonly common: number;
  readonly all: number;
}

/** Newest first, so that of equals the newest counts. */
async function sharedDefinitions(
  schemaDir: string,
  lock: Lock,
  definitions: ReadonlyMap<string, string>,
): Promise<Shared[]> {
  const shared = [...lock].map(async ([revision, { status }]): Promise<Shared> => {
    const file = await loadJson(storedRevision(schemaDir, revision, status, false).schemaFile);
    const stored = definitionsOf(await canonicalDocument(file, { descriptions: false }));
    const common = [...stored].filter(([name, text]) => definitions.get(name) === text).length;
    return { revision, common, all: stored.size };
  });
  return (await Promise.all(shared)).reverse();
}

/** The text of each definition, by name. */
function definitionsOf(document: JsonObject): Map<string, string> {
  const definitions = isJsonObject(document["$defs"]) ? document["$defs"] : {};
  return new Map(Object.entries(definitions).map(([name, node]) => [name, canonicalText(node)]));
}

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
