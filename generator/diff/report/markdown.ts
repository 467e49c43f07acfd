import { changeText, subjectText } from "../finding.js";
import type { Level } from "../rules/rule.js";
import {
  type Report,
  type ReportedFinding,
  sharedShapes,
  subjectsText,
  hit,
  inGroups,
  overviewLines,
  summaryText,
  placeText,
  usesOf,
} from "./report.js";
import { markdownText, oneLineCode, tableCell } from "../../print/markdown.js";
import { shortText } from "../../print/terminal-text.js";

const headings: readonly (readonly [Level, string])[] = [
  ["breaking", "Breaking"],
  ["dangerous", "Dangerous"],
];

/** The report as the body of a pull request. */
export function markdownReport(report: Report): string {
  const { from, to, findings, notes } = report;
  const overview = overviewLines(report).map((line) => `- ${markdownText(line)}`);
  const parts = [`## Protocol: ${named(from)} → ${named(to)}`, `${markdownText(summaryText(report))}.`];
  if (overview.length > 0) parts.push(overview.join("\n"));
  for (const [level, heading] of headings) {
    const chosen = findings.filter(({ worst }) => worst === level);
    if (chosen.length > 0) parts.push(`### ${heading}`, table(chosen, level), ...examples(chosen));
  }
  const safe = findings.filter(({ worst }) => worst === "safe");
  if (safe.length > 0) {
    parts.push(`<details><summary>${safe.length} safe</summary>`, table(safe, "safe"), "</details>");
  }
  parts.push(...whereUsed(report));
  return [...parts, ...notes.map((note) => `_${markdownText(note)}_`)].join("\n\n");
}

/** The uses of changed parts in the code; one list item for each group of findings. */
function whereUsed({ findings, code: looked }: Report): string[] {
  if (!looked) return [];
  const items = inGroups(findings).flatMap((group) => {
    const places = usesOf(group).map((use) => code(placeText(use)));
    return places.length === 0
      ? []
      : [`- ${code(subjectsText(group))} (${group[0]!.rule}): ${places.join(", ")}`];
  });
  return items.length === 0 ? [] : [`### Where ${code(looked.path)} meets it`, items.join("\n")];
}

function table(findings: readonly ReportedFinding[], level: Level): string {
  const rows = inGroups(findings).map((group) => {
    const first = group[0]!;
    const subjects = group.map(({ subject }) => code(subjectText(subject))).join("<br>");
    const state = group.every(({ approval }) => approval) ? " (approved)" : "";
    return `| ${hit(first, level)} | ${first.rule}${state} | ${subjects} | ${change(group)} | ${tableCell(first.advice)} |`;
  });
  return ["| hits | rule | what | change | what to do |", "| --- | --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

/** The change, if the whole group shares it. */
function change(group: readonly ReportedFinding[]): string {
  const shared = sharedShapes(group);
  return shared ? changeText(shared, (text) => code(shortText(text, 80))) : "";
}

/** One example for each group. */
function examples(findings: readonly ReportedFinding[]): string[] {
  const lines = inGroups(findings).flatMap(([first]) => {
    if (!first?.counterexample) return [];
    const { value, valid } = first.counterexample;
    const takes = valid.old
      ? "the old revision takes it, the new one refuses it"
      : "the new revision takes it, the old one refuses it";
    return [
      `- ${code(subjectText(first.subject))} (${first.rule}): ${takes}\n  ${code(JSON.stringify(value))}`,
    ];
  });
  if (lines.length === 0) return [];
  return [`<details><summary>Examples</summary>`, lines.join("\n"), "</details>"];
}

function code(text: string): string {
  return tableCell(oneLineCode(text));
}

/** The name of a source as code, because a path or URL may contain markup. */
function named(source: string): string {
  return /^[\w./ :-]+$/.test(source) ? source : oneLineCode(source);
}
