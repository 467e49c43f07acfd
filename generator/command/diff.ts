import { type Project, openProject } from "./project.js";
import { subjectText } from "../diff/finding.js";
import { applyApprovals } from "../diff/policy/approvals.js";
import { jsonReport } from "../diff/report/json.js";
import { junitReport } from "../diff/report/junit.js";
import { markdownReport } from "../diff/report/markdown.js";
import type { Report, ReportedFinding } from "../diff/report/report.js";
import { sarifReport } from "../diff/report/sarif.js";
import { summaryText } from "../diff/report/summary.js";
import { textReport } from "../diff/report/text.js";
import { packageVersion } from "../files/package-folder.js";
import type { Arguments } from "./arguments.js";
import type { CommandContext, RunCommand } from "./context.js";
import { compareExtensions } from "./diff/extensions.js";
import { compareContracts, findingsBeside, loadContractSources } from "./diff/contracts.js";
import { CodedError } from "../diagnostics/coded-error.js";
import type { ServerSource } from "../capture/server-source.js";
import { namedRevisions } from "../revision/revisions-folder.js";
import { contractSource } from "./contract-source.js";
import { expectServer, serverOptions } from "./server-options.js";
import { sourceOrServer } from "./servers/named-servers.js";
import {
  type ApprovalsInFile,
  approvalWarnings,
  loadApprovals,
  loadBaseline,
  policyOf,
  today,
} from "./diff/policies.js";
import { publishedAgain } from "./diff/published.js";
import { type ReportFormat, fileFormat, writeReport } from "./diff/report-file.js";
import { type Evaluation, compareSources } from "./diff/report.js";
import { loadSources } from "./diff/source.js";
import { reportUses } from "./diff/uses.js";
import type { Finding } from "../diagnostics/finding.js";
import type { Outcome } from "./outcome.js";
import { documentOf, findingText } from "./present.js";
import type { Paint } from "../print/terminal-text.js";
import { shownPath } from "./shown-path.js";

export const diff: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const policy = policyOf(args, project);
  const approvals = await loadApprovals(args, project, context);
  const baseline = await loadBaseline(args, context);
  const names = [args.required("old"), args.required("new")] as const;
  if (names.every((name) => name === "-"))
    throw new CodedError("MG2005", "- can be given once, got it for OLD and for NEW", {
      next: "Standard input is one document; name a file for the other.",
    });
  const evaluation: Evaluation = {
    policy,
    role: (args.string("role") as Report["role"] | undefined) ?? "both",
    baseline,
    approvalsOf: (differences) => applyApprovals(differences, approvals.approvals, today()),
  };
  const extensions = await compareExtensions(names, project, evaluation, args, context);
  if (extensions) {
    const { report, approved, findings } = extensions;
    const all = [...findings, ...(await approvalWarnings(approved, approvals, context))];
    return outcomeOf(report, all, approvals, args, project, context);
  }
  const server = serverOptions(args, context);
  const revisions = [...namedRevisions(project.schemaDir).keys()];
  const sourceOf = (name: string): Promise<ServerSource> => sourceOrServer(name, args, context, revisions);
  const sources = [await sourceOf(names[0]), await sourceOf(names[1])] as const;
  const forName = args.string("for");
  const named = forName === undefined ? undefined : await sourceOf(forName);
  expectServer(args, named === undefined ? sources : [...sources, named], context.directory);
  const contracts = await loadContractSources(sources, server, context);
  if (contracts) {
    if (named !== undefined)
      throw new CodedError("MG2005", "--for is about two revisions, got two contracts", {
        next: "Leave it out, or name two revisions.",
      });
    const { report: compared, approved } = compareContracts(...contracts, evaluation);
    const subject = { kind: "contract", old: contracts[0].contract } as const;
    const { report, warnings } = await reportUses(compared, subject, project, args, context);
    const leftOut = contracts.flatMap(findingsBeside);
    const all = [...leftOut, ...(await approvalWarnings(approved, approvals, context)), ...warnings];
    return outcomeOf(report, all, approvals, args, project, context);
  }
  // A URL is a file here.
  expectServer(args, named === undefined ? [] : [named], context.directory);
  const [old, next] = await loadSources(names, project, context);
  const contract = named === undefined ? undefined : await contractSource(named, server, context);
  const published = await publishedAgain(project.schemaDir, old, next);
  const { report: compared, approved } = compareSources(old, next, { ...evaluation, published, contract });
  const subject = { kind: "protocol", models: [old.loaded.model, next.loaded.model] } as const;
  const { report, warnings } = await reportUses(compared, subject, project, args, context);
  const all = [...(await approvalWarnings(approved, approvals, context)), ...warnings];
  return outcomeOf(report, all, approvals, args, project, context);
};

