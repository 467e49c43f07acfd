import { join } from "node:path";
import type { JsonObject } from "@mcpgen/engine";
import { undocumented, readRevision } from "../../revision/schema-source.js";
import { type JsonFile, loadJson } from "../../files/json-file.js";
import { type RevisionSource, loadRevision, storedRevision } from "../../revision/revision-source.js";
import { pruneNotes, leftOut, notesText } from "../../revision/carried-notes.js";
import { type PlannedFile, planOutput, planSet } from "../../files/plan.js";
import { writeFileSets } from "../../files/writer.js";
import { type StagedRevision, stageRevision } from "../../revision/add.js";
import { readLock } from "../../revision/lock.js";
import { type CommandContext, Arguments } from "../command.js";
import { type Comparison, compareWithOutput, remember, inputState, trustsCache } from "../comparison.js";
import type { Source } from "../diff/source.js";
import { noteWarnings } from "../plan-report.js";
import { type OutputRequest, type Project, outputRequest, outputRoot, schemaRoot } from "../project.js";
import { addOptions } from "../revision.js";
import { shownPath } from "../../print/terminal-text.js";

/** A revision and the output generated with it, all in memory; nothing is written yet. */
export interface StagedUpgrade {
  readonly revision: StagedRevision;
  /** The revision's future notes; undefined if it has no notes file. */
  readonly notes: JsonFile | undefined;
  readonly comparison: Comparison;
  readonly plan: readonly PlannedFile[];
  /** The revision as input for the comparison. */
  readonly source: Source;
  /** Whether the configuration lists the revisions to generate without this one. */
  readonly unlisted: boolean;
  /** Whether to overwrite files that were edited by hand. */
  readonly force: boolean;
}

/**
 * Reads and canonicalises the schema, carries notes over, generates and plans. Everything that may fail
 * happens here, before anything is written.
 */
export async function stageUpgrade(
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<StagedUpgrade> {
  const { schemaDir } = project;
  const force = args.flag("force");
  const newest = [...readLock(schemaDir).values()].at(-1);
  const added = await stageRevision({
    ...addOptions(args, schemaDir),
    source: await readRevision(args.required("source"), context),
    // As in the pinned revisions: a project keeps descriptions in all its schemas, or in none.
    descriptions: !args.flag("no-descriptions") && (newest?.descriptions ?? true),
  });
  const revision = added.replaces ? await withPrunedNotes(added, schemaDir) : added;
  const source = await stagedSource(revision, schemaDir);
  const { wanted, unlisted } = requestWith(source, revision, project, context);
  const state = inputState(wanted, project, context.env, trustsCache(context.env));
  const comparison = await compareWithOutput(wanted, project.outDir, state, { ignoreManifest: force });
  return {
    revision,
    notes: source.read.notes,
    comparison,
    plan: planOutput(comparison.files, { force }),
    source: {
      name: revision.revision,
      loaded: await loadRevision(source, undocumented),
      file: revision.schema,
      shown: shownPath(revision.schema.file, context.directory),
      dialect: revision.locked.dialect,
      withoutNotes: source.read.notes === undefined,
    },
    unlisted,
    force,
  };
}

/** Drops notes about faults that upstream has corrected, because a note without effect is an error. */
async function withPrunedNotes(staged: StagedRevision, schemaDir: string): Promise<StagedRevision> {
  const { revision, locked, schema, changes } = staged;
  const { notesFile } = storedRevision(schemaDir, revision, locked.status, true);
  if (notesFile === undefined || staged.notes) return staged;
  const before = await loadJson(notesFile);
  const { notes, dropped } = await pruneNotes(schema, schema.value as JsonObject, before);
  if (dropped.length === 0) return staged;
  const text = notesText(notes);
  return {
    ...staged,
    notes: { text, from: revision, carried: notes.length, ...leftOut(dropped) },
    changes: [...changes, { path: `${revision}/notes.json`, content: text }],
  };
}

async function stagedSource(
  { revision, locked, schema, notes }: StagedRevision,
  schemaDir: string,
): Promise<RevisionSource & Required<Pick<RevisionSource, "read">>> {
  const stored = storedRevision(schemaDir, revision, locked.status, true);
  const file = join(schemaDir, revision, "notes.json");
  const notesFile = notes
    ? { file, text: notes.text, value: JSON.parse(notes.text) as JsonFile["value"] }
    : stored.notesFile === undefined
      ? undefined
      : await loadJson(file);
  return { ...stored, read: { schema, ...(notesFile && { notes: notesFile }) } };
}

/** The request that `generate` without options would make once the revision is stored. */
function requestWith(
  source: RevisionSource,
  { lock, vocabulary }: StagedRevision,
  project: Project,
  { directory }: CommandContext,
): { readonly wanted: OutputRequest; readonly unlisted: boolean } {
  const wanted = outputRequest(new Arguments({}), project, directory, {
    revisions: lock,
    vocabulary: vocabulary.after,
  });
  const { sources } = wanted.request;
  const unlisted = !sources.some(({ revision }) => revision === source.revision);
  const order = [...lock.keys()];
  const withIt = [...sources.filter(({ revision }) => revision !== source.revision), source].sort(
    (a, b) => order.indexOf(a.revision) - order.indexOf(b.revision),
  );
  return { wanted: { ...wanted, request: { ...wanted.request, sources: withIt } }, unlisted };
}

/** Writes schema, notes, lock and output: all of them, or none. Returns whether anything changed. */
export function writeUpgrade(
  { revision, plan, comparison, force }: StagedUpgrade,
  project: Project,
  context: CommandContext,
): boolean {
  const roots = [schemaRoot(project), outputRoot(project, project, context, force)] as const;
  const sets = [
    { root: roots[0], changes: revision.changes },
    planSet(roots[1], plan, comparison.before, comparison.manifest),
  ];
  writeFileSets(sets);
  // Computed again for the cache: the inputs are on disk now.
  const wanted = outputRequest(new Arguments({}), project, context.directory);
  const warnings = noteWarnings(comparison.generated, project, context);
  remember(inputState(wanted, project, context.env, false), comparison, warnings, { inOrder: false });
  return sets.some(({ changes }) => changes.length > 0);
}
