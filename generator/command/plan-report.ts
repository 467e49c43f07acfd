import { relative, join } from "node:path";
import type { Project } from "./project.js";
import type { Generated, GenerateRequest } from "../pipeline/generate.js";
import type { PlannedFile, ComparedFile, FileState } from "../files/plan.js";
import {
  columns,
  counted,
  shownPath,
  operands,
  shellLine,
  firstLines,
  shortText,
  printable,
} from "../print/terminal-text.js";
import type { Comparison } from "./comparison.js";
import { type CommandContext, type Outcome, repeatedWith, restoring } from "./command.js";
import type { Finding } from "../diagnostics/coded-error.js";
import type { CodeOfError } from "../diagnostics/catalogue.js";
import { agreeingNote } from "../notes/note.js";
import { unifiedDiff } from "../files/unified-diff.js";

/** One finding for each file that the plan must not overwrite. */
export function conflictFindings(
  plan: readonly PlannedFile[],
  { outDir }: Pick<Project, "outDir">,
  context: CommandContext,
): Finding[] {
  const shown = (path: string): string => shownPath(outDir, context.directory, path);
  return plan.flatMap(({ path, action, state }): Finding[] => {
    if (action !== "CONFLICT" || state === "same") return [];
    const next =
      state === "unrecorded"
        ? `Choose another output folder, e.g. --out ${shown("mcpgen")}, or move the file away; --force overwrites it.`
        : "Make the edit in the schema's notes, a template or your own code; --force overwrites the file.";
    const { message } = meanings[state];
    return [{ code: "MG3001", severity: "error", message, place: { file: shown(path) }, next }];
  });
}

/** Warning that an earlier run was interrupted while writing; this run completes it. */
export function completedFindings(
  { before }: Pick<Comparison, "before">,
  { outDir }: Pick<Project, "outDir">,
  { directory }: CommandContext,
): Finding[] {
  if (!before?.writing) return [];
  return [
    {
      code: "MG3005",
      severity: "warning",
      message: `an earlier run was interrupted while it wrote ${counted(before.writing.size, "file")}; this run writes them again`,
      place: { file: shownPath(outDir, directory) },
    },
  ];
}

/**
 * The summary of a run that conflicts have prevented, and the command that overwrites the files. No command if a file is not in
 * the manifest, because it may be the only copy of user code.
 */
export function conflictOutcome(
  conflicts: readonly Finding[],
  { words }: CommandContext,
): Pick<Outcome, "summary" | "mend"> {
  const mayForce = conflicts.every(({ message }) => message !== meanings.unrecorded.message);
  return {
    summary: `nothing was written: ${counted(conflicts.length, "file is", "files are")} not as mcpgen wrote them`,
    ...(mayForce && { mend: repeatedWith(words, ["--force"]) }),
  };
}

/** The actions of a plan, as text and as data. */
export function planOutcome(
  plan: readonly PlannedFile[],
  generated: Generated,
  { outDir }: Project,
  { directory }: CommandContext,
): Outcome {
  const steps = planSteps(plan, outDir, directory);
  const made = [...generated.fingerprints.keys()];
  const extensions = generated.extensions
    .filter(({ folder }) => made.includes(folder))
    .map(({ source, models }) => ({ id: source.about.id, bases: models.map(({ base }) => base.revision) }));
  const folders = new Set(generated.extensions.map(({ folder }) => folder));
  return {
    ...(steps !== "" && { steps }),
    summary: `${made.join(", ")}: ${planCounts(plan)}`,
    data: {
      out: relative(directory, outDir) || ".",
      revisions: made.filter((name) => !folders.has(name)),
      extensions,
      files: plan.map(({ path, action, before, after }) => ({ path, action, before, after })),
      assumptions: generated.assumptions,
      timings: generated.timings,
    },
  };
}

/** One line for each file with its action; empty if no file changes. */
export function planSteps(plan: readonly PlannedFile[], outDir: string, directory: string): string {
  const changes = plan.filter(({ action }) => action !== "UNCHANGED");
  const rows = changes.map(({ action, path, before, after }) => [
    action,
    printable(shownPath(outDir, directory, path)),
    action === "CREATE"
      ? sizeText(after)
      : action === "UPDATE"
        ? `${sizeText(before)} → ${sizeText(after)}`
        : "",
  ]);
  return rows.length === 0 ? "" : columns(rows);
}

