import { relative } from "node:path";
import type { Project } from "./project.js";
import type { Generated } from "../pipeline/generate.js";
import type { PlannedFile } from "../files/plan.js";
import { columns } from "./columns.js";
import type { Comparison } from "./comparison.js";
import type { CommandContext } from "./context.js";
import type { Finding } from "../diagnostics/finding.js";
import { type Outcome, repeatedWith } from "./outcome.js";
import { counted } from "../print/counted.js";
import { printable } from "../print/terminal-text.js";
import { shownPath } from "./shown-path.js";

/** The files that block a plan. */
export function conflictFindings(
  plan: readonly PlannedFile[],
  { outDir }: Pick<Project, "outDir">,
  context: CommandContext,
): Finding[] {
  return plan
    .filter(({ action }) => action === "CONFLICT")
    .map(({ path, state }) => ({
      code: "MG3001",
      severity: "error",
      message: conflictMessage(state),
      place: { file: shownPath(outDir, context.directory, path) },
      next:
        state === "unrecorded"
          ? `Choose another output folder, e.g. --out ${shownPath(outDir, context.directory, "mcpgen")}, or move the file away; --force overwrites it.`
          : "Make the edit in the schema's notes, a template or your own code; --force overwrites the file.",
    }));
}

/** The warning for a run that died in the middle, whose work this one completes. */
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

/** The command that overwrites files in conflict; none where one of them may be the only copy of user code. */
export function forcing(conflicts: readonly Finding[], words: readonly string[]): Pick<Outcome, "mend"> {
  if (conflicts.some(({ message }) => message === unrecorded)) return {};
  return { mend: repeatedWith(words, ["--force"]) };
}

const unrecorded = "the file is not in the manifest, and differs from the output";

function conflictMessage(state: PlannedFile["state"]): string {
  if (state === "unrecorded") return unrecorded;
  if (state === "stale-edited") return "the file is no longer generated, and was edited by hand";
  return "the file was edited by hand";
}

/** The actions of a plan, for people and for programs. */
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

/** The action on each file, one line each; empty if no file changes. */
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
