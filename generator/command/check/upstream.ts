import { subjectText } from "../../diff/finding.js";
import { jsonReport } from "../../diff/report/json.js";
import { markdownReport } from "../../diff/report/markdown.js";
import type { Report, ReportedFinding } from "../../diff/report/report.js";
import { textReport } from "../../diff/report/text.js";
import type { Finding } from "../../diagnostics/finding.js";
import { sourceName } from "../../files/source.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import type { Outcome } from "../outcome.js";
import type { Project } from "../project.js";
import { markdownProse, oneLineCode } from "../../print/markdown.js";
import { shellLine } from "../../print/shell-line.js";
import { type Comparison, compareUpstream } from "./compare-upstream.js";

/** Compares the pinned schemas with a file that upstream publishes now. Writes nothing. */
export async function checkUpstream(
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const source = args.required("upstream");
  const comparison = await compareUpstream(source, args, project, context);
  const { verdict, revision, name, reason, report, sha256, onlyProse } = comparison;
  const data = {
    upstream: { source, sha256, verdict, revision, name, reason, onlyProse },
    ...(report && { diff: jsonReport(report) }),
  };
  const sentence = sentenceOf(comparison, source);
  if (verdict === "unchanged" || !report) return { summary: sentence, data: { ...data, rule: null } };
  const rule = verdict === "same-revision" ? "published-file-changed" : null;
  const finding = findingOf(comparison, source, sentence);
  const mend = onlyProse ? undefined : mendOf(comparison, source);
  const common = { failed: !onlyProse, ...(mend !== undefined && { mend }), data: { ...data, rule } };
  if (args.string("format") === "markdown") {
    return { failed: !onlyProse, text: markdownText(sentence, report, mend) };
  }
  if (context.console.settings.format === "github") {
    return { ...common, findings: [finding, ...report.findings.flatMap((each) => annotated(each))] };
  }
  const { paint, settings } = context.console;
  const text = textReport(report, { paint, verbose: settings.verbose });
  const isTelling = !onlyProse || report.findings.some(({ worst }) => worst !== "safe");
  return { ...common, findings: [finding], ...(isTelling && { text }) };
}

function sentenceOf({ verdict, revision, name, reason, onlyProse }: Comparison, source: string): string {
  const shown = sourceName(source);
  if (verdict === "unchanged") return `${shown}: unchanged, the file that ${revision} was imported from`;
  const why = `because ${reason}`;
  if (verdict === "new-revision") {
    return `a new revision${name === undefined ? "" : `, ${name}`}; compared with ${revision} (${why})`;
  }
  const what = onlyProse ? "only prose or layout differs" : "the schema differs";
  return `another file of ${revision}: ${what} (${why})`;
}

function findingOf({ verdict, revision, onlyProse }: Comparison, source: string, message: string): Finding {
  const isNew = verdict === "new-revision";
  return {
    ...(isNew
      ? { code: "MG3111", severity: "error" }
      : { code: "MG3110", severity: onlyProse ? "warning" : "error" }),
    message,
    place: { file: sourceName(source) },
    next: isNew
      ? "If the file belongs to a known revision, name that one with --revision."
      : `If the file does not belong to ${revision}, name its revision with --revision, or add it under a new name.`,
  };
}

/** The command that takes the file over. */
function mendOf({ verdict, revision, name }: Comparison, source: string): string {
  const words =
    verdict === "new-revision"
      ? ["upgrade", source, "--name", name ?? "YYYY-MM-DD"]
      : ["upgrade", source, "--name", revision, "--replace"];
  return shellLine(["mcpgen", ...words]);
}

function markdownText(sentence: string, report: Report, mend: string | undefined): string {
  const first = `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`;
  const parts = [markdownProse(first), ...(report.findings.length > 0 ? [markdownReport(report)] : [])];
  return [...parts, ...(mend === undefined ? [] : [`To store it: ${oneLineCode(mend)}`])].join("\n\n");
}

/** Findings at the line of the pinned schema, which the repository has. Compatible changes are left out. */
function annotated({ worst, at, rule, subject, why, advice }: ReportedFinding): Finding[] {
  if (worst === "safe") return [];
  const place = at.old ?? at.new;
  return [
    {
      code: worst === "breaking" ? "MG3201" : "MG3202",
      severity: "warning",
      message: `${rule}: ${subjectText(subject)}: ${why}`,
      next: advice,
      ...(place && { place }),
    },
  ];
}