export function planCounts(plan: readonly PlannedFile[]): string {
  const count = (action: PlannedFile["action"]): number =>
    plan.filter((file) => file.action === action).length;
  return (
    `${count("CREATE")} created, ${count("UPDATE")} updated, ` +
    `${count("DELETE")} deleted, ${count("UNCHANGED")} unchanged`
  );
}

function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}

interface Meaning {
  readonly code: CodeOfError;
  readonly message: string;
  readonly next?: string;
}

const meanings: { readonly [S in Exclude<FileState, "same">]: Meaning } = {
  missing: { code: "MG3102", message: "the file is missing" },
  outdated: { code: "MG3101", message: "the file is out of date" },
  edited: {
    code: "MG3104",
    message: "the file was edited by hand",
    next: "Make the edit in the schema's notes, a template or your own code instead.",
  },
  unrecorded: {
    code: "MG3104",
    message: "the file differs from the output, and the manifest does not have it",
    next: "Move it away if it is yours.",
  },
  stale: { code: "MG3103", message: "the file is no longer generated" },
  "stale-edited": {
    code: "MG3103",
    message: "the file is no longer generated, and was edited by hand",
    next: "Move it away if you need it.",
  },
  foreign: {
    code: "MG3103",
    message: "the file is not part of the output",
    next: "Move it out of the output folder, or delete it.",
  },
};

/** Findings about differences between the output folder and what would be generated. */
export async function drift(
  { before, files, manifestFile }: Pick<Comparison, "before" | "files" | "manifestFile">,
  { outDir }: Pick<Project, "outDir">,
  context: CommandContext,
): Promise<Finding[]> {
  const found: Finding[] = before?.writing ? [interrupted(shownPath(outDir, context.directory))] : [];
  for (const file of [...files, manifestFile]) found.push(...(await findingOf(file, outDir, context)));
  return found;
}

function interrupted(folder: string): Finding {
  return {
    code: "MG3005",
    severity: "error",
    message: "an earlier run was interrupted while it wrote files",
    place: { file: folder },
    next: "Run `mcpgen generate`: it writes them again.",
  };
}

async function findingOf(file: ComparedFile, outDir: string, context: CommandContext): Promise<Finding[]> {
  if (file.state === "same") return [];
  const detail = await detailOf(file);
  return [
    {
      severity: "error",
      ...meanings[file.state],
      place: { file: shownPath(outDir, context.directory, file.path) },
      ...(detail !== undefined && { detail }),
    },
  ];
}

/**
 * Longest text, in characters, that is formatted before a comparison. Formatting longer texts would take too
 * long.
 */
const mostLaidOut = 65_536;

/** The diff of both texts after formatting, so that layout does not appear as a difference. */
async function detailOf({ path, planned, present }: ComparedFile): Promise<string | undefined> {
  if (planned === undefined && present === undefined) return undefined;
  // For a new or a deleted file, the beginning is enough.
  if (planned === undefined || present === undefined) return unifiedDiff(present ?? "", planned ?? "", 8);
  const lines = 24;
  if (present.length > mostLaidOut) return unifiedDiff(present, planned, lines);
  const { format } = await import("../print/format.js");
  // Text that a person has edited may not parse.
  const [before, after] = await Promise.all([present, planned].map((text) => format(path, text))).catch(
    () => [present, planned] as const,
  );
  // If only the layout differs, the diff shows the layout.
  return before === after ? unifiedDiff(present, planned, lines) : unifiedDiff(before!, after!, lines);
}

/** The command that repairs the findings of `drift` and of the comparison with the lock. */
export function mendOf(
  { files, schemas = [] }: Pick<Comparison, "files"> & { readonly schemas?: readonly Finding[] },
  command: string,
  { outDir }: Pick<Project, "outDir">,
  context: CommandContext,
): string {
  if (schemas.length > 0) return restoring(schemas);
  const states = new Set(files.map(({ state }) => state));
  const foreign = files.filter(({ state }) => state === "foreign");
  const others = files.some(({ state }) => state !== "foreign" && state !== "same");
  if (foreign.length > 0 && !others) {
    return shellLine([
      "rm",
      ...operands(foreign.map(({ path }) => shownPath(outDir, context.directory, path))),
    ]);
  }
  // A file without a record may be the only copy of user code, so `--force` is not suggested: `generate`
  // explains the options.
  const force = !states.has("unrecorded") && (states.has("edited") || states.has("stale-edited"));
  return force ? `${command} --force` : command;
}

