import { type Paint, type Style, firstLines, shortText } from "../../print/terminal-text.js";
import { changeText, subjectText } from "../finding.js";
import { approvalLine, approvalsFile } from "../policy/approvals.js";
import type { Level } from "../rules/rule.js";
import {
  type Report,
  type ReportedFinding,
  sharedShapes,
  subjectsText,
  hit,
  inGroups,
  overviewLines,
  placeText as useText,
  usesOf,
} from "./report.js";

const headings: readonly (readonly [Level, string, Style])[] = [
  ["breaking", "Breaking", "red"],
  ["dangerous", "Dangerous", "yellow"],
  ["safe", "Safe", "green"],
];

interface TextOptions {
  readonly paint: Paint;
  /** Whether to include reasons, examples and safe findings. */
  readonly verbose: boolean;
  /** The approvals file. If it does not exist yet, the report shows its complete text. */
  readonly approvals?: { readonly file: string; readonly exists: boolean };
}

/**
 * The report as text: counts for each role, then the findings, worst first, one line for each finding or
 * group.
 */
export function textReport(report: Report, options: TextOptions): string {
  const { paint, verbose } = options;
  const overview = overviewLines(report);
  const shown = newestFirst(report.findings, verbose);
  const section = (heading: string, style: Style, findings: readonly ReportedFinding[]): string[] => {
    if (findings.length === 0) return [];
    const lines = inGroups(findings).map((group) => groupText(group, findings[0]!.worst, options));
    return [`${paint(style, `${heading} (${findings.length})`)}\n${lines.join("\n")}`];
  };
  const sections = headings.flatMap(([level, heading, style]) => {
    const findings = shown.filter(({ worst }) => worst === level);
    if (level === "safe" && !verbose)
      return section("Only in the types, and used", style, findings.filter(isMet));
    return section(heading, style, findings);
  });
  return [
    ...(overview.length === 0 ? [] : [overview.map((line) => paint("bold", line)).join("\n")]),
    ...sections,
    ...(verbose ? [] : tallies(shown.filter((finding) => !isMet(finding)))),
    ...knownText(report.findings.length - shown.length),
    ...approvalText(report, options),
    report.notes.map((note) => paint("dim", note)).join("\n"),
  ].join("\n\n");
}

/** Whether a finding changes no message but breaks compilation of the code in `--uses`. */
function isMet({ worst, source, uses = [] }: ReportedFinding): boolean {
  return worst === "safe" && source === "breaking" && uses.length > 0;
}

/** Puts findings that are not in the baseline first. Without `verbose`, omits the others. */
function newestFirst(findings: readonly ReportedFinding[], verbose: boolean): readonly ReportedFinding[] {
  const unseen = findings.filter(({ known }) => !known);
  return verbose ? [...unseen, ...findings.filter(({ known }) => known)] : unseen;
}

function knownText(count: number): string[] {
  if (count === 0) return [];
  return [`${count} ${count === 1 ? "finding" : "findings"} in the baseline; --verbose lists them, too.`];
}

function groupText(group: readonly ReportedFinding[], level: Level, { paint, verbose }: TextOptions): string {
  const first = group[0]!;
  const count = group.length > 1 ? ` ×${group.length}` : "";
  const line = [
    level === "safe" ? " " : `  ${hit(first, level).padEnd(6)}`,
    `${paint("bold", first.rule)}${count}:`,
    `${subjectsText(group)}${shapes(group)}`,
    group.length === 1 ? paint("dim", placeText(first)) : "",
    stateText(group),
  ];
  const text = line.filter((part) => part !== "").join(" ");
  const uses = useLines(group, verbose);
  return [text, ...(verbose ? details(group, paint) : []), ...uses].map(oneLine).join("\n");
}

/** Escapes line ends in names, which would otherwise look like lines of the report. */
function oneLine(text: string): string {
  return text.replaceAll("\n", "\\u000a");
}

