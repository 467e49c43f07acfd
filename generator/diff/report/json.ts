import type { Report, ReportedFinding } from "./report.js";

/** The report in the format of docs/diff.schema.json. */
export function jsonReport({
  from,
  to,
  role,
  readers,
  findings,
  summary,
  notes,
  isPartial,
  code,
}: Report): Readonly<Record<string, unknown>> {
  return {
    from,
    to,
    role,
    readers,
    findings: findings.map(jsonFinding),
    summary,
    notes,
    ...(isPartial && { partial: true }),
    ...(code && { code }),
  };
}

function jsonFinding(finding: ReportedFinding): Readonly<Record<string, unknown>> {
  const { pointers: _pointers, worst: _worst, ...rest } = finding;
  const {
    rule,
    level,
    source,
    subject,
    methods,
    writers,
    group,
    old,
    new: next,
    why,
    advice,
    ...more
  } = rest;
  const { counterexample, demoted, approval, known, at, fails, fingerprint, uses } = more;
  return {
    rule,
    level,
    source,
    subject,
    methods,
    writers,
    group,
    old,
    new: next,
    why,
    advice,
    ...(counterexample && { counterexample }),
    ...(demoted !== undefined && { demoted }),
    at,
    fingerprint,
    ...(approval && { approval }),
    ...(known && { known }),
    fails,
    ...(uses && { uses }),
  };
}
