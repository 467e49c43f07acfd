import { type Project, openProject, schemaRoot } from "./project.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { diffModels } from "../diff/diff-models.js";
import { jsonReport } from "../diff/report/json.js";
import type { Report } from "../diff/report/report.js";
import { authoredModel, vocabularyFrom } from "../targets/typescript/authoring/vocabulary.js";
import { writeFiles } from "../files/writer.js";
import type { ProtocolModel } from "../model/model.js";
import { counted } from "../print/terminal-text.js";
import { undocumented } from "../revision/schema-source.js";
import {
  type Lock,
  changedLock,
  lockFile,
  readLock,
  vocabularyIn,
  writtenVocabulary,
  expectRevision,
} from "../revision/lock.js";
import { loadRevision, storedRevision } from "../revision/revision-source.js";
import type { Arguments, RunCommand, Outcome } from "./command.js";
import { informing } from "./diff/policies.js";
import { evaluate } from "./diff/report.js";
import { reportUses } from "./diff/uses.js";
import { type Point, guideMarkdown, guideText, vocabularyGuide } from "./upgrade/guide.js";

/**
 * Sets the vocabulary, the revision whose types handlers and clients use. Reports the effects on both, and
 * writes the lock.
 */
export const revisionVocabulary: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const { schemaDir } = project;
  const revisions = readLock(schemaDir);
  const wanted = expectVocabulary(args.required("revision"), revisions, project);
  // The present value may be invalid, since this command repairs it.
  const written = writtenVocabulary(schemaDir);
  const before = vocabularyIn({
    revisions,
    vocabulary: typeof written === "string" ? written : undefined,
  })!;
  const dryRun = args.flag("dry-run");
  const change = { before, vocabulary: wanted, written: !dryRun && written !== wanted };
  if (before === wanted) {
    if (change.written) writeVocabulary(project, wanted);
    return kept(wanted, { ...change, action: written === wanted ? "unchanged" : "pinned" }, dryRun);
  }
  const compared = await compare([before, wanted], revisions, args, project);
  const subject = { kind: "protocol", models: compared.models } as const;
  const { report, warnings } = await reportUses(compared.report, subject, { args, project, context });
  if (change.written) writeVocabulary(project, wanted);
  const guide = vocabularyGuide({
    report,
    done: donePoints(report, dryRun),
    next: nextPoints(dryRun, wanted),
  });
  const { paint, settings } = context.console;
  const isMarkdown = args.string("format") === "markdown";
  return {
    findings: warnings,
    text: isMarkdown ? guideMarkdown(guide) : guideText(guide, { paint, verbose: settings.verbose }),
    ...(!isMarkdown && { summary: summaryOf(report, dryRun) }),
    data: { ...change, action: "moved", version: "major", diff: jsonReport(report) },
  };
};

function writeVocabulary(project: Project, vocabulary: string): void {
  const content = changedLock(project.schemaDir, { vocabulary });
  writeFiles(schemaRoot(project), [{ path: lockFile, content }]);
}

/** The outcome if the types of handlers and calls do not change. */
function kept(wanted: string, data: { readonly action: "unchanged" | "pinned" }, dryRun: boolean): Outcome {
  const text =
    data.action === "unchanged"
      ? `${wanted} is the vocabulary: nothing changes`
      : `${wanted}: pinned; it was the vocabulary already`;
  return { text: dryRun ? `${text}; nothing was written (--dry-run)` : text, data: { ...data } };
}

function summaryOf({ from, to, summary }: Report, dryRun: boolean): string {
  const breaking = counted(summary.breaking, "breaking change");
  return `${from} → ${to}: a major version, ${breaking}${dryRun ? "; nothing was written (--dry-run)" : ""}`;
}

/** @throws CodedError MG2010 for an unknown revision, MG2020 for one that cannot be the vocabulary */
function expectVocabulary(wanted: string, revisions: Lock, { loaded }: Project): string {
  const { status } = expectRevision(revisions, wanted);
  if (status === "draft")
    throw new CodedError("MG2020", `${wanted} is a draft, and may still change`, {
      next: `When it is released: \`mcpgen revision add FILE --name ${wanted} --status released --replace\`.`,
    });
  const generated = loaded.config.revisions;
  if (generated && !generated.includes(wanted))
    throw new CodedError("MG2020", `the configuration does not name ${wanted} among its revisions`, {
      place: { ...(loaded.file !== undefined && { file: loaded.file }), pointer: "/revisions" },
      next: "Add it there first, or choose one of those.",
    });
  return wanted;
}

/**
 * Compares two vocabularies: what changes for handlers and clients written for one when they move to the
 * other.
 */
async function compare(
  names: readonly [string, string],
  revisions: Lock,
  args: Arguments,
  project: Project,
): Promise<{ readonly report: Report; readonly models: readonly [ProtocolModel, ProtocolModel] }> {
  const all: ProtocolModel[] = [];
  for (const [name, { status }] of revisions)
    all.push((await loadRevision(storedRevision(project.schemaDir, name, status, true), undocumented)).model);
  const modelOf = (name: string): ProtocolModel => authoredModel(vocabularyFrom(all, name)!);
  const models = [modelOf(names[0]), modelOf(names[1])] as const;
  const evaluation = informing(args, project);
  const { report } = evaluate(diffModels(...models, evaluation.policy), evaluation, {
    ...{ from: names[0], to: names[1] },
    // Definitions come from several files, so no line is given.
    placesOf: () => ({ old: null, new: null }),
    notes: ["Compared is what handlers write and clients read; on the wire, each peer keeps its revision."],
  });
  return { report, models };
}

function donePoints({ from, to }: Report, dryRun: boolean): Point[] {
  return [
    dryRun
      ? { text: "Nothing was written (--dry-run); this is what would be." }
      : { lead: "Lock", text: `vocabulary ${to}; before, ${from}` },
    {
      lead: "Version",
      text: "Handlers and calls have other types: this is a major version of the package that they belong to.",
    },
  ];
}

function nextPoints(dryRun: boolean, wanted: string): Point[] {
  return [
    ...(dryRun ? [{ text: `Move it: mcpgen revision vocabulary ${wanted}.` }] : []),
    { text: "Generate: mcpgen generate." },
    { text: "Type-check handlers and calls, and correct what the compiler and this report name." },
  ];
}
