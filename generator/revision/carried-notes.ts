import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonFile, loadJson } from "../files/json-file.js";
import type { NoteProblem } from "../notes/apply.js";
import { parseNotes } from "../notes/parse.js";
import { carryNotes } from "./carry.js";
import type { Lock } from "./lock.js";
import { releasedNotes } from "./released.js";
import type { StoredSchema } from "./stored-schema.js";

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

/**
 * Copies the notes of the newest released revision of a schema folder, each marked as carried until a person confirms it.
 * Those whose target is gone, or which would change nothing, are left out.
 *
 * @returns undefined where no other revision has notes: an empty file would say that the revision needs none
 */
export async function carriedNotes(
  schemaDir: string,
  revision: string,
  source: string,
  stored: StoredSchema,
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
