import { existsSync } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import type { JsonFile } from "../files/json-file.js";
import type { WriteRoot } from "../files/held-folder.js";
import { type FileChange, writeFiles } from "../files/writer.js";
import { type CarriedNotes, carriedNotes, knownNotes } from "./carried-notes.js";
import {
  type Lock,
  type LockedRevision,
  type RevisionStatus,
  changedLock,
  lockFile,
  readLock,
  readVocabulary,
  vocabularyIn,
} from "./lock.js";
import { keptVocabulary } from "./identify.js";
import { expectRevisionName, isDate, nameFromFolder } from "../notes/note.js";
import type { UpstreamFile } from "./schema-source.js";
import { type StoredSchema, storedSchema } from "./stored-schema.js";
import { readTextIfPresent } from "../files/regular-file.js";

export interface AddRequest {
  readonly schemaDir: string;
  readonly source: UpstreamFile;
  /** Default: the name of the file's folder. */
  readonly name?: string;
  /** Default: released for a date, draft for any other name. */
  readonly status?: RevisionStatus;
  readonly descriptions: boolean;
  readonly replace: boolean;
  readonly commit?: string;
  readonly date?: string;
}

export interface AddedRevision {
  readonly revision: string;
  readonly action: "added" | "replaced" | "unchanged";
  readonly locked: LockedRevision;
  readonly definitions: number;
  /** Undefined if the revision had notes already, or if there are none to start with. */
  readonly notes?: CarriedNotes;
  /** The lock including the revision. */
  readonly lock: Lock;
  /** The vocabulary before and after. Adding a revision does not change it. */
  readonly vocabulary: { readonly before: string | undefined; readonly after: string };
}

/** A revision prepared for the schema folder; nothing is written yet. */
export interface StagedRevision extends AddedRevision {
  /** Its future schema.json. */
  readonly schema: JsonFile;
  /** The files to write, relative to the schema folder. */
  readonly changes: readonly FileChange[];
  /** Whether the revision existed with another schema. */
  readonly replaces: boolean;
}

/**
 * Adds a schema to the schema folder: canonical schema, lock, and notes if the revision has none. The notes
 * are those shipped with mcpgen for this schema, else those of the newest released revision. Without either,
 * no notes file is written, and missing facts are assumed. Writes everything or nothing.
 *
 * @param root the schema folder
 * @throws CodedError MG2009 if the revision exists with other content and `replace` is not set
 */
export async function addRevision(request: AddRequest, root: WriteRoot): Promise<AddedRevision> {
  const staged = await stageRevision(request);
  writeFiles(root, staged.changes);
  return staged;
}

/** Computes the changes of `addRevision` without writing. Same errors. */
export async function stageRevision(request: AddRequest): Promise<StagedRevision> {
  const { schemaDir, source, replace } = request;
  const revision = expectRevisionName(request.name ?? nameFromFolder(source.file));
  const descriptions = request.descriptions && (source.released?.descriptions ?? true);
  const stored = await storedSchema(source, { descriptions });
  const before = readLock(schemaDir);
  const standing = standingOf(schemaDir, revision, stored, before);
  if (standing === "different" && !replace) throw await differs(request, revision, before);

  const kept = standing === "unchanged" && !replace ? before.get(revision) : undefined;
  const locked = kept ?? lockedRevision({ ...request, descriptions }, revision, stored);
  const lock: Lock = new Map([...before, [revision, locked]]);
  const vocabulary = readVocabulary(schemaDir, lock);
  const pinned = keptVocabulary({ revisions: before, vocabulary }, lock);
  const notes = kept ? undefined : await newNotes(request, revision, stored, before);
  const files: FileChange[] = [
    { path: `${revision}/schema.json`, content: stored.text },
    ...(notes ? [{ path: `${revision}/notes.json`, content: notes.text }] : []),
    { path: lockFile, content: changedLock(schemaDir, { revisions: lock, vocabulary: pinned }) },
  ];
  const changes = kept
    ? []
    : files.filter(({ path, content }) => readTextIfPresent(join(schemaDir, path)) !== content);
  return {
    revision,
    action: changes.length === 0 ? "unchanged" : standing === "absent" ? "added" : "replaced",
    locked,
    definitions: Object.keys(stored.document["$defs"] as object).length,
    ...(notes && { notes }),
    schema: { file: join(schemaDir, revision, "schema.json"), text: stored.text, value: stored.document },
    lock,
    vocabulary: {
      before: vocabularyIn({ revisions: before, vocabulary }),
      after: vocabularyIn({ revisions: lock, vocabulary: pinned })!,
    },
    changes,
    replaces: standing === "different",
  };
}

/**
 * The initial notes of a revision; undefined if it has a notes file already, or if no other revision has one.
 */
async function newNotes(
  { schemaDir, source }: AddRequest,
  revision: string,
  stored: StoredSchema,
  lock: Lock,
): Promise<CarriedNotes | undefined> {
  if (existsSync(join(schemaDir, revision, "notes.json"))) return undefined;
  const known = await knownNotes(source);
  return known ?? carriedNotes({ revision, source: source.file, stored }, schemaDir, lock);
}

function lockedRevision(request: AddRequest, revision: string, stored: StoredSchema): LockedRevision {
  const { sha256, url, released } = request.source;
  if (released)
    return { ...released, ...(request.status && { status: request.status }), canonical: stored.sha256 };
  const commit = request.commit ?? request.source.commit;
  const { date } = request;
  return {
    status: request.status ?? (isDate(revision) ? "released" : "draft"),
    dialect: stored.dialect,
    upstream: { sha256, ...(commit && { commit }), ...(date && { date }), ...(url && { url }) },
    canonical: stored.sha256,
    descriptions: request.descriptions,
  };
}

type Standing = "absent" | "unchanged" | "different";

function standingOf(schemaDir: string, revision: string, stored: StoredSchema, lock: Lock): Standing {
  const present = readTextIfPresent(join(schemaDir, revision, "schema.json"));
  const locked = lock.get(revision);
  if (present === undefined && locked === undefined) return "absent";
  if (present !== undefined && present !== stored.text) return "different";
  if (locked !== undefined && locked.canonical !== stored.sha256) return "different";
  return present !== undefined && locked !== undefined ? "unchanged" : "absent";
}

async function differs(request: AddRequest, revision: string, lock: Lock): Promise<CodedError> {
  const locked = lock.get(revision);
  const place = { file: join(request.schemaDir, revision, "schema.json") };
  if (locked && locked.descriptions !== request.descriptions) {
    const { sha256 } = await storedSchema(request.source, locked);
    const option = locked.descriptions ? "without --no-descriptions" : "with --no-descriptions";
    if (sha256 === locked.canonical) {
      const message = `revision ${revision} already exists; only its prose differs`;
      return new CodedError("MG2009", message, {
        place,
        next: `Repeat the command ${option}, or with --replace.`,
      });
    }
  }
  return new CodedError("MG2009", `revision ${revision} already exists, with other content`, {
    place,
    next: `See \`mcpgen revision verify ${revision} FILE\`; to replace it, repeat the command with --replace.`,
  });
}
