import { changeText, subjectText } from "../finding.js";
import type { Level } from "../rules/rule.js";
import { ruleTable } from "../rules/table.js";
import type { Use } from "../uses/targets.js";
import { type FilePlace, type Report, type ReportedFinding, noDifference, placeText } from "./report.js";

type Json = Readonly<Record<string, unknown>>;

const levels: { readonly [L in Level]: string } = { breaking: "error", dangerous: "warning", safe: "note" };

/**
 * The report in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS), for code scanning.
 * Approved findings are `suppressed`. Findings of the baseline have the state `unchanged`.
 *
 * @param version version of mcpgen
 */
export function sarifReport(report: Report, version: string): Json {
  const { findings } = report;
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const hasBaseline = findings.some(({ known }) => known);
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "mcpgen", semanticVersion: version, rules: rules.map(descriptor) } },
        columnKind: "utf16CodeUnits",
        automationDetails: { id: `mcpgen diff/${report.from}/${report.to}` },
        results: findings.map((finding) => ({
          ...result(finding, rules.indexOf(finding.rule)),
          ...(hasBaseline && { baselineState: finding.known ? "unchanged" : "new" }),
        })),
      },
    ],
  };
}

function descriptor(id: string): Json {
  const { reason, advice } = ruleTable.find((rule) => rule.id === id)!;
  return { id, shortDescription: { text: reason }, help: { text: advice } };
}

function result(finding: ReportedFinding, ruleIndex: number): Json {
  const { rule, worst, subject, why, advice, at, fingerprint, approval } = finding;
  const { level, source, methods, counterexample } = finding;
  const change = changeText(finding);
  const place = at.new ?? at.old;
  const { uses = [] } = finding;
  // The result is placed at each use in code that must change; the schema's change is a related location.
  const related = [
    ...(place && uses.length > 0 ? [{ ...location(place), message: { text: "the change" } }] : []),
    ...(at.new && at.old ? [{ ...location(at.old), message: { text: "before" } }] : []),
  ];
  return {
    ruleId: rule,
    ruleIndex,
    level: levels[worst],
    message: { text: `${subjectText(subject)}${change === "" ? "" : `: ${change}`}. ${why} ${advice}` },
    ...(uses.length > 0 ? { locations: uses.map(location) } : place && { locations: [location(place)] }),
    ...(related.length > 0 && { relatedLocations: related }),
    partialFingerprints: { "mcpgenDiff/v1": fingerprint },
    ...(approval && { suppressions: [{ kind: "external", justification: approval.reason }] }),
    properties: {
      ...level,
      source,
      methods,
      ...(counterexample && { counterexample: counterexample.value }),
    },
  };
}

function location(place: FilePlace | Use): Json {
  const { file, line } = place;
  const columns = "column" in place && {
    startColumn: place.column,
    endColumn: place.column + place.name.length,
  };
  return {
    physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line, ...columns } },
  };
}

/** A path as a URI reference; URLs are unchanged. */
function uriOf(file: string): string {
  if (/^https?:\/\//i.test(file)) return file;
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${path}` : path;
}

/**
 * The report as JUnit XML: a test case for each finding, which fails if the finding does. Approved findings
 * are skipped tests.
 */
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

/** Escapes text and attribute values, and replaces characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
