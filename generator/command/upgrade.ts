import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { jsonReport } from "../diff/report/json.js";
import type { Report } from "../diff/report/report.js";
import { tryExtensions } from "../extension/add/try-extensions.js";
import { revisionBefore } from "../revision/identify.js";
import type { Finding } from "../diagnostics/coded-error.js";
import { readLock } from "../revision/lock.js";
import type { CommandContext, RunCommand, Outcome } from "./command.js";
import { counted, shownPath } from "../print/terminal-text.js";
import type { ProtocolModel, Role } from "../model/model.js";
import { type Source, storedSource } from "./diff/source.js";
import { informing } from "./diff/policies.js";
import { type Evaluated, compareSources } from "./diff/report.js";
import { type ReportWithUses, reportUses } from "./diff/uses.js";
import {
  noteWarnings,
  completedFindings,
  conflictFindings,
  conflictOutcome,
  planOutcome,
} from "./plan-report.js";
import { type Project, type ProjectRun, openProject } from "./project.js";
import { notOver, vocabularyRemark, nameWarnings } from "./upgrade/remarks.js";
import { type Decisions, decisionsOf } from "./upgrade/decisions.js";
import { gatewayPoints } from "./upgrade/gateway.js";
import { type Point, guideMarkdown, guideText, guideOf } from "./upgrade/guide.js";
import { handwrittenParts } from "./upgrade/handwritten.js";
import { type StagedUpgrade, stageUpgrade, writeUpgrade } from "./upgrade/stage.js";
import { successions } from "./upgrade/successors.js";
import { parseNotes } from "../notes/parse.js";
import { noteEntries } from "../revision/carried-notes.js";
import { undocumented } from "../revision/schema-source.js";
import { resolveRevision } from "../revision/revision-source.js";
import { type Decision, type Question, answerPlace } from "./upgrade/question.js";

/**
 * Stores a revision, generates its output, and lists the decisions left to the user. Writes everything or
 * nothing. With `--try`, writes nothing and reports the effects of the revision.
 */
export const upgrade: RunCommand = async (args, context) => {
  const start = performance.now();
  const project = await openProject(args, context, { renders: true });
  const run = { args, project, context };
  const dryRun = args.flag("dry-run");
  context.console.progress("generating…");
  const staged = await stageUpgrade(args, project, context);
  if (args.flag("try")) return rehearsed(staged, start, run);
  const conflicts = conflictFindings(staged.plan, project, context);
  if (conflicts.length > 0) return { findings: conflicts, ...conflictOutcome(conflicts, context) };

  // The report compares the revision with the stored version it replaces, if any. Conversion steps always
  // lead to the preceding revision.
  const previous = await previousOf(staged, project, context);
  const base = staged.revision.replaces ? await stored(staged.revision.revision, project, context) : previous;
  const compared = base && (await compare(base, staged, run));
  const report = compared?.report;
  const proposed = await decisionsOf(staged, { base, previous }, project, context.directory);
  const decisions = { ...proposed, open: await soundDecisions(proposed.open, staged) };
  const written = !dryRun && writeUpgrade(staged, project, context);
  const { settings } = context.console;
  const { revision } = staged.revision;
  // Extensions are compiled over the stored revision, which a dry run does not write.
  const tried = dryRun ? [] : await tryExtensions(project.schemaDir, revision);
  const warnings = [
    ...completedFindings(staged.comparison, project, context),
    ...(compared?.warnings ?? []),
    ...nameWarnings(staged.revision),
    ...tried.flatMap((one) => notOver(one, revision)),
    ...(settings.format === "github"
      ? [...noteWarnings(staged.comparison.generated, project, context), ...questionFindings(decisions.open)]
      : []),
  ];
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  // The list of code to write compares with the preceding revision, even if an earlier draft of this revision
  // is stored.
  const changed = base === previous || !previous ? report : compareWith(previous, staged, run).report;
  const since = previous && changed && { before: previous.loaded.model, report: changed };
  const outcome = present(staged, { report, since, decisions, dryRun, written, seconds }, run);
  return { ...outcome, findings: warnings };
};

