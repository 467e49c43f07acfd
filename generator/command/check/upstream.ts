import { jsonReport } from "../../diff/report/json.js";
import { markdownReport } from "../../diff/report/markdown.js";
import type { Report } from "../../diff/report/report.js";
import { textReport } from "../../diff/report/text.js";
import { type Finding, CodedError } from "../../diagnostics/coded-error.js";
import { sourceName } from "../../files/source.js";
import type { Arguments, CommandContext, Outcome } from "../command.js";
import type { Project } from "../project.js";
import { markdownProse, oneLineCode } from "../../print/markdown.js";
import { shellLine } from "../../print/terminal-text.js";
import { canonicalDocument, readRevision, readUpstream } from "../../revision/schema-source.js";
import type { JsonFile } from "../../files/json-file.js";
import { type Identity, identify } from "../../revision/identify.js";
import { readLock, expectRevision } from "../../revision/lock.js";
import { readAlike, storedSource } from "../diff/source.js";
import { informing } from "../diff/policies.js";
import { annotated, compareSources } from "../diff/report.js";
import { verifyExtensionFile } from "../../extension/add/verify-upstream.js";
import { extensionKey } from "../../extension/extension-store.js";
import { ExtensionSides, compareSides } from "../diff/extensions.js";

/** Compares the pinned schemas with a file published upstream. Writes nothing. */
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
    // At lines of the pinned schema, because the repository has that file.
    const annotations = report.findings.flatMap((each) => annotated(each, "old"));
    return { ...common, findings: [finding, ...annotations] };
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

/** The command that stores the published file. */
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

/** Result of comparing a published file with the pinned revisions. */
interface Comparison {
  readonly verdict: "unchanged" | "same-revision" | "new-revision";
  /** The pinned revision that was compared. */
  readonly revision: string;
  /** Name of a new revision, if the source's address contains it. */
  readonly name?: string;
  readonly reason: string;
  readonly sha256: string;
  /** Whether the schemas differ only in descriptions. */
  readonly onlyProse: boolean;
  /** Absent if the files are identical. */
  readonly report?: Report;
}

/** @throws CodedError MG2010 if there is no revision to compare with */
async function compareUpstream(
  source: string,
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Comparison> {
  const { schemaDir } = project;
  const file = await readRevision(source, context);
  const identity = await identify(schemaDir, file, args.string("revision"));
  if (!identity) throw noRevision(schemaDir);
  const { revision, name, relation, reason } = identity;
  const about = { revision, ...(name !== undefined && { name }), reason, sha256: file.sha256 };
  if (relation === "same-file") return { ...about, verdict: "unchanged", onlyProse: false };

  const old = await storedSource(schemaDir, revision, context.directory);
  const base = { revision, notes: old.notes };
  const next = await readAlike(file, name ?? file.file, base, schemaDir, context.directory);
  // The exit code depends on the verdict, not on how severe the differences are.
  const evaluation = informing(args, project);
  const { verdict, reason: why } = verdictOf(identity, () => compareSources(old, next, evaluation).report);
  const { sha256: pinned } = expectRevision(readLock(schemaDir), revision).upstream;
  const published =
    verdict === "same-revision"
      ? { revision, old: pinned, new: file.sha256, dropped: next.dropped }
      : undefined;
  const { report } = compareSources(old, next, { ...evaluation, published });
  const onlyProse = (await withoutProse(old.file)) === (await withoutProse(file));
  return { ...about, verdict, reason: why, onlyProse, report };
}

/**
 * If the address does not name a revision, the file belongs to the pinned revision unless a client or server
 * would notice a difference.
 */
function verdictOf(
  { relation, reason }: Identity,
  compare: () => Report,
): Pick<Comparison, "verdict" | "reason"> {
  if (relation === "same-revision" || relation === "new-revision") return { verdict: relation, reason };
  const telling = compare().findings.find(
    ({ worst, subject, old, new: next }) =>
      worst !== "safe" || ("method" in subject && (old === null || next === null)),
  );
  return telling
    ? {
        verdict: "new-revision",
        reason: `only ${reason}, and a client or server would notice the other differences (${telling.rule})`,
      }
    : {
        verdict: "same-revision",
        reason: `${reason}, and no client or server would notice the other differences`,
      };
}

async function withoutProse(file: JsonFile): Promise<string> {
  return JSON.stringify(await canonicalDocument(file, { descriptions: false }));
}

function noRevision(schemaDir: string): CodedError {
  return new CodedError("MG2010", "there is no revision to compare with", {
    place: { file: schemaDir },
    next: "Bring one in with `mcpgen revision add FILE`.",
  });
}

/** Compares a stored extension with a file that its authors have published. Writes nothing. */
export async function checkExtensionUpstream(
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const { schemaDir } = project;
  const source = args.required("upstream");
  const sides = new ExtensionSides(schemaDir, context);
  const old = await sides.stored(args.required("extension"));
  const file = await readUpstream(source, context);
  const { relation, added, removed } = await verifyExtensionFile(schemaDir, old.stored, file);
  const key = extensionKey(old.stored);
  const shown = sourceName(source);
  const upstream = { source, sha256: file.sha256, extension: key, relation, added, removed };
  if (relation === "same-file")
    return { summary: `${shown}: unchanged, the file that ${key} was added from`, data: { upstream } };
  const place = { file: shown };
  if (relation === "same-meaning") {
    const message = `another file of ${key}: its canonical form is the same`;
    return { findings: [{ code: "MG3110", severity: "warning", message, place }], data: { upstream } };
  }
  // The exit code depends on the verdict, not on how severe the differences are.
  const evaluation = informing(args, project);
  const { report, findings } = compareSides(old, await sides.published(source, old.stored, file), evaluation);
  const { id } = old.stored;
  const mend = shellLine(["mcpgen", "extension", "add", source, "--id", id, "--version", "VERSION"]);
  const finding: Finding = {
    ...{ code: "MG3110", severity: "error", place },
    message: `the file differs from that of ${key}`,
    next: "If it is the next version, add it under that version.",
  };
  const data = { upstream, diff: jsonReport(report) };
  if (args.string("format") === "markdown")
    return { failed: true, text: `${markdownReport(report)}\n\nTo store it: \`${mend}\``, data };
  const { paint, settings } = context.console;
  const text = textReport(report, { paint, verbose: settings.verbose });
  return { failed: true, findings: [finding, ...findings], text, mend, data };
}
