import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { undocumented } from "./documentation.js";
import type { JsonFile } from "../files/json-file.js";
import { resolveRevision } from "./revision-source.js";
import type { NoteProblem } from "../notes/apply.js";
import type { Note } from "../notes/note.js";
import { parseNotes } from "../notes/parse.js";

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
