import { isJsonObject } from "@mcpgen/engine";
import { assumeNotes } from "../../notes/assume.js";
import type { Note } from "../../notes/note.js";
import { parseNotes } from "../../notes/parse.js";
import type { Source } from "../diff/source.js";
import type { Project } from "../project.js";
import { shownPath } from "../shown-path.js";
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

/** All that is left to decide after an upgrade. */
export function decisionsOf(
  staged: StagedUpgrade,
  base: Source | undefined,
  project: Project,
  directory: string,
): Decision[] {
  const { revision } = staged.revision;
  const file = shownPath(project.schemaDir, directory, `${revision}/notes.json`);
  return [
    ...carried(staged, file),
    ...dropped(staged, file),
    ...assumed(staged, file),
    ...missing(staged, base, file),
    ...newMethods(staged, base, file),
    ...unlisted(staged, project, directory),
  ];
}

function carried({ comparison, revision, notes }: StagedUpgrade, file: string): Decision[] {
  const kinds = new Map<string, string[]>();
  for (const { revision: of, note } of comparison.generated.carried) {
    if (of !== revision.revision) continue;
    const known = kinds.get(note.kind) ?? [];
    kinds.set(note.kind, [...known, `${note.targets.join(", ")} (${note.pointer})`]);
  }
  const from = revision.notes?.from;
  return [...kinds].map(([kind, items]): Decision => ({
    kind: "carried-notes",
    title: `${count(items, `note of kind ${kind}`, `notes of kind ${kind}`)} carried over${from === undefined ? "" : ` from ${from}`}`,
    advice: 'Check each against the new specification; delete its "carried", or the note.',
    ...(notes && { file }),
    items,
  }));
}

function dropped({ revision }: StagedUpgrade, file: string): Decision[] {
  const items = revision.notes?.dropped ?? [];
  if (items.length === 0) return [];
  return [
    {
      kind: "dropped-notes",
      title: `${count(items, "note was", "notes were")} not carried over from ${revision.notes?.from}`,
      advice: "See whether what each said is gone, or now has another name; then write a note of its own.",
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
    title: `${count(items, "thing", "things")} assumed about ${kind}`,
    advice: "Where one is wrong, a note says what holds (docs/notes.md).",
    file,
    items,
  }));
}

/**
 * What would be assumed of this schema if it had no notes, and the notes do not have, as far as the revision
 * before it gives no such reason: there, somebody has decided already.
 */
function missing({ notes, revision }: StagedUpgrade, base: Source | undefined, file: string): Decision[] {
  if (!notes) return [];
  const present = parseNotes(notes);
  const decided = new Set(
    isJsonObject(base?.file.value) ? targetsOf(assumeNotes(base.file.value).notes) : [],
  );
  const { value } = revision.schema;
  const candidates = isJsonObject(value) ? assumeNotes(value).notes : [];
  return (["extends", "open"] as const).flatMap((kind): Decision[] => {
    const known = new Set(targetsOf(present.filter((note) => note.kind === kind)));
    const items = targetsOf(candidates.filter((note) => note.kind === kind)).filter(
      (target) => !known.has(target) && !decided.has(target),
    );
    if (items.length === 0) return [];
    return [{ kind: "missing-notes", ...texts[kind](items), file, items }];
  });
}

function targetsOf(notes: readonly Note[]): string[] {
  return notes.flatMap(({ targets }) => targets);
}

const texts = {
  open: (items: readonly string[]) => ({
    title: `${count(items, "new union or string set is", "new unions or string sets are")} closed: no note says that later revisions may add to ${items.length === 1 ? "it" : "them"}`,
    advice: "Where the specification leaves one open, add it to the note of kind open.",
  }),
  extends: (items: readonly string[]) => ({
    title: `${count(items, "new definition repeats", "new definitions repeat")} an open base without its index signature`,
    advice: "Where one extends its base, add a note of kind extends.",
  }),
};

/** Of a method that is new, notes that were carried over say nothing. */
function newMethods({ source }: StagedUpgrade, base: Source | undefined, file: string): Decision[] {
  if (!base) return [];
  const known = new Set(base.loaded.model.methods.map(({ name }) => name));
  const items = source.loaded.model.methods.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (items.length === 0) return [];
  return [
    {
      kind: "missing-notes",
      title: `${count(items, "method is", "methods are")} new`,
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

function count(items: readonly unknown[], one: string, many: string): string {
  return `${items.length} ${items.length === 1 ? one : many}`;
}
