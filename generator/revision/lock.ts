import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Dialect, type JsonObject, type JsonValue, naturalCompare } from "@mcpgen/engine";
import { type Place, CodedError } from "../diagnostics/coded-error.js";
import { errorOfFaults, FileForm } from "../files/file-form.js";
import { readRegularText, packageFolder } from "../files/regular-file.js";
import { vocabularyOf } from "../model/model.js";
import { revisionAdvice } from "../diagnostics/suggest.js";

export type RevisionStatus = "released" | "draft" | "handwritten";

/** The origin of a revision's schema. */
interface Upstream {
  /** Hash of the imported file. */
  readonly sha256: string;
  readonly commit?: string;
  /** Day of that commit, YYYY-MM-DD. */
  readonly date?: string;
  readonly url?: string;
}

export interface LockedRevision {
  readonly status: RevisionStatus;
  /** The dialect of the imported file. */
  readonly dialect: Dialect;
  readonly upstream: Upstream;
  /** SHA-256 of the stored schema.json. */
  readonly canonical: string;
  /** Whether the stored schema contains upstream's descriptions. */
  readonly descriptions: boolean;
}

export type Lock = ReadonlyMap<string, LockedRevision>;

/** The lock entry of an extension version. */
export interface LockedExtension {
  readonly status: RevisionStatus;
  /** The origin; for a handwritten schema, the text it was written from. */
  readonly upstream?: Upstream;
  /** SHA-256 of the stored schema.json. */
  readonly canonical: string;
}

/** By `id@version`. */
export type ExtensionLock = ReadonlyMap<string, LockedExtension>;

/** The content of a lock. */
export interface LockContent {
  readonly revisions: Lock;
  readonly extensions: ExtensionLock;
  /** The revision whose types handlers and clients use; default: the newest released one. */
  readonly vocabulary?: string | undefined;
}

export const lockFile = "lock.json";

/** The revisions in the lock of a schema folder; empty if there is none. */
export function readLock(schemaDir: string): Lock {
  return inNaturalOrder(Object.entries(contentOf(join(schemaDir, lockFile))?.revisions ?? {}), ordered);
}

/** The extensions in the lock of a schema folder; empty if there are none. */
export function readExtensionLock(schemaDir: string): ExtensionLock {
  return inNaturalOrder(
    Object.entries(contentOf(join(schemaDir, lockFile))?.extensions ?? {}),
    orderedExtension,
  );
}

/**
 * The pinned vocabulary in the lock of a schema folder.
 *
 * @param revisions possible revisions; default: those of the lock
 * @throws CodedError MG1204 if it is not the name of a finished one of them
 */
export function readVocabulary(schemaDir: string, revisions: Lock = readLock(schemaDir)): string | undefined {
  const file = join(schemaDir, lockFile);
  const vocabulary = writtenVocabulary(schemaDir);
  if (vocabulary === undefined) return undefined;
  const names = possibleVocabularies(revisions);
  if (typeof vocabulary === "string" && names.includes(vocabulary)) return vocabulary;
  const shown = JSON.stringify(vocabulary);
  const isDraft = typeof vocabulary === "string" && revisions.has(vocabulary);
  const message = isDraft
    ? `the vocabulary ${shown} is a draft, and handlers are written in a finished revision`
    : `expected "vocabulary" to be the name of a revision in the lock, got ${shown}`;
  const [newest] = names.slice(-1);
  throw malformed(file, "/vocabulary", message, {
    next:
      newest === undefined
        ? "Delete the member."
        : `Choose one of ${names.join(", ")}, e.g. \`mcpgen revision vocabulary ${newest}\`, or restore the revision.`,
  });
}

/** The vocabulary written in a lock, valid or not. */
export function writtenVocabulary(schemaDir: string): JsonValue | undefined {
  return contentOf(join(schemaDir, lockFile))?.vocabulary;
}

