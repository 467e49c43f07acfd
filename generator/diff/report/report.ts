import { groupBy } from "@mcpgen/engine";
import type { Role } from "../../model/model.js";
import { type Finding, type Policy, levelFor, subjectText } from "../finding.js";
import type { Approval, Approved } from "../policy/approvals.js";
import type { Level } from "../rules/rule.js";
import type { Use, CodeUses } from "../uses/targets.js";

/** A line of a file. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
}

/** A finding with facts about one run. */
export interface ReportedFinding extends Finding {
  readonly at: { readonly old: FilePlace | null; readonly new: FilePlace | null };
  /** The worst level for the role selected by `--role`. */
  readonly worst: Level;
  readonly approval?: Approval;
  /** Set if an earlier report has the finding. */
  readonly known?: true;
  /** Whether it makes the command fail. */
  readonly fails: boolean;
  /** The uses in the user's code; absent if no code was read. */
  readonly uses?: readonly Use[];
}

interface Summary {
  readonly breaking: number;
  readonly dangerous: number;
  readonly safe: number;
}

export interface Report {
  readonly from: string;
  readonly to: string;
  readonly role: Role | "both";
  readonly readers: Policy["readers"];
  readonly findings: readonly ReportedFinding[];
  readonly summary: Summary;
  /** Limits and assumptions of the comparison. */
  readonly notes: readonly string[];
  /** Set if a list of one side is incomplete, so that only entries that both list were compared. */
  readonly isPartial?: true;
  /** The code that was searched, if any. */
  readonly code?: LookedThrough;
}

interface LookedThrough {
  /** The searched folder or tsconfig file. */
  readonly path: string;
  readonly files: number;
  /** Number of findings without a use in it. */
  readonly unused: number;
  /** Number of files in which only names were compared, because their imports cannot be resolved. */
  readonly byName: number;
  /** Whether findings without a use are omitted. */
  readonly onlyUsed: boolean;
}

export type FailOn = "breaking" | "dangerous" | "any" | "never";

/** Whether a finding of a level fails the command. */
function failsOn(level: Level, failOn: FailOn): boolean {
  if (failOn === "never") return false;
  if (failOn === "any") return true;
  return level === "breaking" || (level === "dangerous" && failOn === "dangerous");
}

export interface ReportOptions {
  readonly from: string;
  readonly to: string;
  readonly role: Role | "both";
  readonly readers: Policy["readers"];
  readonly failOn: FailOn;
  readonly approved: Approved;
  /** Fingerprints in an earlier report. */
  readonly baseline: ReadonlySet<string>;
  readonly placesOf: (finding: Finding) => ReportedFinding["at"];
  readonly notes: readonly string[];
  readonly isPartial?: boolean;
}

export function reportOf(findings: readonly Finding[], options: ReportOptions): Report {
  const { from, to, role, readers, failOn, approved, baseline, placesOf, notes, isPartial } = options;
  const reported = findings.map((finding): ReportedFinding => {
    const worst = levelFor(finding, role);
    const approval = approved.holding.get(finding.fingerprint);
    const known = baseline.has(finding.fingerprint);
    return {
      ...finding,
      at: placesOf(finding),
      worst,
      ...(approval && { approval }),
      ...(known && { known }),
      fails: !approval && !known && failsOn(worst, failOn),
    };
  });
  const summary = summaryOf(reported);
  return { from, to, role, readers, findings: reported, summary, notes, ...(isPartial && { isPartial }) };
}

/** Number of findings per level. */
export function summaryOf(findings: readonly ReportedFinding[]): Summary {
  const count = (level: Level): number => findings.filter(({ worst }) => worst === level).length;
  return { breaking: count("breaking"), dangerous: count("dangerous"), safe: count("safe") };
}

/** Findings in report order, with those of one group together. */
export function inGroups(findings: readonly ReportedFinding[]): ReportedFinding[][] {
  const groups = groupBy(findings, ({ group, rule, fingerprint, level }) =>
    group === null ? fingerprint : `${rule} ${group} ${level.client} ${level.server}`,
  );
  return [...groups.values()];
}

/** The roles for which a finding has the level `worst`. */
export function hit({ level }: Finding, worst: Level): string {
  const roles = (["client", "server"] as const).filter((role) => level[role] === worst);
  return roles.length === 2 ? "both" : (roles[0] ?? "none");
}

/** The numbers of findings as text. */
export function countsText({ breaking, dangerous, safe }: Summary): string {
  return `${breaking} breaking, ${dangerous} dangerous, ${safe} safe`;
}

/** A one-line summary of the report. */
export function summaryText(report: Report): string {
  const { from, to, summary, findings } = report;
  const uses = codeText(report);
  const touched = uses === undefined ? "" : `; ${uses}`;
  if (findings.length === 0)
    return `${from} → ${to}: ${report.code?.unused ? "nothing that touches the code" : noDifference(report)}${touched}`;
  const source = findings.filter((finding) => finding.source === "breaking").length;
  const code = source === 0 ? "" : `; code written against the types meets ${source} of them`;
  return `${from} → ${to}: ${countsText(summary)}${code}${touched}`;
}

