import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import { renameCandidates } from "../../targets/typescript/steps/rename-candidates.js";
import type { Assumption } from "../../model/model.js";
import { parseNotes } from "../../notes/parse.js";
import { counted, shownPath } from "../../print/terminal-text.js";
import type { Source } from "../diff/source.js";
import type { Project } from "../project.js";
import {
  type StepProposal,
  stepProposals,
  withRenames,
  assumed,
  formerPlace,
  isSame,
} from "./assumed-notes.js";
import {
  leftBehind,
  conflictingNotes,
  doubtfulNotes,
  droppedNotes,
  noteText,
  sortCarried,
} from "./carried-notes.js";
import { partialLists, missingNotes, renameNotes } from "./missing-notes.js";
import { newMethods } from "./new-methods.js";
import { type Decision, type Question, asking } from "./question.js";
import type { StagedUpgrade } from "./stage.js";
import { successions } from "./successors.js";

/** A decision that `upgrade` made itself, because the schema settles it. */
export interface Settled {
  readonly title: string;
  readonly text: string;
  readonly items: readonly string[];
}

/** The decisions of an upgrade: settled automatically, or left to the user. */
export interface Decisions {
  readonly settled: readonly Settled[];
  readonly open: readonly Decision[];
}

/** The revisions to compare with, where they exist. */
interface Bases {
  /** The stored version that is replaced, else the preceding revision. */
  readonly base: Source | undefined;
  /** The preceding revision. */
  readonly previous: Source | undefined;
}

/** Collects the decisions of an upgrade. */
export async function decisionsOf(
  staged: StagedUpgrade,
  { base, previous }: Bases,
  project: Project,
  directory: string,
): Promise<Decisions> {
  const { revision, notes } = staged.revision;
  const file = shownPath(project.schemaDir, directory, `${revision}/notes.json`);
  const { model } = staged.source.loaded;
  const before = base?.loaded.model;
  const successors = before ? successions(before, model) : [];
  const older = previous?.loaded.model;
  const renames = older ? renameCandidates(older, model) : [];
  const carried = staged.comparison.generated.carried.flatMap(({ folder, note }) =>
    folder === revision ? [note] : [],
  );
  const from = notes?.from === revision ? undefined : notes?.from;
  const source = base && (from === undefined || base.name === from) ? sideOf(base) : undefined;
  const conflicts = staged.comparison.generated.conflicts.filter(({ folder }) => folder === revision);
  const hiding = new Set(conflicts.map(({ note }) => note.pointer));
  const unquestioned = carried.filter(({ pointer }) => !hiding.has(pointer));
  const sorted = sortCarried(unquestioned, source, sideOf(staged.source));
  const assumptions = staged.comparison.generated.assumptions.filter((one) => one.revision === revision);
  const settledAssumptions = assumptions.filter((one) => isSettled(one, base));
  const open = assumptions.filter((one) => !settledAssumptions.includes(one));
  const places = new Map(renames.map((one) => [formerPlace(one), one.target]));
  const [lower, lift] = (["lower", "lift"] as const).map((direction) =>
    older ? stepProposals(direction, older, withRenames(model, older, renames)) : [],
  ) as [StepProposal[], StepProposal[]];
  return {
    settled: [...settledNotes(sorted.right.map(noteText), from), ...settledOf(settledAssumptions)],
    open: eachOnce([
      ...conflictingNotes(conflicts, staged.notes?.value ?? null, file),
      ...(await leftBehind(revision, previous?.name, project, directory)),
      ...doubtfulNotes(sorted.doubtful, staged.notes?.value ?? null, from, notes && file),
      ...droppedNotes(
        notes?.left ?? [],
        { from: notes?.from, kept: notes?.from === revision },
        { successors, places },
        file,
      ),
      ...assumed({
        assumptions: open,
        model,
        before,
        notes: staged.notes && parseNotes(staged.notes),
        steps: stepQuestions(lower, `no form in ${previous?.name ?? ""}`),
        file,
      }),
      ...lifted(lift, revision, previous?.name ?? "", file),
      ...missingNotes(staged, base, file),
      ...renameNotes(renames, previous?.name, file),
      ...partialLists(staged.source, previous, file),
      ...(before ? newMethods({ before, now: model, successors, file }) : []),
      ...unlisted(staged, project, directory),
    ]),
  };
}

