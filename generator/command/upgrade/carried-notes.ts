import type { JsonValue } from "@mcpgen/engine";
import type { Note } from "../../notes/note.js";
import type { NoteProblem } from "../../notes/apply.js";
import { counted } from "../../print/counted.js";
import { type Decision, type Question, confirmed, entryAt, noteOf, asking, replacing } from "./question.js";
import type { Succession } from "./successors.js";
import { type Side, saysTheSame } from "./unchanged.js";

/** Notes that were copied from the revision before, by what the new schema says of their subjects. */
export interface CarriedNotes {
  /** The new schema says of all their subjects what the one before says. */
  readonly right: readonly Note[];
  /** It says something else, or nothing shows whether it does. */
  readonly doubtful: readonly Note[];
}

/** @param from the revision that the notes were copied from; without it, nothing shows that they are right */
export function sortCarried(notes: readonly Note[], from: Side | undefined, now: Side): CarriedNotes {
  const isRight = (note: Note): boolean => from !== undefined && saysTheSame(note, from, now);
  return { right: notes.filter(isRight), doubtful: notes.filter((note) => !isRight(note)) };
}

/**
 * The question whether carried notes hold whose subjects have changed.
 *
 * @param value of the notes file
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

/** A note in a few words, with its place. */
export function noteText({ kind, targets, pointer }: Note): string {
  return `${kind} on ${targets.join(", ")} (${pointer})`;
}

/**
 * Notes that were left behind, because the new schema does not have their subjects: a method or member of another name
 * may be the subject now.
 *
 * @param places new names of members, by their pointers in the schema before
 */
export function droppedNotes(
  problems: readonly NoteProblem[],
  { from, kept }: { readonly from: string | undefined; readonly kept: boolean },
  successors: readonly Succession[],
  places: ReadonlyMap<string, string>,
  file: string,
): Decision[] {
  if (problems.length === 0) return [];
  const questions = problems.map(({ note, target, message }): Question => {
    const text = `${note.kind} on ${target}: ${message}`;
    const method = successors.find((each) => each.from.name === target && !each.isPart)?.method.name;
    const next = method ?? places.get(target);
    if (next === undefined) return asking(`${text}. If its subject is gone, nothing is to do.`);
    const {
      kind,
      targets: _,
      pointer: __,
      carried: ___,
      bases: ____,
      reason: _____,
      link: ______,
      ...fields
    } = note;
    return asking(`${text}. Is ${next} the same?`, noteOf(kind, [next], fields as never));
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