/** The revisions of a lock that can be the vocabulary: the finished ones, oldest first. */
function possibleVocabularies(revisions: Lock): string[] {
  return [...revisions]
    .filter(([, { status }]) => status !== "draft")
    .map(([name]) => name)
    .sort(naturalCompare);
}

/** The vocabulary: the pinned revision, else the newest released one. */
export function vocabularyIn({
  revisions,
  vocabulary,
}: Pick<LockContent, "revisions" | "vocabulary">): string | undefined {
  const models = [...revisions]
    .map(([revision, { status }]) => ({ revision, status }))
    .sort((a, b) => naturalCompare(a.revision, b.revision));
  return vocabularyOf(models, vocabulary)?.revision;
}

/** The content of a lock file. */
interface WrittenLock {
  readonly vocabulary?: JsonValue;
  readonly revisions: Readonly<Record<string, LockedRevision>>;
  readonly extensions?: Readonly<Record<string, LockedExtension>>;
}

/**
 * The content of a lock; undefined if there is no lock. @throws CodedError MG1204 if the file is not a lock
 */
function contentOf(file: string): WrittenLock | undefined {
  if (!existsSync(file)) return undefined;
  const content = parseJson(readRegularText(file), file);
  const faults = form.faults(content).map((fault) => ({
    ...fault,
    message: malformedText(fault.message),
    next: restore,
  }));
  const error = errorOfFaults(faults, (at) => placeIn(file, at));
  if (error) throw error;
  return content as unknown as WrittenLock;
}

/** @param order puts the keys of an entry in order */
function inNaturalOrder<Entry>(
  entries: Iterable<readonly [string, Entry]>,
  order: (entry: Entry) => Entry,
): ReadonlyMap<string, Entry> {
  const sorted = [...entries].sort(([a], [b]) => naturalCompare(a, b));
  return new Map(sorted.map(([key, entry]) => [key, order(entry)]));
}

/** The text of a schema folder's lock with some of its content replaced. */
export function changedLock(schemaDir: string, changed: Partial<LockContent>): string {
  const revisions = changed.revisions ?? readLock(schemaDir);
  const extensions = changed.extensions ?? readExtensionLock(schemaDir);
  const vocabulary = changed.vocabulary ?? readVocabulary(schemaDir, revisions);
  return lockText({ revisions, extensions, vocabulary });
}

/** The text of a lock. Absent parts have no member. */
export function lockText({ revisions, extensions, vocabulary }: LockContent): string {
  const content = {
    format: 1,
    ...(vocabulary !== undefined && { vocabulary }),
    revisions: Object.fromEntries(inNaturalOrder(revisions, ordered)),
    ...(extensions.size > 0 && {
      extensions: Object.fromEntries(inNaturalOrder(extensions, orderedExtension)),
    }),
  };
  return JSON.stringify(content, null, 2) + "\n";
}

/** Keys in a fixed order, so that equal entries have equal text. */
function ordered({ status, dialect, upstream, canonical, descriptions }: LockedRevision): LockedRevision {
  return { status, dialect, upstream: orderedUpstream(upstream), canonical, descriptions };
}

function orderedExtension({ status, upstream, canonical }: LockedExtension): LockedExtension {
  return { status, ...(upstream && { upstream: orderedUpstream(upstream) }), canonical };
}

function orderedUpstream({ sha256, commit, date, url }: Upstream): Upstream {
  return { sha256, ...(commit && { commit }), ...(date && { date }), ...(url && { url }) };
}

const dialects: readonly Dialect[] = ["2020-12", "2019-09", "draft-07", "draft-04"];

const sha256: JsonObject = { type: "string", pattern: "^[0-9a-f]{64}$" };
const string: JsonObject = { type: "string" };
const common: JsonObject = {
  status: { enum: ["released", "draft", "handwritten"] },
  upstream: {
    type: "object",
    properties: { sha256, commit: string, date: string, url: string },
    required: ["sha256"],
  },
  canonical: sha256,
};