/** The summary if there are no findings. */
export function noDifference({ isPartial }: Pick<Report, "isPartial">): string {
  return isPartial ? "no difference in what both list" : "no differences";
}

/** The effects on each role, one line each. */
export function overviewLines({ from, to, role, findings }: Report): string[] {
  const roles = role === "both" ? (["client", "server"] as const) : [role];
  return roles.flatMap((each) => {
    const count = (level: Level): number =>
      findings.filter((finding) => finding.level[each] === level).length;
    const [breaking, dangerous] = [count("breaking"), count("dangerous")];
    if (breaking + dangerous === 0) return [];
    const peer = each === "client" ? "server" : "client";
    const counts = [
      ...(breaking > 0 ? [`${breaking} breaking`] : []),
      ...(dangerous > 0 ? [`${dangerous} dangerous`] : []),
    ].join(" and ");
    const noun = breaking + dangerous === 1 ? "change" : "changes";
    return [`A ${each} of ${from} meets ${counts} ${noun} when its ${peer} moves to ${to}.`];
  });
}

/**
 * The subjects of a group of findings, with their common part written once: `ttlMs in ListToolsResult, …`.
 */
export function subjectsText(group: readonly ReportedFinding[]): string {
  const subjects = group.map(({ subject }) => subject);
  if (group.length === 1) return subjectText(subjects[0]!);
  if (subjects.every((subject) => "method" in subject)) {
    const senders = new Set(subjects.map(({ from }) => from));
    if (senders.size === 1) return `${listed(subjects.map(({ method }) => method))} from ${[...senders][0]}`;
  }
  const arms = subjects.flatMap((subject) => ("method" in subject ? [] : (subject.member ?? [])));
  if (arms.length === group.length) {
    const places = distinct(subjects.map(placeOf));
    if (places.length === 1) return `${places[0]} (${listed(arms)})`;
  }
  const members = subjects.map((subject) =>
    "method" in subject || subject.path === "" || subject.member !== undefined ? undefined : subject,
  );
  if (members.every((member) => member !== undefined)) {
    const paths = distinct(members.map(({ path }) => path));
    const definitions = distinct(members.map(({ definition }) => definition));
    if (paths.length * definitions.length === group.length && !definitions.includes(""))
      return `${listed(paths)} in ${listed(definitions)}`;
  }
  return listed(subjects.map(subjectText));
}

/** The subject without its union arm. */
function placeOf(subject: ReportedFinding["subject"]): string {
  if ("method" in subject) return subjectText(subject);
  return subjectText({ definition: subject.definition, path: subject.path });
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function listed(texts: readonly string[]): string {
  return distinct(texts).join(", ");
}

/** The old and the new shape, if the whole group shares them and the subject does not contain them. */
export function sharedShapes(
  group: readonly ReportedFinding[],
): Pick<Finding, "old" | "new" | "unread"> | undefined {
  const { old, new: next, subject, unread } = group[0]!;
  if ("member" in subject && subject.member === (old ?? next)) return undefined;
  return group.every((finding) => finding.old === old && finding.new === next && finding.unread === unread)
    ? { old, new: next, ...(unread && { unread }) }
    : undefined;
}

/**
 * Adds to a report the places in a code base that its findings affect.
 *
 * @param path the folder or tsconfig file of the code, as the report prints it
 * @param onlyUsed whether to omit findings without such a place
 */
export function withUses(
  report: Report,
  { uses, files, byName }: CodeUses,
  { path, onlyUsed }: { readonly path: string; readonly onlyUsed: boolean },
): Report {
  const all = report.findings.map((finding, index) => ({ ...finding, uses: uses[index]! }));
  const used = all.filter((finding) => finding.uses.length > 0);
  const findings = onlyUsed ? used : all;
  const code = { path, files, unused: all.length - used.length, byName: byName.length, onlyUsed };
  return { ...report, findings, summary: summaryOf(findings), code };
}

/** The uses of a group of findings, without duplicates. */
export function usesOf(group: readonly ReportedFinding[]): Use[] {
  const places = new Map(group.flatMap(({ uses = [] }) => uses.map((use) => [placeText(use), use] as const)));
  return [...places.values()];
}

export function placeText({ file, line, column }: Use): string {
  return `${file}:${line}:${column}`;
}

/**
 * One line with the number of affected places, and of findings that affect none. `undefined` if no code was
 * read.
 */
export function codeText({ code, findings }: Report): string | undefined {
  if (!code) return undefined;
  const { unused, path, onlyUsed, byName } = code;
  const unknown = byName === 0 ? "" : `; in ${byName} ${byName === 1 ? "file" : "files"} names alone decide`;
  const left = `${unused} ${unused === 1 ? "finding touches" : "findings touch"} nothing in ${path}${unknown}`;
  if (onlyUsed) return `${left}${unused === 0 ? "" : ", and left out"}`;
  const places = usesOf(findings).length;
  return places === 0
    ? left
    : `${places} ${places === 1 ? "place" : "places"} in ${path} to look at; ${left}`;
}
