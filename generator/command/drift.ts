import { join } from "node:path";
import type { Project } from "../config/project.js";
import type { DiagnosticCode } from "../diagnostics/catalogue.js";
import type { Generated } from "../generate.js";
import type { ComparedFile, FileState } from "../output/compare.js";
import { manifestFile } from "../output/manifest.js";
import { unifiedDiff } from "../output/unified-diff.js";
import type { Comparison } from "./comparison.js";
import type { CommandContext } from "./context.js";
import type { Finding } from "./outcome.js";
import { shownPath } from "./shown-path.js";

interface Meaning {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly next?: string;
}

const meanings: { readonly [S in Exclude<FileState, "same">]: Meaning } = {
  missing: { code: "MG3102", message: "the file is missing" },
  outdated: { code: "MG3101", message: "the file is out of date" },
  edited: {
    code: "MG3104",
    message: "the file was edited by hand",
    next: "Move the edit to where it belongs: the schema's notes, a template, or code of your own.",
  },
  unrecorded: {
    code: "MG3104",
    message: "the file is not as mcpgen would write it, and the manifest does not have it",
    next: "Move it away if it is yours.",
  },
  stale: { code: "MG3103", message: "the file is not generated any more" },
  "stale-edited": {
    code: "MG3103",
    message: "the file is not generated any more, and is not as mcpgen wrote it",
    next: "Move it away if you need it.",
  },
  foreign: {
    code: "MG3103",
    message: "the file is not part of the output",
    next: "Move it out of the output folder, or delete it.",
  },
};

/** How the output folder differs from what would be generated. */
export function drift(
  { files, manifestState }: Comparison,
  { outDir }: Project,
  context: CommandContext,
): Finding[] {
  const findings = files.flatMap((file) => {
    const finding = file.state === "same" ? undefined : findingOf(file, file.state);
    return finding ? [{ ...finding, place: { file: shownPath(outDir, context.directory, file.path) } }] : [];
  });
  if (manifestState === "same") return findings;
  const { code, message } = meanings[manifestState];
  const place = { file: shownPath(outDir, context.directory, manifestFile) };
  return [...findings, { code, severity: "error", message, place }];
}

function findingOf({ planned, present }: ComparedFile, state: Exclude<FileState, "same">): Finding {
  const detail = detailOf(planned, present);
  return { severity: "error", ...meanings[state], ...(detail !== undefined && { detail }) };
}

function detailOf(planned: string | undefined, present: string | undefined): string | undefined {
  if (planned === undefined && present === undefined) return undefined;
  return unifiedDiff(present ?? "", planned ?? "");
}

/** The command that mends what `drift` and the comparison with the lock found. */
export function mendOf(
  { files }: Comparison,
  schemaFindings: readonly Finding[],
  command: string,
  { outDir }: Project,
  context: CommandContext,
): string {
  const schemas = schemaFindings.map(({ place }) => place?.file).filter((file) => file !== undefined);
  if (schemas.length > 0) return `git restore ${schemas.join(" ")}`;
  const states = new Set(files.map(({ state }) => state));
  const foreign = files.filter(({ state }) => state === "foreign");
  const others = files.some(({ state }) => state !== "foreign" && state !== "same");
  if (foreign.length > 0 && !others) {
    return `rm ${foreign.map(({ path }) => shownPath(outDir, context.directory, path)).join(" ")}`;
  }
  const force = states.has("edited") || states.has("unrecorded") || states.has("stale-edited");
  return force ? `${command} --force` : command;
}

/** Notes that `revision add` copied and nobody has confirmed since. */
export function carriedNotes(
  { carried }: Generated,
  { schemaDir }: Project,
  context: CommandContext,
): Finding[] {
  return carried.map(({ revision, note }) => ({
    code: "MG3107",
    severity: "warning",
    message: `the note of kind ${note.kind} on ${note.targets.join(", ")} was carried over and is not confirmed`,
    place: {
      file: shownPath(schemaDir, context.directory, join(revision, "notes.json")),
      pointer: note.pointer,
    },
    next: 'Check it against the specification and delete "carried", or the note.',
  }));
}
