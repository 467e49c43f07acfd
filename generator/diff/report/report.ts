import type { Role } from "../../model/model.js";
import { type Finding, type Policy, levelFor } from "../finding.js";
import type { Approval, Approved } from "../policy/approvals.js";
import type { Level } from "../rules/rule.js";
import type { Use } from "../uses/use.js";

/** A line of a file. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
}

/** A finding with what one run knows of it. */
export interface ReportedFinding extends Finding {
  readonly at: { readonly old: FilePlace | null; readonly new: FilePlace | null };
  /** The worst level for the role of `--role`. */
  readonly worst: Level;
  readonly approval?: Approval;
  /** An earlier report has it. */
  readonly known?: true;
  /** It makes the command fail. */
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
  /** The limits of the comparison, and its assumptions. */
  readonly notes: readonly string[];
  /** A list of one side leaves entries out: what both list is compared. */
  readonly isPartial?: true;
  /** The code that was looked through, if any was. */
  readonly code?: LookedThrough;
}

interface LookedThrough {
  /** The folder or tsconfig file. */
  readonly path: string;
  readonly files: number;
  /** How many findings touch nothing in it. */
  readonly unused: number;
  /** Files where names alone decide, because imports lead nowhere. */
  readonly byName: number;
  /** These are left out of the report. */
  readonly onlyUsed: boolean;
}

export type FailOn = "breaking" | "dangerous" | "any" | "never";

/** Whether findings of a level fail the command. */
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
  /** Fingerprints of an earlier report. */
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

/** How many findings there are of each level. */
export function summaryOf(findings: readonly ReportedFinding[]): Summary {
  const count = (level: Level): number => findings.filter(({ worst }) => worst === level).length;
  return { breaking: count("breaking"), dangerous: count("dangerous"), safe: count("safe") };
}

/** Findings in the order of the report, those of one group together. */
export function inGroups(findings: readonly ReportedFinding[]): ReportedFinding[][] {
  const groups = new Map<string, ReportedFinding[]>();
  for (const finding of findings) {
    const { group, rule, fingerprint, level } = finding;
    const key = group === null ? fingerprint : `${rule} ${group} ${level.client} ${level.server}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}

/** The roles for which a finding has the level `worst`. */
export function hit({ level }: Finding, worst: Level): string {
  const roles = (["client", "server"] as const).filter((role) => level[role] === worst);
  return roles.length === 2 ? "both" : (roles[0] ?? "none");
}
