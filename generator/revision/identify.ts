import { type JsonObject, canonicalText, isJsonObject, naturalCompare } from "@mcpgen/engine";
import { type UpstreamFile, canonicalDocument } from "./schema-source.js";
import { loadJson } from "../files/json-file.js";
import { type Lock, type LockContent, readLock, vocabularyIn, expectRevision } from "./lock.js";
import { folderOf, isRevisionFolder, isDate } from "../notes/note.js";
import { storedRevision } from "./revision-source.js";

/**
 * Minimum share of common definitions for the same revision. Different revisions have far less in common (at
 * most 78 % until 2026); a corrected publication has far more.
 */
const nearness = 0.9;

/**
 * How a published file relates to the revisions of a schema folder, as far as this is known without a diff.
 */
export interface Identity {
  /** `unknown`: only the size of the difference from the nearest revision could decide. */
  readonly relation: "same-file" | "same-revision" | "new-revision" | "unknown";
  /** The revision itself, or the one to compare the file with. */
  readonly revision: string;
  /** The name of a new revision, if its address contains it. */
  readonly name?: string;
  /** How the relation was determined, as the end of a sentence. */
  readonly reason: string;
}

/**
 * Identifies the revision of a file. A schema does not contain the protocol version, so the first of these
 * decides: the name given by the user, the checksum, the canonical form, the folder in the address, the
 * number of definitions shared with each revision.
 *
 * @returns undefined for a schema folder without revisions
 * @throws CodedError MG2010 if `named` is not a revision
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
  /** Number of the revision's definitions that the file has unchanged. */
  readonly common: number;
  readonly all: number;
}

/** Newest first, so that the newest wins a tie. */
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
 * The revision to compare a new one called `name` with: the newest released one before it; if none is
 * released, the newest other one. Dates are in natural order; any other name counts as newer than every date.
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
 * The vocabulary to pin when a lock becomes `after`, so that new revisions do not change it: the pinned one,
 * else the one implied by `before` if `after` implies another. Undefined if nothing needs pinning.
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
