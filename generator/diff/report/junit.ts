import { changeText, subjectText } from "../finding.js";
import type { Report, ReportedFinding } from "./report.js";
import { noDifference } from "./summary.js";
import { placeText } from "./with-uses.js";

/** The report as JUnit XML: a case for each finding, which fails if the finding does. Approved ones are skipped. */
export function junitReport(report: Report): string {
  const { from, to, findings } = report;
  const failures = findings.filter(({ fails }) => fails).length;
  const skipped = findings.filter(({ approval }) => approval).length;
  const name = escaped(`mcpgen diff ${from} → ${to}`);
  const counts = `tests="${Math.max(1, findings.length)}" failures="${failures}"`;
  const cases =
    findings.length === 0
      ? [`<testcase classname="diff" name="${noDifference(report)}"/>`]
      : findings.map(testCase);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${name}" ${counts}>`,
    `  <testsuite name="${name}" ${counts} errors="0" skipped="${skipped}">`,
    ...cases.map((each) => `    ${each}`),
    "  </testsuite>",
    "</testsuites>",
  ].join("\n");
}

function testCase(finding: ReportedFinding): string {
  const { rule, subject, at, fails, approval, worst, why } = finding;
  const place = at.new ?? at.old;
  const attributes = [
    `classname="${escaped(rule)}"`,
    `name="${escaped(subjectText(subject))}"`,
    ...(place ? [`file="${escaped(place.file)}" line="${place.line}"`] : []),
  ].join(" ");
  if (approval) return `<testcase ${attributes}><skipped message="${escaped(approval.reason)}"/></testcase>`;
  if (!fails) return `<testcase ${attributes}/>`;
  const failure = `<failure type="${worst}" message="${escaped(why)}">${escaped(details(finding))}</failure>`;
  return `<testcase ${attributes}>${failure}</testcase>`;
}

function details(finding: ReportedFinding): string {
  const { advice, counterexample, uses = [] } = finding;
  const example = counterexample ? [JSON.stringify(counterexample.value)] : [];
  const used = uses.length === 0 ? [] : [`used at ${uses.map(placeText).join(", ")}`];
  return [changeText(finding), advice, ...example, ...used].filter((line) => line !== "").join(" | ");
}

/** Text and attribute values; characters that XML cannot hold are replaced. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
