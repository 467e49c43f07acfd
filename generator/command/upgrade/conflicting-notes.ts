import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { type NoteConflict, agreeingNote } from "../../notes/conflict.js";
import { counted } from "../../print/counted.js";
import { type Decision, type Question, confirmed, entryAt } from "./question.js";

/**
 * Notes that hide what the schema says, each with the notes that agree with it.
 *
 * @param value of the notes file
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

/** The note that agrees, and the present one for its other targets. */
function agreeing(conflict: NoteConflict, value: JsonValue): JsonObject[] {
  const note = agreeingNote(conflict);
  // An unfinished note would not generate.
  if (!note || conflict.isUnfinished) return [];
  const { targets, pointer } = conflict.note;
  const others = targets.filter((target) => target !== conflict.target);
  const entry = entryAt(value, pointer);
  // A note that is silent about a method says nothing of those that it names.
  if (Object.keys(conflict.fields!).length === 0)
    return [{ ...(entry ? confirmed(entry) : note), target: [...targets, conflict.target] }];
  if (others.length === 0 || !entry) return [note];
  return [{ ...entry, target: others.length === 1 ? others[0]! : others }, note];
}