/** Warnings about the inputs of a run: notes, revisions without messages, and conversions that lose values. */
export async function inputWarnings(
  generated: Generated,
  request: GenerateRequest,
  project: Project,
  context: CommandContext,
): Promise<Finding[]> {
  return [
    ...noteWarnings(generated, project, context),
    ...withoutMethods(generated, request, context),
    ...(await lossyNotes(generated, request, context)),
  ];
}

/** Warnings about notes: those carried over without confirmation, and those that contradict the schema. */
export function noteWarnings(generated: Generated, project: Project, context: CommandContext): Finding[] {
  return [
    ...carriedNotes(generated, project, context),
    ...generated.conflicts.map((conflict) => conflictFinding(conflict, project, context)),
  ];
}

function conflictFinding(
  conflict: Generated["conflicts"][number],
  { schemaDir }: Project,
  { directory }: CommandContext,
): Finding {
  const { note, target, message, folder } = conflict;
  const agreeing = agreeingNote(conflict);
  return {
    code: "MG1207",
    severity: "warning",
    message: `note of kind ${note.kind} on ${target}: ${message}`,
    place: { file: shownPath(schemaDir, directory, join(folder, "notes.json")), pointer: note.pointer },
    next: !agreeing
      ? "Correct the note, or remove this target of it."
      : note.targets.includes(target)
        ? "Replace the note for this target, as below; if the schema is wrong, correct it with a note of kind errata."
        : "Add the note below.",
    ...(agreeing && { detail: JSON.stringify(agreeing) }),
  };
}

/**
 * One warning for each revision or extension whose notes were copied from another version and not confirmed.
 */
function carriedNotes({ carried }: Generated, { schemaDir }: Project, context: CommandContext): Finding[] {
  return [...new Set(carried.map(({ folder }) => folder))].flatMap((folder): Finding[] => {
    const notes = carried.filter((each) => each.folder === folder).map(({ note }) => note);
    const lines = notes.map(({ kind, targets, pointer }) =>
      shortText(`${pointer} ${kind} on ${targets.join(", ")}`, 120),
    );
    const most = context.console.settings.verbose ? Infinity : 3;
    return [
      {
        code: "MG3107",
        severity: "warning",
        message: `${counted(notes.length, "carried note is", "carried notes are")} not confirmed`,
        place: { file: shownPath(schemaDir, context.directory, join(folder, "notes.json")) },
        next: 'Check each against the specification and delete its "carried", or the note.',
        detail: firstLines(lines, most, " (--verbose)").join("\n"),
      },
    ];
  });
}

/**
 * Warnings about notes whose two conversions are not inverse: a converted value does not come back unchanged.
 */
async function lossyNotes(
  { models }: Pick<Generated, "models">,
  { schemaDir, only }: Pick<GenerateRequest, "only" | "schemaDir">,
  { directory }: CommandContext,
): Promise<Finding[]> {
  if (only?.includes("steps") === false) return [];
  if (models.every(({ reshapes }) => reshapes.length === 0)) return [];
  // Load this module only for such notes: few runs have them.
  const { lossyReshapes } = await import("../targets/typescript/steps/problems.js");
  return models.flatMap((model, index) => {
    const previous = models[index - 1];
    const lossy = previous ? lossyReshapes(previous, model) : [];
    return lossy.map(({ note, pointer, message }): Finding => ({
      code: "MG1208",
      severity: "warning",
      message: `note of kind reshaped on ${note.targets.join(", ")}: a value is lost. ${message}`,
      place: { file: shownPath(schemaDir, directory, join(model.revision, "notes.json")), pointer },
      next: 'Keep in "lift" what "lower" needs, or accept the loss.',
    }));
  });
}

/** Outputs without methods. If only these are selected, a schema without methods needs no warning. */
const ofDefinitions: ReadonlySet<string> = new Set(["types", "open", "validators", "explain"]);

/** Warnings about revisions whose schema describes no message although the selected output needs messages. */
function withoutMethods(
  { models }: Pick<Generated, "models">,
  { sources, only }: Pick<GenerateRequest, "sources" | "only">,
  { directory }: CommandContext,
): Finding[] {
  if (only?.every((name) => ofDefinitions.has(name))) return [];
  return models
    .filter(({ methods }) => methods.length === 0)
    .flatMap(({ revision }): Finding[] => {
      const source = sources.find((each) => each.revision === revision);
      if (!source) return [];
      return [
        {
          code: "MG1111",
          severity: "warning",
          message: `${revision}: no definition describes a message: tables and stubs are empty`,
          place: { file: shownPath(source.schemaFile, directory) },
          next: "Check that this is the schema of a protocol, or generate with --only types,validators,explain.",
        },
      ];
    });
}