/**
 * Sorts decisions whose wrong answer would go unnoticed to the front. If a note answers two questions, keeps
 * it only with the first.
 */
function eachOnce(all: readonly Decision[]): Decision[] {
  const isSilent = ({ risk }: Decision): boolean => risk !== undefined;
  const decisions = [...all.filter(isSilent), ...all.filter((decision) => !isSilent(decision))];
  const known: JsonValue[] = [];
  return decisions.map((decision) => ({
    ...decision,
    questions: decision.questions.filter(({ paste }) => {
      const isNew = paste.length === 0 || !paste.every((value) => known.some((given) => says(given, value)));
      known.push(...paste);
      return isNew;
    }),
  }));
}

/**
 * Whether the given note already contains everything that `value` states. Values that are not notes are
 * compared for equality.
 */
function says(given: JsonValue, value: JsonValue): boolean {
  if (!isJsonObject(given) || !isJsonObject(value)) return given === value;
  const { reason: _, link: __, target, ...fields } = value;
  const subjects = listOf(given["target"]);
  return (
    listOf(target).every((subject) => subjects.includes(subject)) &&
    Object.entries(fields).every(([name, field]) => JSON.stringify(given[name]) === JSON.stringify(field))
  );
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function sideOf({ loaded, file }: Source): { model: Source["loaded"]["model"]; document: JsonValue } {
  return { model: loaded.model, document: file.value };
}

function settledNotes(items: readonly string[], from: string | undefined): Settled[] {
  if (items.length === 0) return [];
  return [
    {
      title: `${counted(items.length, "note")} carried over${from === undefined ? "" : ` from ${from}`}, and still right by the schema`,
      text: 'The schema says of their subjects what it said before. Delete the "carried" marks once the text of the specification agrees.',
      items,
    },
  ];
}

/** Whether the assumption also held for the preceding revision, so that it is no new decision. */
function isSettled(assumption: Assumption, base: Source | undefined): boolean {
  // Conversion to the preceding revision, and the era, must be decided for each revision.
  if (assumption.kind === "lower" || assumption.kind === "era") return false;
  return base?.loaded.assumptions.some((one) => isSame(one, assumption)) ?? false;
}

function settledOf(assumptions: readonly Assumption[]): Settled[] {
  if (assumptions.length === 0) return [];
  return [
    {
      title: `${counted(assumptions.length, "thing")} assumed as for the revision before`,
      text: "The schema gives the same reason for it as before.",
      items: assumptions.map(({ subject, text }) => `${subject}: ${text}`),
    },
  ];
}

/**
 * One question for all values of a direction, because one note for a pair of revisions makes the others
 * necessary.
 */
function stepQuestions(proposals: readonly StepProposal[], why: string): Question[] {
  if (proposals.length === 0) return [];
  const text = `Do values that have ${why} become what these notes say? They lose least: a text in place of the value, else nothing, a sample for a member that must be there, else a refusal. Write another "how" where people expect another; the notes belong together, and with those on members that may be renamed ones.`;
  return [asking(text, ...proposals.map(({ note }) => note))];
}

/** Decision about values of the preceding revision that the new one cannot express, and which are refused. */
function lifted(
  proposals: readonly StepProposal[],
  revision: string,
  previous: string,
  file: string,
): Decision[] {
  if (proposals.length === 0) return [];
  return [
    {
      kind: "missing-notes",
      title: `${counted(proposals.length, "value")} of ${previous} ${proposals.length === 1 ? "has" : "have"} no form in ${revision}`,
      advice: `Messages that hold one are refused on the way from ${previous} to ${revision}, until a note of kind lift decides otherwise.`,
      file,
      items: proposals.map(({ pointer, what }) => `${pointer}: ${what}`),
      questions: stepQuestions(proposals, `no form in ${revision}`),
    },
  ];
}

function unlisted({ unlisted, revision }: StagedUpgrade, { loaded }: Project, directory: string): Decision[] {
  if (!unlisted) return [];
  const text = `Is ${revision.revision} to be generated from now on?`;
  return [
    {
      kind: "configuration",
      title: `The configuration does not name ${revision.revision} among its revisions`,
      advice: "Add it, or the next `mcpgen generate` deletes its output again.",
      ...(loaded.file !== undefined && { file: shownPath(loaded.file, directory) }),
      items: [],
      questions: [{ text, paste: [revision.revision], at: "/revisions/-" }],
    },
  ];
}
