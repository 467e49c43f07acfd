import { extname, resolve } from "node:path";
import { type Project, type ProjectRun, openProject } from "./project.js";
import { jsonReport } from "../diff/report/json.js";
import { junitReport, sarifReport } from "../diff/report/machine-formats.js";
import { markdownReport } from "../diff/report/markdown.js";
import { type Report, summaryText } from "../diff/report/report.js";
import { textReport } from "../diff/report/text.js";
import { packageVersion, sha256 } from "../files/regular-file.js";
import {
  type Arguments,
  type CommandContext,
  type RunCommand,
  type Outcome,
  documentOf,
  findingText,
} from "./command.js";
import { compareExtensions } from "./diff/extensions.js";
import { compareContracts, findingsBeside, loadContractSources } from "./diff/contracts.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import type { ServerSource } from "../capture/server-source.js";
import { namedRevisions, readLock } from "../revision/lock.js";
import { contractSource } from "./contract-source.js";
import { expectServer, serverOptions } from "./server-options.js";
import { sourceOrServer } from "./servers/named-servers.js";
import {
  type ApprovalsInFile,
  approvalWarnings,
  evaluationBy,
  loadApprovals,
  loadBaseline,
  policyOf,
} from "./diff/policies.js";
import { type Evaluation, annotated, compareSources } from "./diff/report.js";
import { type Source, loadSources } from "./diff/source.js";
import { reportUses } from "./diff/uses.js";
import { notOurs } from "./docs/page-file.js";
import { type Paint, printableLines, shownPath } from "../print/terminal-text.js";
import { WriteRoot } from "../files/held-folder.js";
import { putText } from "../files/writer.js";
import { secrets } from "../secrets/secrets.js";
import type { Published } from "../diff/walk/parts.js";
import { canonicalDocument } from "../revision/schema-source.js";
import { loadJson } from "../files/json-file.js";
import { storedRevision } from "../revision/revision-source.js";
import { carryNotes } from "../revision/carried-notes.js";
import { identify } from "../revision/identify.js";

export const diff: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const run = { args, project, context };
  const approvals = await loadApprovals(args, project, context);
  const names = [args.required("old"), args.required("new")] as const;
  if (names.every((name) => name === "-"))
    throw new CodedError("MG2005", "- can be given once, got it for OLD and for NEW", {
      next: "Standard input is one document; name a file for the other.",
    });
  const evaluation: Evaluation = {
    ...evaluationBy(approvals, policyOf(args, project)),
    role: (args.string("role") as Report["role"] | undefined) ?? "both",
    baseline: await loadBaseline(args, context),
  };
  const extensions = await compareExtensions(names, evaluation, run);
  if (extensions) {
    const { report, approved, findings } = extensions;
    const all = [...findings, ...(await approvalWarnings(approved, approvals, context))];
    return outcomeOf(report, all, approvals, run);
  }
  // `onSlow` names an option that this command does not have.
  const server = { ...serverOptions(args, context), onSlow: undefined };
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
    const { report, warnings } = await reportUses(compared, subject, run);
    const leftOut = contracts.flatMap(findingsBeside);
    const all = [...leftOut, ...(await approvalWarnings(approved, approvals, context)), ...warnings];
    return outcomeOf(report, all, approvals, run);
  }
  // `diff` reads a URL as a file, not as a server.
  expectServer(args, named === undefined ? [] : [named], context.directory);
  const [old, next] = await loadSources(names, project, context);
  const contract = named === undefined ? undefined : await contractSource(named, server, context);
  const published = await publishedAgain(project.schemaDir, old, next);
  const { report: compared, approved } = compareSources(old, next, { ...evaluation, published, contract });
  const subject = { kind: "protocol", models: [old.loaded.model, next.loaded.model] } as const;
  const { report, warnings } = await reportUses(compared, subject, run);
  const all = [...(await approvalWarnings(approved, approvals, context)), ...warnings];
  return outcomeOf(report, all, approvals, run);
};

