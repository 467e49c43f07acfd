import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { NoteKind } from "../../notes/note.js";
import { noteEntries } from "../../revision/carried-notes.js";

/** A question to the user, with the value for the answer "yes". */
export interface Question {
  readonly text: string;
  /**
   * The values to paste, all together. Notes are complete except for `reason` and `link`, whose texts say
   * what to write. Empty if no value can be proposed.
   */
  readonly paste: readonly JsonValue[];
  /**
   * JSON Pointer of the place in the decision's file. `/notes/-` appends to the list; any other place is
   * replaced.
   */
  readonly at: string;
}

/** A decision for the user, because the schema does not settle it. */
export interface Decision {
  readonly kind:
    | "assumption"
    | "carried-notes"
    | "configuration"
    | "conflicting-notes"
    | "dropped-notes"
    | "extensions"
    | "missing-notes";
  /** Short title of the subject. */
  readonly title: string;
  readonly advice: string;
  /** The damage that goes unnoticed if nothing is changed. Such decisions come first. */
  readonly risk?: string;
  /** The file to edit. */
  readonly file?: string;
  readonly items: readonly string[];
  /** The individual questions, with values to paste into the file. */
  readonly questions: readonly Question[];
}

/** The place of the answer, in words. */
export function answerPlace({ at }: Question): string {
  return at.endsWith("/-") ? `If so, paste at ${at}:` : `If so, paste in the place of ${at}:`;
}

/** Pointer that appends to the notes. */
const atEnd = "/notes/-";

/** Placeholders for texts that only the user can write. */
const unwritten = {
  reason: "WRITE HERE: what the specification says, in a sentence",
  link: "WRITE HERE: the address of the page that says it",
} as const;

/** A note in the form of a notes file, with placeholders for reason and link. */
export function noteOf(kind: NoteKind, targets: readonly string[], fields: JsonObject = {}): JsonObject {
  return { kind, target: targets.length === 1 ? targets[0]! : [...targets], ...fields, ...unwritten };
}

/** A question that is answered by adding notes at the end of the file. */
export function asking(text: string, ...notes: readonly JsonObject[]): Question {
  return { text, paste: notes, at: atEnd };
}

/** A question that is answered by replacing the present note. */
export function replacing(text: string, at: string, note: JsonObject): Question {
  return { text, paste: [note], at };
}

/** An entry of a notes file without its "carried" mark, as if a person had confirmed it. */
export function confirmed(entry: JsonObject): JsonObject {
  const { carried: _, ...note } = entry;
  return note;
}

/** The entry of a notes file at a pointer such as `/notes/3`. */
export function entryAt(file: JsonValue, pointer: string): JsonObject | undefined {
  return noteEntries(file)[Number(pointer.slice("/notes/".length))];
}
