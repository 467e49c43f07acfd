import type { Report, ReportedFinding } from "./report.js";

type Json = Readonly<Record<string, unknown>>;

/** The report in the format of docs/diff.schema.json. */
export function jsonReport(report: Report): Json {
  const { from, to, role, readers, findings, summary, notes, isPartial, code } = report;
  return {
    ...{ from, to, role, readers },
    findings: findings.map(jsonFinding),
    ...{ summary, notes },
    ...(isPartial && { partial: true }),
    ...(code && { code }),
  };
}

/** The members of a finding in a report, in their order. */
const ofFinding: readonly (keyof ReportedFinding)[] = [
  ...(["rule", "level", "source", "subject", "methods", "writers", "group", "old", "new", "why"] as const),
  ...(["advice", "counterexample", "demoted", "at", "fingerprint", "approval", "known", "fails"] as const),
  "uses",
];

function jsonFinding(finding: ReportedFinding): Json {
  return Object.fromEntries(
    ofFinding.flatMap((key) => (finding[key] === undefined ? [] : [[key, finding[key]]])),
  );
}
