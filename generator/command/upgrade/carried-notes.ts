import { type JsonValue, type JsonObject, isJsonObject, pointerTokens, naturalCompare } from "@mcpgen/engine";
import { type Note, type NoteConflict, agreeingNote } from "../../notes/note.js";
import type { NoteProblem } from "../../notes/apply.js";
import { kindsOfNotes } from "../../notes/parse.js";
import { counted, shellLine, shownPath } from "../../print/terminal-text.js";
import { type Decision, type Question, confirmed, entryAt, noteOf, asking, replacing } from "./question.js";
import type { Succession } from "./successors.js";
import { type Method, type ProtocolModel, answersOf } from "../../model/model.js";
import { responseOf } from "../../model/pairing.js";
import {
  type StoredExtension,
  readExtensionFile,
  filesOf,
  newestExtensions,
} from "../../extension/extension-store.js";
import { loadJson } from "../../files/json-file.js";
import { ownSchemaFolder } from "../../revision/lock.js";
import type { Project } from "../project.js";
import { textWithoutProse } from "../../revision/carried-notes.js";

/** Notes copied from the preceding revision, sorted by whether the new schema confirms them. */
export interface CarriedNotes {
  /** Notes whose subjects are the same in both schemas. */
  readonly right: readonly Note[];
  /** Notes whose subjects differ, or cannot be compared. */
  readonly doubtful: readonly Note[];
}

/** @param from the revision that the notes were copied from; without it, all notes are doubtful */
export function sortCarried(notes: readonly Note[], from: Side | undefined, now: Side): CarriedNotes {
  const isRight = (note: Note): boolean => from !== undefined && saysTheSame(note, from, now);
  return { right: notes.filter(isRight), doubtful: notes.filter((note) => !isRight(note)) };
}

/**
 * Decision: whether carried notes still hold although their subjects have changed.
 *
 * @param value the content of the notes file
 */
export function doubtfulNotes(
  notes: readonly Note[],
  value: JsonValue,
  from: string | undefined,
  file: string | undefined,
): Decision[] {
  if (notes.length === 0) return [];
  const questions = notes.map((note): Question => {
    const text = `${noteText(note)}: does it still hold? If not, delete it or change it.`;
    const entry = entryAt(value, note.pointer);
    return entry ? replacing(text, note.pointer, confirmed(entry)) : asking(text);
  });
  return [
    {
      kind: "carried-notes",
      title: `${counted(notes.length, "note")} carried over${from === undefined ? "" : ` from ${from}`}, about what has changed or what no schema shows`,
      advice: 'Check each note against the new specification; then delete its "carried" mark, or the note.',
      ...(file !== undefined && { file }),
      items: notes.map(noteText),
      questions,
    },
  ];
}

/** A short description of a note, with its place. */
export function noteText({ kind, targets, pointer }: Note): string {
  return `${kind} on ${targets.join(", ")} (${pointer})`;
}

/** Possible new names of a note's subject. */
interface Renamed {
  readonly successors: readonly Succession[];
  /** New names of members, by their pointers in the preceding schema. */
  readonly places: ReadonlyMap<string, string>;
}

/**
 * Decision about notes that were dropped because the new schema lacks their subjects. Asks whether a method
 * or member with another name is now the subject.
 */
export function droppedNotes(
  problems: readonly NoteProblem[],
  { from, kept }: { readonly from: string | undefined; readonly kept: boolean },
  { successors, places }: Renamed,
  file: string,
): Decision[] {
  if (problems.length === 0) return [];
  const questions = problems.map(({ note, target, message }): Question => {
    const text = `${note.kind} on ${target}: ${message}`;
    const method = successors.find((each) => each.from.name === target && !each.isPart)?.method.name;
    const next = method ?? places.get(target);
    if (next === undefined) return asking(`${text}. If its subject is gone, nothing is to do.`);
    return asking(`${text}. Is ${next} the same?`, noteOf(note.kind, [next], ownFields(note)));
  });
  return [
    {
      kind: "dropped-notes",
      title: `${counted(problems.length, "note was", "notes were")} not ${kept ? "kept" : `carried over from ${from}`}`,
      advice: "Check whether the subject of each note is gone or renamed; then write a new note if needed.",
      file,
      items: problems.map(({ note, target, message }) => `${note.kind} on ${target}: ${message}`),
      questions,
    },
  ];
}