/** Which revisions can be the vocabulary is checked by `readVocabulary`, because it depends on the lock. */
const form = new FileForm(
  {
    type: "object",
    properties: {
      format: { enum: [1] },
      revisions: {
        type: "object",
        additionalProperties: {
          type: "object",
          properties: { ...common, dialect: { enum: [...dialects] }, descriptions: { type: "boolean" } },
          required: ["status", "dialect", "upstream", "canonical", "descriptions"],
        },
      },
      extensions: {
        type: "object",
        additionalProperties: {
          type: "object",
          properties: common,
          required: ["status", "canonical"],
        },
      },
    },
    required: ["format", "revisions"],
  },
  { unknownKey: "MG1204", wrongValue: "MG1204" },
);

function parseJson(text: string, file: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw malformed(file, "", `not JSON (${(cause as Error).message})`, { cause });
  }
}

function malformed(
  file: string,
  at: string,
  message: string,
  more: { readonly next?: string; readonly cause?: unknown } = {},
): CodedError {
  return new CodedError("MG1204", malformedText(message), {
    place: placeIn(file, at),
    next: restore,
    ...more,
  });
}

function malformedText(message: string): string {
  return `the lock is malformed: ${message}`;
}

const restore = "Restore the file from version control, or run `mcpgen revision add` again for the revision.";

function placeIn(file: string, at: string): Place {
  return { file, ...(at && { pointer: at }) };
}

/** Package with the generated files of the revisions shipped with mcpgen. */
export const protocolPackage = "@mcpgen/protocol";

/** The schema folder of the mcpgen package: the released revisions, their notes and documentation, and extensions. */
export const ownSchemaFolder = join(packageFolder(), "schema");

/** Whether a schema folder has no revisions, so that its extensions extend the shipped ones. */
export function usesOwnRevisions(schemaDir: string): boolean {
  return readLock(schemaDir).size === 0;
}

/**
 * The folder of the revisions that a schema folder's extensions extend: itself, or that of the mcpgen
 * package.
 */
export function revisionsFolder(schemaDir: string): string {
  return usesOwnRevisions(schemaDir) ? ownSchemaFolder : schemaDir;
}

/** A revision, and the schema folder that contains it. */
interface NamedRevision {
  readonly folder: string;
  readonly locked: LockedRevision;
}

/**
 * The revisions that commands accept by name, oldest first: those of a schema folder, and the released ones
 * shipped with mcpgen.
 */
export function namedRevisions(schemaDir: string): ReadonlyMap<string, NamedRevision> {
  const found = [...releasedRevisions(), ...inFolder(schemaDir)];
  return new Map(found.sort(([a], [b]) => naturalCompare(a, b)));
}

/** The released revisions shipped with mcpgen. */
export function releasedRevisions(): ReadonlyMap<string, NamedRevision> {
  return new Map(inFolder(ownSchemaFolder).filter(([, { locked }]) => locked.status === "released"));
}

function inFolder(folder: string): [string, NamedRevision][] {
  return [...readLock(folder)].map(([name, locked]) => [name, { folder, locked }]);
}

/** Folders that contain a schema, whether they are in the lock or not. */
export function revisionFolders(schemaDir: string): string[] {
  if (!existsSync(schemaDir)) return [];
  return readdirSync(schemaDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(schemaDir, entry.name, "schema.json")))
    .map((entry) => entry.name);
}

/** @throws CodedError MG2010 with the most similar revision */
export function expectRevision(lock: Lock, revision: string): LockedRevision {
  const locked = lock.get(revision);
  if (locked) return locked;
  const released = releasedRevisions().has(revision);
  throw new CodedError("MG2010", `there is no revision ${JSON.stringify(revision)}`, {
    next: released
      ? `Bring it in with \`mcpgen revision add ${revision}\`.`
      : lock.size === 0
        ? "Bring it in with `mcpgen revision add FILE`."
        : revisionAdvice(revision, lock.keys()),
  });
}
