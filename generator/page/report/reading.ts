import { subjectText } from "../../diff/finding.js";
import {
  type Report,
  type ReportedFinding,
  hit,
  overviewLines,
  summaryText,
  codeText,
  placeText,
} from "../../diff/report/report.js";
import type { Level } from "../../diff/rules/rule.js";
import { anchor } from "../html.js";
import type { Badge, Entry, Fact, Figure, Filter, Part, Reading, Section, Span } from "../reading.js";

/** The content of a report page for `diff` or `check --server`, most severe findings first. */
export function reportReading(report: Report, more: readonly string[] = []): Reading {
  const { from, to, findings, notes } = report;
  return {
    title: `${from} → ${to}`,
    lead: leadOf(report),
    figures: figuresOf(report),
    facts: [
      { name: "Old", value: [{ code: from }] },
      { name: "New", value: [{ code: to }] },
      { name: "Judged for", value: [report.role === "both" ? "clients and servers" : `${report.role}s`] },
      { name: "Readers", value: [readersText[report.readers]] },
    ],
    filters: filtersOf(report),
    sections: sectionsOf(findings, report),
    notes: [...more, ...notes],
  };
}

const readersText = {
  open: "open: they accept values that they do not know",
  closed: "closed: they refuse values that they do not know",
} as const;

/** The introduction; the figures state the rest. */
function leadOf(report: Report): string {
  if (report.findings.length === 0) return `${summaryText(report)}.`;
  const code = codeText(report);
  return [...overviewLines(report), ...(code === undefined ? [] : [`${code}.`])].join("\n");
}

function figuresOf({ findings, summary }: Report): Figure[] {
  if (findings.length === 0) return [];
  const source = findings.filter((finding) => finding.source === "breaking").length;
  return [
    ...(["breaking", "dangerous", "safe"] as const).map((kind) => ({
      ...{ count: summary[kind], label: kind, kind },
    })),
    ...(source > 0 ? [{ count: source, label: "break types", kind: "warning" as const }] : []),
  ];
}

/** The order of sections: worst level first, and findings for both roles before those for one. */
const headings: readonly (readonly [level: Level, hit: string, title: string])[] = [
  ["breaking", "both", "Breaks clients and servers"],
  ["breaking", "client", "Breaks clients"],
  ["breaking", "server", "Breaks servers"],
  ["dangerous", "both", "Dangerous for clients and servers"],
  ["dangerous", "client", "Dangerous for clients"],
  ["dangerous", "server", "Dangerous for servers"],
];

function sectionsOf(findings: readonly ReportedFinding[], report: Report): Section[] {
  const sections = headings.map(([level, roles, title]) => ({
    ...{ id: `${level}-${roles}`, title },
    entries: findings
      .filter((finding) => finding.worst === level && rolesHit(finding, report) === roles)
      .map((finding) => findingEntry(finding, report)),
  }));
  const safe = findings.filter(({ worst }) => worst === "safe");
  return [
    ...sections,
    { id: "safe", title: "Safe", entries: safe.map((finding) => findingEntry(finding, report)) },
  ].filter(({ entries }) => entries.length > 0);
}

/** The affected roles; with `--role`, only that role. */
function rolesHit(finding: ReportedFinding, { role }: Report): string {
  return role === "both" ? hit(finding, finding.worst) : role;
}

function findingEntry(finding: ReportedFinding, report: Report): Entry {
  const { fingerprint, worst, subject, why, advice, level, methods, uses = [] } = finding;
  return {
    id: anchor("finding", fingerprint),
    name: subjectText(subject),
    closed: worst === "safe",
    kind: worst,
    badges: badgesOf(finding),
    lead: why,
    facts: factsOf(finding),
    parts: sidesOf(finding, report),
    footnotes: footnotesOf(finding),
    ...(advice !== "" && { remarks: [{ kind: "advice", text: advice }] }),
    values: {
      level: [worst],
      role: (["client", "server"] as const).filter((role) => level[role] !== "safe"),
      method: methods.map(token),
      used: uses.length > 0 ? ["yes"] : [],
    },
  };
}

function badgesOf({ rule, level, source, approval, known }: ReportedFinding): Badge[] {
  return [
    { text: rule },
    ...(["client", "server"] as const).map((role) => ({
      text: `${role}: ${level[role]}`,
      kind: level[role],
    })),
    ...(source === "breaking" ? [{ text: "types break", kind: "warning" as const }] : []),
    ...(approval ? [{ text: "approved", kind: "safe" as const }] : []),
    ...(known ? [{ text: "in the baseline" }] : []),
  ];
}

function list(texts: readonly string[]): Span[] {
  return texts.flatMap((text, index): Span[] => (index === 0 ? [{ code: text }] : [", ", { code: text }]));
}

function factsOf({ methods, uses = [], demoted, approval }: ReportedFinding): Fact[] {
  return [
    ...(methods.length > 0 ? [{ name: "Methods", value: list(methods) }] : []),
    ...(uses.length > 0 ? [{ name: "Used at", value: list(uses.map(placeText)) }] : []),
    ...(demoted === undefined ? [] : [{ name: "Not breaking", value: [demoted] }]),
    ...(approval ? [{ name: "Approved", value: [approval.reason] }] : []),
  ];
}

function footnotesOf({ at, fingerprint }: ReportedFinding): Fact[] {
  const places = [at.old, at.new].flatMap((place) => (place ? [`${place.file}:${place.line}`] : []));
  return [
    ...(places.length > 0 ? [{ name: "At", value: list(places) }] : []),
    { name: "Fingerprint", value: [{ code: fingerprint }] },
  ];
}

/** Both shapes, and how each side validates the message that proves the difference. */
function sidesOf({ old, new: next, counterexample }: ReportedFinding, { from, to }: Report): Part[] {
  if (old === null && next === null && !counterexample) return [];
  const verdict = (valid: boolean | undefined): { verdict?: Badge } =>
    valid === undefined
      ? {}
      : { verdict: valid ? { text: "accepts it", kind: "safe" } : { text: "refuses it", kind: "breaking" } };
  return [
    {
      title: counterexample ? "Old and new, with a message that proves it" : "Old and new",
      ...{ open: true, kind: "sides" },
      sides: [
        { title: from, shape: old, ...verdict(counterexample?.valid.old) },
        { title: to, shape: next, ...verdict(counterexample?.valid.new) },
      ],
      ...(counterexample && { value: counterexample.value }),
    },
  ];
}

function filtersOf({ findings, code, role }: Report): Filter[] {
  const methods = [...new Set(findings.flatMap((finding) => finding.methods))].sort();
  return [
    ...(role === "both"
      ? [
          {
            name: "role",
            label: "Role",
            values: [
              ["client", "client"],
              ["server", "server"],
            ] as const,
          },
        ]
      : []),
    {
      name: "level",
      label: "Level",
      values: (["breaking", "dangerous", "safe"] as const).map((level) => [level, level] as const),
    },
    ...(methods.length > 1
      ? [
          {
            name: "method",
            label: "Method",
            values: methods.map((method) => [token(method), method] as const),
          },
        ]
      : []),
    ...(code ? [{ name: "used", label: "only used", values: [["yes", "yes"]] as const }] : []),
  ];
}

/** A name without spaces, because spaces separate filter values. */
function token(name: string): string {
  return anchor("m", name);
}