async function outcomeOf(
  report: Report,
  warnings: readonly Finding[],
  approvals: ApprovalsInFile,
  run: ProjectRun,
): Promise<Outcome> {
  const { args, context } = run;
  const { console } = context;
  const failed =
    report.findings.some(({ fails }) => fails) || warnings.some(({ severity }) => severity === "error");
  const common = { failed, data: { ...jsonReport(report), warnings } };
  const format = fileFormat(args, context);
  if (format !== undefined) {
    const whole = { ...common, findings: warnings };
    const text = await reportText(format, report, whole, approvals, run);
    const { file, done } = writeReport(text, format, args, context);
    const summary = `${file}: ${done}; ${summaryText(report)}`;
    return { failed, findings: warnings, summary, data: { file, written: done === "written" } };
  }
  if (console.settings.format === "github") {
    return {
      ...common,
      findings: [...warnings, ...report.findings.flatMap((each) => annotated(each, "new"))],
      summary: summaryText(report),
    };
  }
  if (args.string("format") === "html")
    return { ...common, text: await pageOf(report, warnings, run.project) };
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

/** The report as an HTML page. */
async function pageOf(report: Report, warnings: readonly Finding[], project: Project): Promise<string> {
  const { reportPage } = await import("./docs/report-page.js");
  return reportPage(report, warnings, project);
}

/** The whole report as the content of a file. */
async function reportText(
  format: ReportFormat,
  report: Report,
  outcome: Outcome,
  approvals: ApprovalsInFile,
  run: ProjectRun,
): Promise<string> {
  const { findings = [] } = outcome;
  if (format === "json") return JSON.stringify(documentOf("diff", outcome), null, 2);
  if (format === "html") return pageOf(report, findings, run.project);
  const document = documents[format]?.(report);
  if (document !== undefined) return document;
  const lines = findings.map((finding) => findingText(finding, unpainted));
  return [...lines, plainText(report, approvals, run.context, unpainted), summaryText(report)].join("\n");
}

/** Formats that produce one complete document for another program. */
const documents: Readonly<Record<string, (report: Report) => string>> = {
  markdown: markdownReport,
  sarif: (report) => JSON.stringify(sarifReport(report, packageVersion()), null, 2),
  junit: junitReport,
};

/** The format of a report in a file. */
type ReportFormat = "text" | "json" | "markdown" | "sarif" | "junit" | "html";

const byExtension: Readonly<Record<string, ReportFormat>> = {
  ".html": "html",
  ".htm": "html",
  ".json": "json",
  ".md": "markdown",
  ".sarif": "sarif",
  ".txt": "text",
  ".xml": "junit",
};

/**
 * Chooses the format of the report in `--out`: from `--format`, else from the file's extension, else text.
 *
 * @returns undefined if the report goes to standard output
 * @throws CodedError MG2005 for `--format` with annotations, which only a CI log shows
 */
function fileFormat(args: Arguments, { console }: CommandContext): ReportFormat | undefined {
  const out = args.string("out");
  if (out === undefined || out === "-") return undefined;
  const named = args.string("format") ?? (console.settings.format === "json" ? "json" : undefined);
  if (named === "github")
    throw new CodedError("MG2005", "--out and --format github exclude each other: GitHub reads the log", {
      next: "Leave --out out, or give another format.",
    });
  return (named as ReportFormat | undefined) ?? byExtension[extname(out).toLowerCase()] ?? "text";
}

/** Patterns that recognise a report of each format, so that other files are not overwritten. */
const marks: Readonly<Record<ReportFormat, RegExp>> = {
  text: / → [^\n]*: (?:no differences|nothing that touches the code|\d+ breaking, \d+ dangerous, \d+ safe)[^\n]*\n?$/,
  json: /^\{\s*"format": 1,\s*"command": "diff"/,
  markdown: /^## Protocol: /,
  sarif: /"driver": \{\s*"name": "mcpgen"/,
  junit: /<testsuites?[^>]* name="mcpgen diff /,
  html: /<meta name="generator" content="mcpgen">/,
};

/**
 * Writes a report. Replaces an earlier report of the same format; any other file only with `--force`. Hides
 * secrets that a live server has echoed.
 *
 * @throws CodedError MG3001 for a file that is not a report, MG3003, MG3009
 */
function writeReport(
  text: string,
  format: ReportFormat,
  args: Arguments,
  { directory }: CommandContext,
): { readonly file: string; readonly done: "written" | "unchanged" } {
  const file = resolve(directory, args.required("out"));
  const shown = shownPath(file, directory);
  const plain = secrets.hide(text.endsWith("\n") ? text : `${text}\n`);
  // A browser ignores the control characters that would act in a terminal.
  const content = format === "html" ? plain : printableLines(plain);
  const done = putText(WriteRoot.ofFile(file, directory), file, content, (before) =>
    args.flag("force") || marks[format].test(before)
      ? undefined
      : notOurs(`is not a report of this format (${format})`, shown),
  );
  return { file: shown, done };
}

/** Set if the old source is a pinned revision and the new one is the same revision as published now. */
async function publishedAgain(
  schemaDir: string,
  old: Source,
  { file }: Source,
): Promise<Published | undefined> {
  const lock = readLock(schemaDir);
  const pinned = lock.get(old.name);
  const sum = sha256(file.text);
  // If the new file is mcpgen's own stored form, it is not an upstream publication.
  if (!pinned || pinned.canonical === sum) return undefined;
  const identity = await identify(schemaDir, { ...file, sha256: sum });
  if (identity?.relation !== "same-revision" || identity.revision !== old.name) return undefined;
  const { notesFile } = storedRevision(schemaDir, old.name, pinned.status, true);
  const document = await canonicalDocument(file);
  const carried = notesFile && (await carryNotes(file, document, await loadJson(notesFile)));
  return {
    revision: old.name,
    old: pinned.upstream.sha256,
    new: sum,
    dropped: carried ? carried.dropped : [],
  };
}
