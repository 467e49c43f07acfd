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
import { shortened } from "../print/terminal-text.js";
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

/** The notes a new revision starts with. */
export interface CarriedNotes {
  /** The content of notes.json. */
  readonly text: string;
  /** The revision they were copied from, if any. */
  readonly from?: string;
  readonly carried: number;
  /** The notes that were left out, each with the reason. */
  readonly dropped: readonly string[];
  /** The notes of `dropped` that leave a decision open. */
  readonly left: readonly NoteProblem[];
  /** The number of notes, where mcpgen has them for this very schema: nothing is left to confirm. */
  readonly released?: number;
}

/** The notes that mcpgen has for a schema, if it is that of a released revision. */
export async function knownNotes(schema: JsonFile): Promise<CarriedNotes | undefined> {
  const path = await releasedNotes(schema);
  if (path === undefined) return undefined;
  const file = await loadJson(path);
  return { text: file.text, carried: 0, released: parseNotes(file).length, ...leftOut([]) };
}

interface NewRevision {
  readonly revision: string;
  /** The file that its schema came from, for errors. */
  readonly source: string;
  readonly stored: StoredSchema;
}

/**
 * Copies the notes of the newest released revision of a schema folder, each marked as carried until a person confirms it.
 * Those whose target is gone, or which would change nothing, are left out.
 *
 * @returns undefined where no other revision has notes: an empty file would say that the revision needs none
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

/** The lock is in natural order, which for dates is the order of time. */
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

/** The file of the notes that a stored revision has: its own, or that of mcpgen for its schema. */
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

/** The notes that were left out, and the reasons. */
function droppedText({ note, target, message }: NoteProblem): string {
  return `${note.kind} on ${target}: ${message}`;
}

/** The content of notes.json. */
export function notesText(notes: readonly unknown[]): string {
  return JSON.stringify({ format: 1, notes }, null, 2) + "\n";
}

/** A revision, read and resolved, and its files. */
interface Loaded {
  readonly source: RevisionSource;
  readonly loaded: LoadedRevision;
}

/**
 * Carried notes about places that the schema describes otherwise than that of the revision before: the notes replace, or
 * rely on, what was there.
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

/** Kinds of notes that replace what the schema says at their target, or that are true only of what stood there. */
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

/** A code that a definition had, and that none has now. */
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

/** The canonical text of a schema, without its prose. */
export function textWithoutProse(node: JsonValue): string {
  return isJsonObject(node)
    ? canonicalText(canonicalise({ $defs: { node } }, { descriptions: false }))
    : canonicalText(node);
}

/** The beginning of a schema. */
function shown(node: JsonValue): string {
  return shortened(JSON.stringify(node), 80);
}

/** Notes of one revision as they apply to another. */
export interface Carried {
  /** Entries of the new notes file; those of `carryNotes` marked `carried: true` until a person confirms it. */
  readonly notes: readonly JsonObject[];
  /**
   * The notes, or single targets of notes, that were left out: their target does not exist here, or they change
   * nothing.
   */
  readonly dropped: readonly NoteProblem[];
}

/**
 * Copies notes to a revision whose schema is `document`: those whose target is gone or whose effect is nil
 * are dropped, the rest are marked as carried.
 *
 * @param schemaFile names the schema in errors
 * @throws CodedError when the notes file is malformed (MG1201) or the schema cannot be read
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
 * The notes of a revision whose schema has become `document`, without those whose target is gone or whose
 * effect is nil; errors as `carryNotes`.
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
    // Leaving a note out may change what another one does, so this goes on until all that remain have effect.
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

/** Notes about one pair of revisions, or about one revision alone, do not apply to the next revision. */
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

/** Why a note is about older revisions only. */
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

/** The entry without some of its targets; nothing where none is left. */
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
