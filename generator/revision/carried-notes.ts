import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type JsonObject,
  type JsonValue,
  atPointer,
  canonicalise,
  canonicalText,
  isJsonObject,
} from "@mcpgen/engine";
import { type JsonFile, loadJson } from "../files/json-file.js";
import type { NoteProblem } from "../notes/apply.js";
import { parseNotes } from "../notes/parse.js";
import { shortText } from "../print/terminal-text.js";
import type { Lock } from "./lock.js";
import {
  type LoadedRevision,
  type RevisionSource,
  releasedNotes,
  readDocument,
  resolveRevision,
} from "./revision-source.js";
import type { StoredSchema } from "./stored-schema.js";
import type { NoteConflict, Note } from "../notes/note.js";
import { undocumented } from "./schema-source.js";

/** The initial notes of a new revision. */
export interface CarriedNotes {
  /** The content of notes.json. */
  readonly text: string;
  /** The revision they were copied from, if any. */
  readonly from?: string;
  readonly carried: number;
  /** The omitted notes, each with the reason. */
  readonly dropped: readonly string[];
  /** The omitted notes about which a decision is still open. */
  readonly left: readonly NoteProblem[];
  /** The number of notes, if mcpgen ships them for this very schema, so that none needs confirmation. */
  readonly released?: number;
}

/** The notes shipped with mcpgen for a schema, if it is that of a released revision. */
export async function knownNotes(schema: JsonFile): Promise<CarriedNotes | undefined> {
  const path = await releasedNotes(schema);
  if (path === undefined) return undefined;
  const file = await loadJson(path);
  return { text: file.text, carried: 0, released: parseNotes(file).length, ...leftOut([]) };
}

interface NewRevision {
  readonly revision: string;
  /** The original file of the schema, for errors. */
  readonly source: string;
  readonly stored: StoredSchema;
}

/**
 * Copies the notes of the newest released revision of a schema folder, each marked as carried until a person
 * confirms it. Omits notes whose target is gone or that would have no effect.
 *
 * @returns undefined if no other revision has notes; an empty file would mean that the revision needs none
 */
export async function carriedNotes(
  { revision, source, stored }: NewRevision,
  schemaDir: string,
  lock: Lock,
): Promise<CarriedNotes | undefined> {
  const newest = await newestWithNotes(schemaDir, revision, lock);
  if (newest === undefined) return undefined;
  const notesFile = await loadJson(newest.file);
  const { notes, dropped } = await carryNotes(
    { file: source, text: stored.text },
    stored.document,
    notesFile,
  );
  return {
    text: notesText(notes),
    from: newest.name,
    carried: notes.length,
    ...leftOut(dropped),
  };
}

interface NotesOfRevision {
  readonly name: string;
  readonly file: string;
}

/** The newest revision with notes. The lock is in natural order, which for dates is chronological. */
async function newestWithNotes(
  schemaDir: string,
  revision: string,
  lock: Lock,
): Promise<NotesOfRevision | undefined> {
  const released = [...lock].filter(([name, { status }]) => status === "released" && name !== revision);
  for (const [name] of released.reverse()) {
    const file = await notesFileOf(schemaDir, name);
    if (file !== undefined) return { name, file };
  }
  return undefined;
}

/** The notes file of a stored revision: its own, or the one shipped for its schema. */
async function notesFileOf(schemaDir: string, revision: string): Promise<string | undefined> {
  const own = join(schemaDir, revision, "notes.json");
  if (existsSync(own)) return own;
  const schema = join(schemaDir, revision, "schema.json");
  return existsSync(schema) ? releasedNotes(await loadJson(schema)) : undefined;
}

/** The notes that were left out: as texts, and those that leave a decision open. */
export function leftOut(problems: readonly NoteProblem[]): Pick<CarriedNotes, "dropped" | "left"> {
  return { dropped: problems.map(droppedText), left: problems.filter(({ settled }) => !settled) };
}

