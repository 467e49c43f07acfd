import type { Paint, Style } from "../../command/console.js";
import { subjectText } from "../finding.js";
import { approvalLine, approvalsFile } from "../policy/approvals.js";
import type { Level } from "../rules/rule.js";
import { type Report, type ReportedFinding, hit, inGroups } from "./report.js";

const headings: readonly (readonly [Level, string, Style])[] = [
  ["breaking", "Breaking", "red"],
  ["dangerous", "Dangerous", "yellow"],
  ["safe", "Safe", "green"],
];

export interface TextOptions {
  readonly paint: Paint;
  /** Reasons, examples and safe findings, too. */
  readonly verbose: boolean;
}

/** The report for people: worst first, one line for each finding or group of findings. */
export function textReport(report: Report, options: TextOptions): string {
  const { paint, verbose } = options;
  const sections = headings.flatMap(([level, heading, style]) => {
    const findings = report.findings.filter(({ worst }) => worst === level);
    if (findings.length === 0 || (level === "safe" && !verbose)) return [];
    const lines = inGroups(findings).map((group) => groupText(group, level, options));
    return [`${paint(style, `${heading} (${findings.length})`)}\n${lines.join("\n")}`];
  });
  return [
    ...sections,
    ...approvalText(report, verbose),
    report.notes.map((note) => paint("dim", note)).join("\n"),
  ].join("\n\n");
}

/** One line that sums a report up. */
export function summaryText({ from, to, summary, findings }: Report): string {
  const { breaking, dangerous, safe } = summary;
  if (findings.length === 0) return `${from} → ${to}: no differences`;
  const source = findings.filter((finding) => finding.source === "breaking").length;
  const code = source === 0 ? "" : `; code written against the types meets ${source} of them`;
  return `${from} → ${to}: ${breaking} breaking, ${dangerous} dangerous, ${safe} safe${code}`;
}

function groupText(group: readonly ReportedFinding[], level: Level, { paint, verbose }: TextOptions): string {
  const first = group[0]!;
  const subjects = group.map(({ subject }) => subjectText(subject)).join(", ");
  const count = group.length > 1 ? ` ×${group.length}` : "";
  const line = [
    `  ${hit(first, level).padEnd(6)}`,
    `${paint("bold", first.rule)}${count}:`,
    `${subjects}${shapes(group)}`,
    paint("dim", `${placeText(first)}[${group.map(({ fingerprint }) => fingerprint).join(" ")}]`),
    stateText(group),
  ];
  const text = line.filter((part) => part !== "").join(" ");
  return verbose ? [text, ...details(first)].join("\n") : text;
}

/** What changed, where that is the same for all of a group. */
function shapes(group: readonly ReportedFinding[]): string {
  const { old, new: next, demoted } = group[0]!;
  if (!group.every((finding) => finding.old === old && finding.new === next)) return "";
  const doubt = demoted === undefined ? "" : ` (${demoted})`;
  if (old === null && next === null) return doubt;
  const text = old === null ? next! : next === null ? old : `${short(old)} → ${short(next)}`;
  return `: ${short(text, 130)}${doubt}`;
}

function short(text: string, most = 60): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function placeText({ at }: ReportedFinding): string {
  const place = at.new ?? at.old;
  return place ? `${place.file}:${place.line} ` : "";
}

function stateText(group: readonly ReportedFinding[]): string {
  if (group.every(({ approval }) => approval)) return "approved";
  return group.every(({ known }) => known) ? "in the baseline" : "";
}

function details({ why, advice, methods, counterexample }: ReportedFinding): string[] {
  const lines = [`         ${why}`, `         → ${advice}`];
  if (methods.length > 0) lines.push(`         reaches ${methods.join(", ")}`);
  if (counterexample) {
    const { value, valid } = counterexample;
    const takes = valid.old ? "old takes, new refuses" : "new takes, old refuses";
    lines.push(`         ${takes}: ${JSON.stringify(value)}`);
  }
  return lines;
}

/** More lines than this are asked for with --verbose. */
const mostLines = 20;

function approvalText({ findings }: Report, verbose: boolean): string[] {
  const failing = findings.filter(({ fails }) => fails);
  if (failing.length === 0) return [];
  const intro = `To approve one, add its line to "approvals" in ${approvalsFile}:`;
  const shown = verbose ? failing : failing.slice(0, mostLines);
  const rest = failing.length - shown.length;
  const lines = shown.map((finding) => `  ${approvalLine(finding)}`);
  return [[intro, ...lines, ...(rest > 0 ? [`  … ${rest} more with --verbose`] : [])].join("\n")];
}
