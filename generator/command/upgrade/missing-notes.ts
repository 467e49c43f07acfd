import {
  type JsonObject,
  type JsonValue,
  atPointer,
  isJsonObject,
  pointerTokens,
  readSchema,
  referencedPointer,
} from "@mcpgen/engine";
import type { RenameCandidate } from "../../targets/typescript/steps/rename-candidates.js";
import { assumeNotes } from "../../model/assume.js";
import { parseNotes } from "../../notes/parse.js";
import { counted } from "../../print/terminal-text.js";
import type { Source } from "../diff/source.js";
import { type Decision, type Question, asking, noteOf } from "./question.js";
import type { StagedUpgrade } from "./stage.js";
import { likelyPartial } from "../../model/page.js";

/**
 * Suggests notes for this schema: those that mcpgen would assume without any notes, minus those that present
 * notes decide or that also apply to the preceding revision.
 */
export function missingNotes(
  { notes, revision }: StagedUpgrade,
  base: Source | undefined,
  file: string,
): Decision[] {
  if (!notes) return [];
  const present = parseNotes(notes);
  const document = revision.schema.value;
  const decided = base ? candidates(base.file.value) : undefined;
  const wanted = candidates(document);
  return (["extends", "open"] as const).flatMap((kind): Decision[] => {
    const known = new Set(present.flatMap((note) => (note.kind === kind ? note.targets : [])));
    const items = [...wanted[kind]].filter(([target]) => !known.has(target) && !decided?.[kind].has(target));
    if (items.length === 0) return [];
    const targets = items.map(([target]) => target);
    const questions =
      kind === "open" ? targets.map((target) => openQuestion(target, document)) : extendsQuestions(items);
    return [{ kind: "missing-notes", ...texts[kind](targets), file, items: targets, questions }];
  });
}

function openQuestion(target: string, document: JsonValue): Question {
  const members = membersAt(document, target);
  const shown = members.length === 0 ? "" : ` (now ${members.join(", ")})`;
  return asking(`May later revisions add to ${target}${shown}?`, noteOf("open", [target]));
}

/** The members of a union (names of definitions) or of a set of string values. */
function membersAt(document: JsonValue, target: string): string[] {
  const node = atPointer(document, target);
  if (!isJsonObject(node)) return [];
  const { enum: values, anyOf, oneOf } = node;
  if (Array.isArray(values)) return values.map(String);
  const arms = anyOf ?? oneOf;
  return Array.isArray(arms) ? arms.flatMap(nameOfReference) : [];
}

function nameOfReference(arm: JsonValue): string[] {
  const reference = isJsonObject(arm) ? arm["$ref"] : undefined;
  return typeof reference === "string" ? [pointerTokens(referencedPointer(reference)).at(-1)!] : [];
}

/** One question for each base definition. */
function extendsQuestions(items: readonly (readonly [target: string, base: string])[]): Question[] {
  const bases = new Map<string, string[]>();
  for (const [target, base] of items) bases.set(base, [...(bases.get(base) ?? []), target]);
  return [...bases].map(([base, targets]) =>
    asking(
      `${targets.join(", ")}: all members of ${base}, which takes any others; does it, too?`,
      noteOf("extends", targets, { base }),
    ),
  );
}

/** Places by the kind of note that they may need, with the base that each may extend. */
interface Candidates {
  readonly extends: ReadonlyMap<string, string>;
  readonly open: ReadonlyMap<string, string>;
}

function candidates(document: JsonValue): Candidates {
  if (!isJsonObject(document)) return { extends: new Map(), open: new Map() };
  const { notes } = assumeNotes(document);
  const of = (kind: string): [string, string][] =>
    notes.flatMap((note) =>
      note.kind === kind
        ? note.targets.map((target): [string, string] => [target, note.kind === "extends" ? note.base : ""])
        : [],
    );
  const closed = unions(document).map((target): [string, string] => [target, ""]);
  return { extends: new Map(of("extends")), open: new Map([...of("open"), ...closed]) };
}

/** Unions of definitions, with or without a discriminator. */
function unions(document: JsonObject): string[] {
  const { definitions } = readSchema(document);
  return [...definitions.values()].flatMap(({ node }) => {
    const arms = node.anyOf ?? node.oneOf ?? [];
    return arms.length > 1 && arms.every(({ ref }) => ref !== undefined) ? [node.pointer] : [];
  });
}

const texts = {
  open: (items: readonly string[]) => ({
    title: `${counted(items.length, "new union or string set is", "new unions or string sets are")} closed: no note says that later revisions may add to ${items.length === 1 ? "it" : "them"}`,
    advice: "Where the specification leaves one open, add it to the note of kind open.",
  }),
  extends: (items: readonly string[]) => ({
    title: `${counted(items.length, "new definition repeats", "new definitions repeat")} an open base without its index signature`,
    advice: "Where one extends its base, add a note of kind extends.",
    risk: "Its types refuse members that the base takes, and handlers may have to write what the protocol machinery fills in",
  }),
};

/**
 * Suggests notes for members that may have been renamed. Only a person can confirm a candidate.
 *
 * @param previous the revision in which the members had their earlier names
 */
export function renameNotes(
  candidates: readonly RenameCandidate[],
  previous: string | undefined,
  file: string,
): Decision[] {
  if (candidates.length === 0 || previous === undefined) return [];
  return [
    {
      kind: "missing-notes",
      title: `${counted(candidates.length, "new member has", "new members have")} the form of one that is gone from the same object`,
      advice:
        "If it is the same member under another name: then steps rename the member, and no value is lost. If not, its values may need notes of kind lift and lower.",
      file,
      items: candidates.map(({ target, from }) => `${target}, once ${from}`),
      questions: candidates.map(({ target, from }) =>
        asking(`Is ${target} the member that was ${from}?`, noteOf("renamed", [target], { previous, from })),
      ),
    },
  ];
}

/** Suggests notes for list methods whose schema has a new flag that may mark the list as incomplete. */
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
