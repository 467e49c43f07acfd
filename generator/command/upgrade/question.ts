import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { NoteKind } from "../../notes/note.js";

/** A question for a person, with the answer "yes" written out already. */
export interface Question {
  readonly text: string;
  /**
   * The values to paste, together: notes are complete but for `reason` and `link`, which say what to write. Empty where no
   * value can be proposed.
   */
  readonly paste: readonly JsonValue[];
  /** JSON Pointer of the place in the file of the decision: `/notes/-` is the end of the list; another place is replaced. */
  readonly at: string;
}

/** A decision for a person, because no schema contains the answer. */
export interface Decision {
  readonly kind:
    | "assumption"
    | "carried-notes"
    | "configuration"
    | "conflicting-notes"
    | "dropped-notes"
    | "extensions"
    | "missing-notes";
  /** The subject, in a few words. */
  readonly title: string;
  readonly advice: string;
  /** What goes wrong without a word, if all is left as it is: such decisions stand first. */
  readonly risk?: string;
  /** The file to edit. */
  readonly file?: string;
  readonly items: readonly string[];
  /** The same one by one, with what to paste into the file. */
  readonly questions: readonly Question[];
}

/** Where the answer goes, in words. */
export function answerPlace({ at }: Question): string {
  return at.endsWith("/-") ? `If so, paste at ${at}:` : `If so, paste in the place of ${at}:`;
}

/** The place after the last note. */
const atEnd = "/notes/-";

/** What stands where only a person knows what to write. */
const unwritten = {
  reason: "WRITE HERE: what the specification says, in a sentence",
  link: "WRITE HERE: the address of the page that says it",
} as const;

/** A note as a file has it, without a reason and a link. */
export function noteOf(kind: NoteKind, targets: readonly string[], fields: JsonObject = {}): JsonObject {
  return { kind, target: targets.length === 1 ? targets[0]! : [...targets], ...fields, ...unwritten };
}

/** A question that notes at the end of the file answer. */
export function asking(text: string, ...notes: readonly JsonObject[]): Question {
  return { text, paste: notes, at: atEnd };
}

/** A question that a changed note answers, in the place of the present one. */
export function replacing(text: string, at: string, note: JsonObject): Question {
  return { text, paste: [note], at };
}

/** An entry of a notes file as a person has confirmed it. */
export function confirmed(entry: JsonObject): JsonObject {
  const { carried: _, ...note } = entry;
  return note;
}

/** The entry of a notes file at a pointer such as `/notes/3`. */
export function entryAt(file: JsonValue, pointer: string): JsonObject | undefined {
  const notes = isJsonObject(file) ? file["notes"] : undefined;
  const entry = Array.isArray(notes) ? notes[Number(pointer.slice("/notes/".length))] : undefined;
  return isJsonObject(entry) ? entry : undefined;
}
