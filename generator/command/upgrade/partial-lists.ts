import { likelyPartial } from "../../model/partial-lists.js";
import { counted } from "../../print/counted.js";
import type { Source } from "../diff/source.js";
import { type Decision, asking, noteOf } from "./question.js";

/** Lists that may leave entries out, as their schemas suggest, each with the note that says so. */
export function partialLists(
  { loaded: { model } }: Source,
  previous: Source | undefined,
  file: string,
): Decision[] {
  const lists = model.methods.flatMap((method) => {
    const likely = likelyPartial(model, method, previous?.loaded.model);
    return likely ? [{ name: method.name, note: noteOf("partial", [method.name], { ...likely }) }] : [];
  });
  if (lists.length === 0) return [];
  return [
    {
      kind: "missing-notes",
      title: `${counted(lists.length, "list has", "lists have")} a new flag, which may say that the list leaves entries out`,
      advice:
        "If one does: without the note clients take each list for complete, and what it leaves out for removed.",
      file,
      items: lists.map(({ name }) => name),
      questions: lists.map(({ name, note }) => asking(`Does the flag of ${name} say so?`, note)),
    },
  ];
}