/** The outcome of `--try`. Loads the TypeScript compiler only now. */
async function rehearsed(
  staged: StagedUpgrade,
  start: number,
  { args, project, context }: ProjectRun,
): Promise<Outcome> {
  const { tryUpgrade, rehearsalFindings, rehearsalMarkdown, rehearsalText } =
    await import("./upgrade/try/try.js");
  const rehearsal = await tryUpgrade(staged, project, context);
  const findings = rehearsalFindings(rehearsal);
  const { verbose } = context.console.settings;
  const isMarkdown = args.string("format") === "markdown";
  const text = isMarkdown ? rehearsalMarkdown(rehearsal) : rehearsalText(rehearsal, verbose);
  if (isMarkdown) return { findings, text };
  const { revision } = staged.revision;
  const { vocabulary, revisions, project: types } = rehearsal;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const verdict =
    findings.length === 0 ? "nothing that worked is broken" : counted(findings.length, "finding");
  return {
    findings,
    text,
    summary: `${revision}: ${verdict}, ${seconds} s; nothing was written (--try)`,
    data: {
      revision,
      vocabulary,
      revisions,
      ...(types.unchecked !== undefined && { unchecked: types.unchecked }),
    },
  };
}

async function previousOf(
  { revision }: StagedUpgrade,
  project: Project,
  context: CommandContext,
): Promise<Source | undefined> {
  const previous = revisionBefore(readLock(project.schemaDir), revision.revision);
  return previous === undefined ? undefined : stored(previous, project, context);
}

function stored(revision: string, { schemaDir }: Project, { directory }: CommandContext): Promise<Source> {
  return storedSource(schemaDir, revision, directory);
}

/** An evaluation without failures: an upgrade is meant to change things. */
function compareWith(base: Source, { source }: StagedUpgrade, { args, project }: ProjectRun): Evaluated {
  return compareSources(base, source, informing(args, project));
}

async function compare(base: Source, staged: StagedUpgrade, run: ProjectRun): Promise<ReportWithUses> {
  const { source } = staged;
  const { report } = compareWith(base, staged, run);
  const subject = { kind: "protocol", models: [base.loaded.model, source.loaded.model] } as const;
  return reportUses(report, subject, run);
}

interface Result {
  /**
   * Comparison with the preceding revision, or with the stored version of this one; undefined if neither
   * exists.
   */
  readonly report: Report | undefined;
  /** The preceding revision, and the comparison with it. */
  readonly since: { readonly before: ProtocolModel; readonly report: Report } | undefined;
  readonly decisions: Decisions;
  readonly dryRun: boolean;
  readonly written: boolean;
  readonly seconds: string;
}

/** The roles that send requests in a revision. */
function requestersOf({ methods }: ProtocolModel): Role[] {
  const requests = methods.filter(({ kind, payload }) => kind === "request" && !payload);
  return [...new Set(requests.flatMap(({ senders }) => senders))];
}

function present(
  staged: StagedUpgrade,
  { report, since, decisions, dryRun, written, seconds }: Result,
  { args, project, context }: ProjectRun,
): Outcome {
  const { revision, action, locked, definitions, notes } = staged.revision;
  const output = planOutcome(staged.plan, staged.comparison.generated, project, context);
  const { model } = staged.source.loaded;
  const handwritten = since ? handwrittenParts(since.before, model, successions(since.before, model)) : [];
  const gateway = since ? gatewayPoints(since.before, model, since.report) : [];
  const guide = guideOf({
    revision,
    handwritten,
    gateway,
    done: donePoints(staged, output.summary!, dryRun),
    decisions,
    report,
    requesters: requestersOf(model),
    next: nextPoints(shownPath(project.outDir, context.directory, `${revision}/PROTOCOL.md`)),
  });
  if (args.string("format") === "markdown") return { text: guideMarkdown(guide) };
  const { paint, settings } = context.console;
  return {
    text: guideText(guide, { paint, verbose: settings.verbose }),
    summary:
      `${revision}: ${action}, ${counted(decisions.open.length, "point")} to decide, ` +
      (handwritten.length === 0 ? "" : `${counted(handwritten.length, "part needs", "parts need")} code, `) +
      `${counted(report?.summary.breaking ?? 0, "breaking change")}, ${seconds} s` +
      (dryRun ? "; nothing was written (--dry-run)" : ""),
    data: {
      revision,
      action,
      written: written,
      locked,
      definitions,
      vocabulary: staged.revision.vocabulary.after,
      notes: notes && { from: notes.from, carried: notes.carried, dropped: notes.dropped },
      settled: decisions.settled,
      decisions: decisions.open,
      handwritten,
      gateway,
      output: output.data,
      ...(report && { diff: jsonReport(report) }),
    },
  };
}