async function outcomeOf(
  report: Report,
  warnings: readonly Finding[],
  approvals: ApprovalsInFile,
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const { console } = context;
  const failed =
    report.findings.some(({ fails }) => fails) || warnings.some(({ severity }) => severity === "error");
  const common = { failed, data: { ...jsonReport(report), warnings } };
  const format = fileFormat(args, context);
  if (format !== undefined) {
    const whole = { ...common, findings: warnings };
    const text = await reportText(format, report, whole, approvals, { args, project, context });
    const { file, done } = writeReport(text, format, args, context);
    const summary = `${file}: ${done}; ${summaryText(report)}`;
    return { failed, findings: warnings, summary, data: { file, written: done === "written" } };
  }
  if (console.settings.format === "github") {
    return {
      ...common,
      findings: [...warnings, ...report.findings.flatMap(annotated)],
      summary: summaryText(report),
    };
  }
  if (args.string("format") === "html")
    return { ...common, text: await pageOf(report, warnings, args, project, context) };
  const document = documents[args.string("format") ?? ""]?.(report);
  if (document !== undefined) return { ...common, text: document };
  const text = plainText(report, approvals, context, console.paint);
  return { ...common, findings: warnings, text, summary: summaryText(report) };
}

/** The report for people. */
function plainText(
  report: Report,
  { file, text }: ApprovalsInFile,
  { console, directory }: CommandContext,
  paint: Paint,
): string {
  const approvals = { file: shownPath(file, directory), exists: text !== undefined };
  return textReport(report, { paint, verbose: console.settings.verbose, approvals });
}

const unpainted: Paint = (_, text) => text;

/** The report as a page to read. */
async function pageOf(
  report: Report,
  warnings: readonly Finding[],
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<string> {
  const { reportPage } = await import("./docs/report-page.js");
  const lines = warnings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  return reportPage(report, lines, args, project, context);
}

/** The whole report as the content of a file. */
async function reportText(
  format: ReportFormat,
  report: Report,
  outcome: Outcome,
  approvals: ApprovalsInFile,
  { args, project, context }: { args: Arguments; project: Project; context: CommandContext },
): Promise<string> {
  const { findings = [] } = outcome;
  if (format === "json") return JSON.stringify(documentOf("diff", outcome), null, 2);
  if (format === "html") return pageOf(report, findings, args, project, context);
  const document = documents[format]?.(report);
  if (document !== undefined) return document;
  const lines = findings.map((finding) => findingText(finding, unpainted));
  return [...lines, plainText(report, approvals, context, unpainted), summaryText(report)].join("\n");
}

/** Formats that are one document, for something else to read. */
const documents: Readonly<Record<string, (report: Report) => string>> = {
  markdown: markdownReport,
  sarif: (report) => JSON.stringify(sarifReport(report, packageVersion()), null, 2),
  junit: junitReport,
};

/** A finding as annotations of the code that meets it, or of the line it is about; what is compatible is left out. */
function annotated(finding: ReportedFinding): Finding[] {
  const { worst, at, rule, subject, why, advice, fails, approval, uses = [] } = finding;
  if ((worst === "safe" && !fails) || approval) return [];
  const places = uses.length > 0 ? uses : [at.new ?? at.old];
  return places.map((place) => ({
    code: worst === "breaking" ? "MG3201" : "MG3202",
    severity: fails ? "error" : "warning",
    message: `${rule}: ${subjectText(subject)}: ${why}`,
    next: advice,
    ...(place && { place }),
  }));
}
