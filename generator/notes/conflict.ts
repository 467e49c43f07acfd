import type { JsonObject } from "@mcpgen/engine";
import type { Note } from "./note.js";

/** A note that says otherwise than the schema. It holds, because it may correct the schema; and it is reported. */
export interface NoteConflict {
  readonly note: Note;
  readonly target: string;
  readonly message: string;
  /** The fields of a note on the target that agrees with the schema; absent if a person has to find them. */
  readonly fields?: JsonObject;
  /** A person has to fill in a part of those fields. */
  readonly isUnfinished?: true;
}

/** The note that would agree with the schema, to be pasted into the file. */
export function agreeingNote({ note, target, fields }: NoteConflict): JsonObject | undefined {
  const { kind, reason, link } = note;
  return fields && { kind, target, ...fields, reason, link };
}