function donePoints({ revision: staged }: StagedUpgrade, output: string, dryRun: boolean): Point[] {
  const { revision, action, locked, definitions, notes } = staged;
  const kept = vocabularyRemark(staged);
  const source = locked.upstream.url === undefined ? "" : `, from ${locked.upstream.url}`;
  return [
    ...(dryRun ? [{ text: "Nothing was written (--dry-run); this is what would be." }] : []),
    {
      lead: `Schema ${action}`,
      text: `${revision}, ${locked.status}, ${locked.dialect}, ${definitions} definitions${source}; sha256 ${locked.upstream.sha256.slice(0, 12)}…`,
    },
    ...(notes?.from === undefined
      ? []
      : [
          {
            lead: "Notes",
            text: `${notes.carried} ${notes.from === revision ? "kept" : `carried over from ${notes.from}`}, ${notes.dropped.length} left behind`,
          },
        ]),
    { lead: "Output", text: output },
    ...(kept === undefined ? [] : [{ lead: "Vocabulary", text: kept }]),
  ];
}

function nextPoints(report: string): Point[] {
  return [
    { text: `Read the revision as one line a method and property: ${report}.` },
    { text: "After each change of notes: mcpgen generate." },
    { text: "Type-check what is written against the types, then: mcpgen check." },
  ];
}

/**
 * Removes proposed notes that the schema rejects or that change nothing, so that every proposal can be
 * pasted. Notes about conversion steps were tried earlier.
 */
async function soundDecisions(decisions: readonly Decision[], staged: StagedUpgrade): Promise<Decision[]> {
  const all = decisions.flatMap(({ questions }) => questions.filter(isOfNotes));
  const doubtful = new Set(await refused(all, staged));
  const unsound = new Set<Question>();
  // Two proposals may conflict although each is valid by itself, so each rejected one is tried alone.
  for (const question of doubtful) if ((await refused([question], staged)).length > 0) unsound.add(question);
  const mended = (question: Question): Question =>
    unsound.has(question) ? { ...question, paste: [] } : question;
  return decisions.map((decision) => ({ ...decision, questions: decision.questions.map(mended) }));
}

function isOfNotes({ paste, at }: Question): boolean {
  return paste.length > 0 && at.startsWith("/notes/");
}

/** The questions whose proposed notes cause problems in the notes file. */
async function refused(
  questions: readonly Question[],
  { revision, notes }: StagedUpgrade,
): Promise<Question[]> {
  if (questions.length === 0) return [];
  const entries: { readonly entry: JsonValue; readonly from?: Question }[] = noteEntries(
    notes?.value ?? null,
  ).map((entry) => ({ entry }));
  for (const question of questions) {
    const place = Number(question.at.slice("/notes/".length));
    const asked = question.paste.map((entry) => ({ entry, from: question }));
    if (Number.isInteger(place) && asked[0]) entries[place] = asked[0];
    else entries.push(...asked);
  }
  const value = { format: 1, notes: entries.map(({ entry }) => entry) };
  const parsed = parseNotes({ file: revision.schema.file, value });
  const about = { revision: revision.revision, status: revision.locked.status, docs: undocumented };
  const document = revision.schema.value as JsonObject;
  const { problems } = await resolveRevision(revision.schema, document, parsed, about);
  const found = problems.flatMap(({ note }) => entries[parsed.indexOf(note)]?.from ?? []);
  return [...new Set(found)];
}

/** The decisions as findings, for annotations in a pull request at the file to edit. */
function questionFindings(decisions: readonly Decision[]): Finding[] {
  // Carried notes already have findings.
  const others = decisions.filter(({ kind }) => kind !== "carried-notes");
  return others.map(({ title, advice, file, questions }) => {
    const detail = questions.flatMap((question) => {
      const { text, paste } = question;
      if (paste.length === 0) return [text];
      return [`${text} ${answerPlace(question)}`, ...paste.map((value) => JSON.stringify(value))];
    });
    return {
      code: "MG3113",
      severity: "warning",
      message: title,
      ...(file !== undefined && { place: { file } }),
      next: advice,
      ...(detail.length > 0 && { detail: detail.join("\n") }),
    };
  });
}