/** The change, if the whole group shares it. */
function shapes(group: readonly ReportedFinding[]): string {
  const shared = sharedShapes(group);
  const doubt = group.every(({ demoted }) => demoted !== undefined) ? ` (${group[0]!.demoted})` : "";
  if (!shared) return doubt;
  const isOneSided = shared.old === null || shared.new === null;
  const change = changeText(shared, (shape) => shortText(shape, isOneSided ? 2 * maxShape : maxShape));
  return change === "" ? doubt : `: ${change}${doubt}`;
}

/** Maximum length of each of the two shapes in a line. */
const maxShape = 60;

function placeText({ at }: ReportedFinding): string {
  const place = at.new ?? at.old;
  return place ? `${place.file}:${place.line}` : "";
}

function stateText(group: readonly ReportedFinding[]): string {
  if (group.every(({ approval }) => approval)) return "approved";
  return group.every(({ known }) => known) ? "in the baseline" : "";
}

const indent = " ".repeat(9);

function details(group: readonly ReportedFinding[], paint: Paint): string[] {
  const { advice, counterexample } = group[0]!;
  const reasons = [...new Set(group.map(({ why }) => why))];
  const methods = [...new Set(group.flatMap((finding) => finding.methods))];
  const lines = [...reasons, `→ ${advice}`];
  if (methods.length > 0) lines.push(`reaches ${methods.join(", ")}`);
  if (counterexample) {
    const { value, valid } = counterexample;
    const takes = valid.old ? "old takes, new refuses" : "new takes, old refuses";
    lines.push(`${takes}: ${JSON.stringify(value)}`);
  }
  const places = group.map((finding) => {
    const subject = group.length === 1 ? "" : `${subjectText(finding.subject)} ${placeText(finding)} `;
    return paint("dim", `${subject}[${finding.fingerprint}]`);
  });
  return [...lines, ...places].map((line) => indent + line);
}

/** Maximum number of uses of one finding without `--verbose`. */
const mostUses = 4;

function useLines(group: readonly ReportedFinding[], verbose: boolean): string[] {
  const lines = usesOf(group).map((use) => `${useText(use)} ${use.name}`);
  return firstLines(lines, verbose ? Infinity : mostUses, " (--verbose)").map((line) => indent + line);
}

/** The number of findings that break no message, by rule. */
function tallies(findings: readonly ReportedFinding[]): string[] {
  const safe = findings.filter(({ worst }) => worst === "safe");
  const typesOnly = safe.filter(({ source }) => source === "breaking");
  const others = safe.filter(({ source }) => source !== "breaking");
  const lines = [
    tally("Only in the types", typesOnly),
    tally("Safe", others),
    ...(safe.length === 0 ? [] : ["--verbose lists them, with reasons and examples for all."]),
  ].filter((line) => line !== "");
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function tally(heading: string, findings: readonly ReportedFinding[]): string {
  if (findings.length === 0) return "";
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const texts = [...counts].sort(([, a], [, b]) => b - a).map(([rule, count]) => `${count} ${rule}`);
  return `${heading} (${findings.length}): ${texts.join(", ")}`;
}

/** Maximum number of lines without `--verbose`. */
const mostLines = 5;

function approvalText({ findings }: Report, { verbose, approvals }: TextOptions): string[] {
  const failing = findings.filter(({ fails }) => fails);
  if (failing.length === 0) return [];
  const { file, exists } = approvals ?? { file: approvalsFile, exists: true };
  if (!verbose && failing.length > mostLines)
    return [`${failing.length} findings fail; --verbose prints the lines that approve them in ${file}.`];
  const lines = failing.map(approvalLine);
  const text = exists
    ? [`To approve one, add its line to "approvals" in ${file}:`, ...lines]
    : [
        `To approve ${lines.length === 1 ? "it" : "them"}, write ${file}:`,
        '{"format":1,"approvals":[',
        lines.join(",\n  "),
        "]}",
      ];
  return [text.join("\n  ")];
}