/** The fields of a note that its kind has besides the common ones. */
function ownFields(note: Note): JsonObject {
  const names = Object.keys(kindsOfNotes[note.kind].fields);
  return Object.fromEntries(Object.entries(note).filter(([name]) => names.includes(name))) as JsonObject;
}

/** One revision of a comparison: its model and its canonical document. */
interface Side {
  readonly model: ProtocolModel;
  readonly document: JsonValue;
}

/**
 * Whether the schema of a note's subjects is the same in both revisions. False if a subject is not part of
 * the schema (a header of all requests, a fact about HTTP), because then nothing shows that the note still
 * holds.
 */
function saysTheSame(note: Note, before: Side, now: Side): boolean {
  return note.targets.every((target) => {
    const subjects = [before, now].map((side) => subjectsOf(note, target, side));
    const [old, next] = subjects as [readonly string[] | undefined, readonly string[] | undefined];
    if (!old || !next || old.length === 0 || old.join() !== next.join()) return false;
    return next.every((name) => definitionText(before, name) === definitionText(now, name));
  });
}

/** Names of the definitions that a target of a note refers to; `undefined` if the schema lacks the target. */
function subjectsOf(note: Note, target: string, side: Side): string[] | undefined {
  if (target.startsWith("/")) {
    const [holder, name] = pointerTokens(target);
    if (holder !== "$defs" || name === undefined) return undefined;
    return [name, ...(note.kind === "extends" ? [note.base] : [])];
  }
  const { model } = side;
  if (note.kind === "error") {
    const error = model.errors.find(({ code }) => String(code) === target);
    return error?.definition === undefined ? undefined : [error.definition];
  }
  const method = model.methods.find(({ name }) => name === target);
  return method && definitionsOf(method, model, note);
}

/**
 * Names of the definitions of a message, its params and its responses, and of further definitions that the
 * note names.
 */
function definitionsOf(method: Method, { schema }: ProtocolModel, note: Note): string[] {
  const response = responseOf(schema, method.message);
  const named = note.kind === "subscription" ? [pointerTokens(note.filter)[1] ?? ""] : [];
  const { definition } = method.params;
  return [
    method.message,
    ...(definition === undefined ? [] : [definition]),
    ...answersOf(method),
    ...(response ? [response.name] : []),
    ...named,
  ];
}

function definitionText({ document, model }: Side, name: string): string | undefined {
  const definitions = isJsonObject(document) ? document["$defs"] : undefined;
  const found = definitions !== undefined && isJsonObject(definitions) ? definitions[name] : undefined;
  // A message written inline in a union is a definition only in the model.
  if (found === undefined) return model.schema.definitions.has(name) ? name : undefined;
  return textWithoutProse(found);
}

/**
 * Decision about notes that contradict the schema, each with replacement notes that agree with it.
 *
 * @param value the content of the notes file
 */
export function conflictingNotes(
  conflicts: readonly NoteConflict[],
  value: JsonValue,
  file: string,
): Decision[] {
  if (conflicts.length === 0) return [];
  const texts = conflicts.map(
    ({ note, target, message }) => `${note.kind} on ${target} (${note.pointer}): ${message}`,
  );
  return [
    {
      kind: "conflicting-notes",
      title: `${counted(conflicts.length, "note says", "notes say")} otherwise than the schema`,
      advice: "Replace each by what agrees with the schema, or correct it.",
      risk: "The notes hold, and what the schema says is neither sent nor understood",
      file,
      items: conflicts.flatMap((conflict, index) => {
        const note = agreeingNote(conflict);
        return note ? [texts[index]!, JSON.stringify(note)] : [texts[index]!];
      }),
      questions: conflicts.map((conflict, index): Question => {
        const text = `${texts[index]!}. Is the schema right?`;
        return { text, paste: agreeing(conflict, value), at: conflict.note.pointer };
      }),
    },
  ];
}

