import { counted } from "../../print/counted.js";
import type { Source } from "../diff/source.js";
import type { Project } from "../project.js";
import { shownPath } from "../shown-path.js";
import { missingNotes } from "./missing-notes.js";
import { renameNotes } from "./rename-notes.js";
import type { StagedUpgrade } from "./stage.js";

/** Something that only a person can decide, for no schema says it. */
export interface Decision {
  readonly kind: "carried-notes" | "dropped-notes" | "assumption" | "missing-notes" | "configuration";
  /** What it is about, in a few words. */
  readonly title: string;
  readonly advice: string;
  /** The file to decide it in. */
  readonly file?: string;
  readonly items: readonly string[];
}

/**
 * All that is left to decide after an upgrade.
 *
 * @param base what the revision replaces, else the revision before it
 * @param previous the revision before it
 */
export function decisionsOf(
  staged: StagedUpgrade,
  base: Source | undefined,
  previous: Source | undefined,
  project: Project,
  directory: string,
): Decision[] {
  const { revision } = staged.revision;
  const file = shownPath(project.schemaDir, directory, `${revision}/notes.json`);
  return [
    ...carried(staged, file),
    ...dropped(staged, file),
    ...assumed(staged, file),
    ...missingNotes(staged, base, file),
    ...renameNotes(previous?.loaded.model, staged.source.loaded.model, file),
    ...newMethods(staged, base, file),
    ...unlisted(staged, project, directory),
  ];
}

function carried({ comparison, revision, notes }: StagedUpgrade, file: string): Decision[] {
  const items = comparison.generated.carried
    .filter(({ revision: of }) => of === revision.revision)
    .map(({ note }) => `${note.kind} on ${note.targets.join(", ")} (${note.pointer})`);
  if (items.length === 0) return [];
  const from = revision.notes?.from === revision.revision ? undefined : revision.notes?.from;
  return [
    {
      kind: "carried-notes",
      title: `${counted(items.length, "note")} carried over${from === undefined ? "" : ` from ${from}`}`,
      advice: 'Check each against the new specification; delete its "carried", or the note.',
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
      advice: "See whether what each said is gone, or now has another name; then write a new note.",
      file,
      items,
    },
  ];
}

/** What was derived because neither schema nor notes say it. */
function assumed({ comparison, revision }: StagedUpgrade, file: string): Decision[] {
  const kinds = new Map<string, string[]>();
  for (const { revision: of, kind, subject, text } of comparison.generated.assumptions) {
    if (of !== revision.revision) continue;
    kinds.set(kind, [...(kinds.get(kind) ?? []), `${subject}: ${text}`]);
  }
  return [...kinds].map(([kind, items]): Decision => ({
    kind: "assumption",
    title: `${counted(items.length, "thing")} assumed about ${kind}`,
    advice: "Where one is wrong, a note says what holds (docs/notes.md).",
    file,
    items,
  }));
}

/** Of a method that is new, notes that were carried over say nothing. */
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
        "No schema says which capability gates a method, which headers repeat it, whether its result may be cached: notes of kind capability, header, cacheable do.",
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