/** Describes an omitted note with the reason. */
function droppedText({ note, target, message }: NoteProblem): string {
  return `${note.kind} on ${target}: ${message}`;
}

/** The content of notes.json. */
export function notesText(notes: readonly unknown[]): string {
  return JSON.stringify({ format: 1, notes }, null, 2) + "\n";
}

/** A loaded revision with its files. */
interface Loaded {
  readonly source: RevisionSource;
  readonly loaded: LoadedRevision;
}

/**
 * Conflicts of carried notes with places whose schema has changed since the preceding revision: the notes
 * replace the former schema or rely on it.
 */
export async function changedPlaces(current: Loaded, previous: Loaded): Promise<NoteConflict[]> {
  const notes = current.loaded.carried.filter(({ kind }) => relying.has(kind));
  if (notes.length === 0) return [];
  const { revision } = previous.source;
  const [before, now] = await Promise.all(
    [previous, current].map(async ({ source }) => (await readDocument(source)).document),
  );
  return notes.flatMap((note) =>
    note.targets.flatMap((target): NoteConflict[] => {
      const message =
        note.kind === "error"
          ? lostCode(target, current.loaded, previous.loaded, revision)
          : changeAt(note, target, [before!, now!], revision);
      return message === undefined ? [] : [{ note, target, message }];
    }),
  );
}

/** Kinds of notes that replace the schema at their target, or that hold only for its former content. */
const relying: ReadonlySet<Note["kind"]> = new Set(["errata", "error", "open", "owned"]);

function changeAt(
  { kind }: Note,
  target: string,
  [before, now]: readonly [JsonObject, JsonObject],
  revision: string,
): string | undefined {
  const [old, next] = [atPointer(before, target), atPointer(now, target)];
  if (old === undefined || next === undefined || textWithoutProse(old) === textWithoutProse(next))
    return undefined;
  if (kind === "open")
    return isClosed(next) && !isClosed(old)
      ? `the schema closes the object, which was open in ${revision}`
      : undefined;
  const effect =
    kind === "owned" ? "the protocol machinery fills in what it was" : "the note replaces what stands there";
  return `the schema has changed here since ${revision}, from ${shown(old)} to ${shown(next)}: ${effect}`;
}

/** An error code that a definition had before and none has now. */
function lostCode(
  target: string,
  { model }: LoadedRevision,
  previous: LoadedRevision,
  revision: string,
): string | undefined {
  const of = ({ errors }: LoadedRevision["model"]) =>
    errors.find(({ code, definition }) => String(code) === target && definition !== undefined)?.definition;
  const before = of(previous.model);
  if (before === undefined || of(model) !== undefined) return undefined;
  const moved = model.errors.find(({ definition }) => definition === before);
  const now = moved ? `${before} has ${moved.code} now` : "no definition has it now";
  return `${before} had this code in ${revision}, and ${now}`;
}

function isClosed(node: JsonValue): boolean {
  return isJsonObject(node) && node["additionalProperties"] === false;
}

/** The canonical text of a schema without descriptions. */
export function textWithoutProse(node: JsonValue): string {
  return isJsonObject(node)
    ? canonicalText(canonicalise({ $defs: { node } }, { descriptions: false }))
    : canonicalText(node);
}

/** The beginning of a schema. */
function shown(node: JsonValue): string {
  return shortText(JSON.stringify(node), 80);
}

/** The notes of one revision that apply to another. */
export interface Carried {
  /** Entries of the new notes file; `carryNotes` marks them `carried: true` until a person confirms them. */
  readonly notes: readonly JsonObject[];
  /** Omitted notes, or single targets of notes: the target does not exist, or the note has no effect. */
  readonly dropped: readonly NoteProblem[];
}

/**
 * Copies notes to a revision whose schema is `document`: omits those without a target or an effect, and marks
 * the others as carried.
 *
 * @param schemaFile name of the schema in errors
 * @throws CodedError if the notes file is malformed (MG1201) or the schema cannot be read
 */