/** The note that agrees with the schema for this target, and the present note for its other targets. */
function agreeing(conflict: NoteConflict, value: JsonValue): JsonObject[] {
  const note = agreeingNote(conflict);
  // Generation would fail with an unfinished note.
  if (!note || conflict.isUnfinished) return [];
  const { targets, pointer } = conflict.note;
  const others = targets.filter((target) => target !== conflict.target);
  const entry = entryAt(value, pointer);
  // A kind of note without fields is confirmed by its targets alone, so the target is added to the present
  // note.
  if (Object.keys(conflict.fields!).length === 0)
    return [{ ...(entry ? confirmed(entry) : note), target: [...targets, conflict.target] }];
  if (others.length === 0 || !entry) return [note];
  return [{ ...entry, target: others.length === 1 ? others[0]! : others }, note];
}

/**
 * Decisions about extensions that name the preceding revision as a base but not the new one: those in the
 * project, and those shipped with mcpgen that the project does not store.
 *
 * @throws CodedError for an extension.json that cannot be read
 */
export async function leftBehind(
  revision: string,
  previous: string | undefined,
  { schemaDir }: Pick<Project, "schemaDir">,
  directory: string,
): Promise<Decision[]> {
  if (previous === undefined) return [];
  const own = await withoutBase(newestExtensions(schemaDir), revision, previous);
  const known = new Set(newestExtensions(schemaDir).map(({ id }) => id));
  const brought = newestExtensions(ownSchemaFolder).filter(({ id }) => !known.has(id));
  const shipped = await withoutBase(brought, revision, previous);
  const title = (count: number, of = ""): string =>
    `${counted(count, "extension")} ${of}${count === 1 ? "does" : "do"} not name ${revision} among the bases`;
  const decisions: Decision[] = [
    {
      kind: "extensions",
      title: title(own.length),
      advice: `Where one holds for ${revision}, too, change the bases in its extension.json; then mcpgen generate.`,
      risk: `At ${revision}, servers and clients leave it out without a word`,
      items: own.map(
        ({ file, bases }) => `"bases": ${JSON.stringify(bases)} (${shownPath(file, directory)})`,
      ),
      questions: own.map(({ stored, file, bases }) => ({
        text: `Does ${stored.id} hold for ${revision}, too (${shownPath(file, directory)})?`,
        paste: [[...bases]],
        at: "/bases",
      })),
    },
    {
      kind: "extensions",
      title: title(shipped.length, "that mcpgen brings "),
      advice: `If you use one at ${revision}, wait for a version of mcpgen that has both, or store it yourself.`,
      items: shipped.map(({ stored, bases }) => storing(stored, bases, directory)),
      questions: shipped.map(({ stored, bases }) => ({
        text: `To store ${stored.id}: ${storing(stored, bases, directory)}`,
        paste: [],
        at: "",
      })),
    },
  ];
  return decisions.filter(({ items }) => items.length > 0);
}

interface Left {
  readonly stored: StoredExtension;
  readonly file: string;
  /** The bases, including the new revision. */
  readonly bases: readonly string[];
}

async function withoutBase(
  extensions: readonly StoredExtension[],
  revision: string,
  previous: string,
): Promise<Left[]> {
  const left: Left[] = [];
  for (const stored of extensions) {
    const { extension: file } = filesOf(stored);
    const { bases } = await readExtensionFile(await loadJson(file));
    if (bases.includes(previous) && !bases.includes(revision))
      left.push({ stored, file, bases: [...bases, revision].sort(naturalCompare) });
  }
  return left;
}

/** The command that stores a shipped extension in the project. */
function storing(stored: StoredExtension, bases: readonly string[], directory: string): string {
  const { schema, notes } = filesOf(stored);
  return shellLine([
    ...["mcpgen", "extension", "add", shownPath(schema, directory)],
    ...["--id", stored.id, "--version", stored.version],
    ...bases.flatMap((base) => ["--base", base]),
    ...(notes === undefined ? [] : ["--notes", shownPath(notes, directory)]),
  ]);
}
