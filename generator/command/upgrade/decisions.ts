import { agreeingNote } from "../../notes/conflict.js";
import { counted } from "../../print/counted.js";
import type { Source } from "../diff/source.js";
import type { Project } from "../project.js";
import { shownPath } from "../shown-path.js";
import { leftBehind } from "./left-behind.js";
import { missingNotes, renameNotes } from "./missing-notes.js";
import type { StagedUpgrade } from "./stage.js";

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
}

/**
 * All decisions left after an upgrade.
 *
 * @param base what the revision replaces, else the revision before it
 * @param previous the revision before it
 */
export async function decisionsOf(
  staged: StagedUpgrade,
  base: Source | undefined,
  previous: Source | undefined,
  project: Project,
  directory: string,
): Promise<Decision[]> {
  const { revision } = staged.revision;
  const file = shownPath(project.schemaDir, directory, `${revision}/notes.json`);
  const decisions = [
    ...conflicting(staged, file),
    ...(await leftBehind(revision, previous?.name, project, directory)),
    ...carried(staged, file),
    ...dropped(staged, file),
    ...assumed(staged, file),
    ...missingNotes(staged, base, file),
    ...renameNotes(previous?.loaded.model, staged.source.loaded.model, file),
    ...newMethods(staged, base, file),
    ...unlisted(staged, project, directory),
  ];
  const isSilent = ({ risk }: Decision): boolean => risk !== undefined;
  return [...decisions.filter(isSilent), ...decisions.filter((decision) => !isSilent(decision))];
}

/** Notes that hide what the schema says, each with the note that agrees with it. */
function conflicting({ comparison, revision }: StagedUpgrade, file: string): Decision[] {
  const conflicts = comparison.generated.conflicts.filter(({ folder }) => folder === revision.revision);
  if (conflicts.length === 0) return [];
  const items = conflicts.flatMap((conflict) => {
    const { note, target, message } = conflict;
    const agreeing = agreeingNote(conflict);
    const text = `${note.kind} on ${target} (${note.pointer}): ${message}`;
    return agreeing ? [text, JSON.stringify(agreeing)] : [text];
  });
  return [
    {
      kind: "conflicting-notes",
      title: `${counted(conflicts.length, "note says", "notes say")} otherwise than the schema`,
      advice: "Replace each by the note below it, or correct it.",
      risk: "The notes hold, and what the schema says is neither sent nor understood",
      file,
      items,
    },
  ];
}

function carried({ comparison, revision, notes }: StagedUpgrade, file: string): Decision[] {
  const items = comparison.generated.carried
    .filter(({ folder: of }) => of === revision.revision)
    .map(({ note }) => `${note.kind} on ${note.targets.join(", ")} (${note.pointer})`);
  if (items.length === 0) return [];
  const from = revision.notes?.from === revision.revision ? undefined : revision.notes?.from;
  return [
    {
      kind: "carried-notes",
      title: `${counted(items.length, "note")} carried over${from === undefined ? "" : ` from ${from}`}`,
      advice: 'Check each note against the new specification; then delete its "carried" mark, or the note.',
      ...(notes && { file }),
      items,
    },
  ];
}

function dropped({ revision }: StagedUpgrade, file: string): Decision[] {
  const items = revision.notes?.undecided ?? [];
  const kept = revision.notes?.from === revision.revision;
  if (items.length === 0) return [];
  return [
    {
      kind: "dropped-notes",
      title: `${counted(items.length, "note was", "notes were")} not ${kept ? "kept" : `carried over from ${revision.notes?.from}`}`,
      advice: "Check whether the subject of each note is gone or renamed; then write a new note if needed.",
      file,
      items,
    },
  ];
}

/** Assumptions that neither the schema nor notes confirm. */
function assumed({ comparison, revision }: StagedUpgrade, file: string): Decision[] {
  const kinds = new Map<string, string[]>();
  for (const { revision: of, kind, subject, text } of comparison.generated.assumptions) {
    if (of !== revision.revision) continue;
    kinds.set(kind, [...(kinds.get(kind) ?? []), `${subject}: ${text}`]);
  }
  return [...kinds].map(([kind, items]): Decision => ({
    kind: "assumption",
    title: `${counted(items.length, "thing")} assumed about ${kind}`,
    advice: "If an assumption is wrong, correct it with a note; `mcpgen explain MG1201` lists the kinds.",
    file,
    items,
  }));
}

/** Carried notes do not cover new methods. */
function newMethods({ source }: StagedUpgrade, base: Source | undefined, file: string): Decision[] {
  if (!base) return [];
  const known = new Set(base.loaded.model.methods.map(({ name }) => name));
  const items = source.loaded.model.methods.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (items.length === 0) return [];
  return [
    {
      kind: "missing-notes",
      title: `${counted(items.length, "method is", "methods are")} new`,
      advice:
        "A schema does not say which capability gates a method, which headers repeat its params, whether its result is cacheable, or whether it is answered only when its stream ends: add notes of kind capability, header, cacheable and listening.",
      file,
      items,
    },
  ];
}

function unlisted({ unlisted, revision }: StagedUpgrade, { loaded }: Project, directory: string): Decision[] {
  if (!unlisted) return [];
  return [
    {
      kind: "configuration",
      title: `The configuration does not name ${revision.revision} among its revisions`,
      advice: "Add it, or the next `mcpgen generate` deletes its output again.",
      ...(loaded.file !== undefined && { file: shownPath(loaded.file, directory) }),
      items: [],
    },
  ];
}