export async function carryNotes(
  schemaFile: Pick<JsonFile, "file" | "text">,
  document: JsonObject,
  notesFile: JsonFile,
): Promise<Carried> {
  const { lasting, dropped } = withoutSettled(notesFile);
  const effective = await withEffect(schemaFile, document, notesFile.file, lasting);
  return {
    notes: effective.notes.map((entry) => ({ ...entry, carried: true })),
    dropped: [...dropped, ...effective.dropped],
  };
}

/**
 * The notes of a revision after its schema became `document`, without those that lost their target or effect.
 * Errors as for `carryNotes`.
 */
export async function pruneNotes(
  schemaFile: Pick<JsonFile, "file" | "text">,
  document: JsonObject,
  notesFile: JsonFile,
): Promise<Carried> {
  return withEffect(schemaFile, document, notesFile.file, noteEntries(notesFile.value));
}

async function withEffect(
  schemaFile: Pick<JsonFile, "file" | "text">,
  document: JsonObject,
  file: string,
  all: readonly JsonObject[],
): Promise<Carried> {
  let entries = all;
  const dropped: NoteProblem[] = [];
  for (;;) {
    // Omitting a note may change the effect of another, so this is repeated until all remaining notes have an
    // effect.
    const notes = parseNotes({ file, value: { format: 1, notes: [...entries] } });
    const about = { revision: "", status: "draft", docs: undocumented } as const;
    const { problems } = await resolveRevision(schemaFile, document, notes, about);
    if (problems.length === 0) return { notes: entries, dropped };
    dropped.push(...problems);
    entries = entries.flatMap((entry, index) => {
      const gone = problems.filter(({ note }) => note === notes[index]).map(({ target }) => target);
      return gone.length === 0 ? [entry] : withoutTargets(entry, gone);
    });
  }
}

/**
 * Separates notes that concern only one revision or one pair of revisions; these do not apply to the next
 * one.
 */
function withoutSettled(notesFile: JsonFile): { lasting: JsonObject[]; dropped: NoteProblem[] } {
  const entries = noteEntries(notesFile.value);
  const dropped: NoteProblem[] = [];
  const lasting = parseNotes(notesFile).flatMap((note, index) => {
    const gone = note.targets.flatMap((target): NoteProblem[] => {
      const message = settledReason(note, target);
      return message === undefined ? [] : [{ code: "MG1203", note, target, message, settled: true }];
    });
    dropped.push(...gone);
    const targets = gone.map(({ target }) => target);
    return targets.length === 0 ? [entries[index]!] : withoutTargets(entries[index]!, targets);
  });
  return { lasting, dropped };
}

/** Why a note concerns only older revisions; undefined otherwise. */
function settledReason(note: Note, target: string): string | undefined {
  if (isOfPair(note)) return `it is about the step from ${note.previous}`;
  const assumed = note.kind === "transport" && target === "assumed";
  return assumed ? "requests without the header belong to one revision" : undefined;
}

function isOfPair(note: Note): note is Extract<Note, { readonly previous: string }> {
  return "previous" in note;
}

/** The entries of a notes file. */
export function noteEntries(value: JsonValue): JsonObject[] {
  const notes = isJsonObject(value) ? value["notes"] : undefined;
  return Array.isArray(notes) ? notes.filter(isJsonObject) : [];
}

/** The entry without some targets; empty if none remains. */
export function withoutTargets(entry: JsonObject, gone: Iterable<string>): JsonObject[] {
  const known = new Set(gone);
  const left = targetsOf(entry).filter((target) => !known.has(target));
  if (left.length === 0) return [];
  return [{ ...entry, target: left.length === 1 ? left[0]! : left }];
}

/** The targets of an entry of a notes file. */
export function targetsOf({ target }: JsonObject): string[] {
  return [target].flat().filter((one) => typeof one === "string");
}
