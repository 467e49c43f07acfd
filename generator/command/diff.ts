import { openProject } from "./project.js";
import { diffModels } from "../diff/diff-models.js";
import { type Finding as Difference, subjectText } from "../diff/finding.js";
import { applyApprovals } from "../diff/policy/approvals.js";
import { jsonReport } from "../diff/report/json.js";
import { markdownReport } from "../diff/report/markdown.js";
import { type Report, type ReportedFinding, reportOf } from "../diff/report/report.js";
import { summaryText, textReport } from "../diff/report/text.js";
import type { Arguments } from "./arguments.js";
import type { CommandContext, RunCommand } from "./context.js";
import { lineFinder } from "./diff/lines.js";
import { approvalWarnings, loadApprovals, loadBaseline, policyOf } from "./diff/policies.js";
import { type Source, loadSources } from "./diff/source.js";
import type { Finding } from "../diagnostics/finding.js";
import type { Outcome } from "./outcome.js";

export const diff: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const policy = policyOf(args, project);
  const { file, approvals } = await loadApprovals(args, project, context);
  const baseline = await loadBaseline(args, context);
  const names = [args.required("old"), args.required("new")] as const;
  const [old, next] = await loadSources(names, project, context);
  const differences = diffModels(old.loaded.model, next.loaded.model, policy, {
    old: old.dialect,
    new: next.dialect,
  });
  const approved = applyApprovals(differences, approvals, today());
  const report = reportOf(differences, {
    from: old.name,
    to: next.name,
    role: (args.string("role") as Report["role"] | undefined) ?? "both",
    readers: policy.readers,
    failOn: policy.failOn,
    approved,
    baseline,
    placesOf: placesIn(old, next, differences),
    notes: notesOn(old, next),
  });
  return outcomeOf(report, approvalWarnings(approved, file, context), args, context);
};

/** Today where the command runs, YYYY-MM-DD: approvals end with a day. */
function today(): string {
  const now = new Date();
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function placesIn(
  old: Source,
  next: Source,
  differences: readonly Difference[],
): (finding: Difference) => ReportedFinding["at"] {
  if (differences.length === 0) return () => ({ old: null, new: null });
  const [oldLine, newLine] = [lineFinder(old.file), lineFinder(next.file)];
  return ({ pointers }) => ({
    old: pointers.old === null ? null : { file: old.shown, line: oldLine(pointers.old) },
    new: pointers.new === null ? null : { file: next.shown, line: newLine(pointers.new) },
  });
}

/** What the reader of the report should know beside the findings. */
function notesOn(old: Source, next: Source): string[] {
  const notes: string[] = [];
  for (const { name, withoutNotes, loaded } of [old, next]) {
    if (!withoutNotes) continue;
    const assumed = loaded.assumptions.length;
    notes.push(
      `${name} is read without notes; ${assumed} ${assumed === 1 ? "thing was" : "things were"} assumed from the schema alone.`,
    );
  }
  if (![old, next].every(hasProse)) notes.push("Descriptions were not compared: not both schemas have them.");
  return [...notes, "Not visible in a schema: HTTP headers, transports, authorization."];
}

function hasProse({ loaded }: Source): boolean {
  return [...loaded.model.schema.definitions.values()].some(({ node }) => node.description !== undefined);
}

function outcomeOf(
  report: Report,
  warnings: readonly Finding[],
  args: Arguments,
  { console }: CommandContext,
): Outcome {
  const failed = report.findings.some(({ fails }) => fails);
  const common = { failed, data: { ...jsonReport(report), warnings } };
  if (console.settings.format === "github") {
    return {
      ...common,
      findings: [...warnings, ...report.findings.flatMap(annotated)],
      summary: summaryText(report),
    };
  }
  if (args.string("format") === "markdown") return { ...common, text: markdownReport(report) };
  const { verbose } = console.settings;
  const text = textReport(report, { paint: console.paint, verbose });
  return { ...common, findings: warnings, text, summary: summaryText(report) };
}

/** A finding as an annotation of the line it is about; what harms nobody is left out. */
function annotated(finding: ReportedFinding): Finding[] {
  const { worst, at, rule, subject, why, advice, fails, approval } = finding;
  if ((worst === "safe" && !fails) || approval) return [];
  const place = at.new ?? at.old;
  return [
    {
      code: worst === "breaking" ? "MG3201" : "MG3202",
      severity: fails ? "error" : "warning",
      message: `${rule}: ${subjectText(subject)}: ${why}`,
      next: advice,
      ...(place && { place }),
    },
  ];
}
