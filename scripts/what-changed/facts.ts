import type { HeaderRule } from "../../generator/model/model.js";
import { type Report, type ReportedFinding, overviewLines } from "../../generator/diff/report/report.js";
import { topicOf, topics } from "./topics.js";

/** The data about two revisions from which the generated parts of the page are written. */
export interface Sources {
  readonly report: Report;
  readonly headers: { readonly old: readonly HeaderRule[]; readonly new: readonly HeaderRule[] };
  /** The headings of the page, by anchor. */
  readonly titles: ReadonlyMap<string, string>;
}

/** Returns every block of facts, by the name in its marks in the page. */
export function factsOf(sources: Sources): Map<string, string> {
  const { report } = sources;
  return new Map([
    [
      "summary",
      overviewLines(report)
        .map((line) => `- ${line}`)
        .join("\n"),
    ],
    ["overview", overview(sources)],
    ["http-headers", headerTable(sources.headers)],
    ["deprecated", deprecated(findingsOf(report, "deprecated"))],
    ["only-the-types", countsByRule(findingsOf(report, "only-the-types"))],
  ]);
}

/** Returns the findings that the page explains under the heading with this anchor. */
export function findingsOf({ findings }: Report, topic: string): ReportedFinding[] {
  return findings.filter((finding) => topicOf(finding)?.id === topic);
}

/**
 * Returns the name that the text of the page says for a finding: a method, or the last part of the path of a
 * member; undefined for a whole definition.
 */
export function nameIn({ subject }: ReportedFinding): string | undefined {
  return "method" in subject ? subject.method : /[^./]*$/.exec(subject.path)![0] || undefined;
}

/** Returns a table with the numbers of findings of each topic that has any, for each role. */
function overview({ report, titles }: Sources): string {
  const rows = topics.map(({ id }) => {
    const own = findingsOf(report, id);
    const counts = (["client", "server"] as const).flatMap((role) =>
      ["breaking", "dangerous"].map((level) => own.filter((finding) => finding.level[role] === level).length),
    );
    const cells = counts.map((count) => count || "");
    return { line: `|[${titles.get(id)}](#${id})|${cells.join("|")}|`, weight: weightOf(own) };
  });
  const lines = rows
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ line }) => line);
  const head = "|change|clients: breaking|dangerous|servers: breaking|dangerous|";
  return [head, "|-|-:|-:|-:|-:|", ...lines].join("\n");
}

/** The sort key of a group of findings: the more breaking ones come first. */
function weightOf(findings: readonly ReportedFinding[]): number {
  const count = (level: string): number => findings.filter(({ worst }) => worst === level).length;
  return 1000 * count("breaking") + count("dangerous");
}

/** Returns the deprecated methods and members; the types that belong to them are left out. */
function deprecated(findings: readonly ReportedFinding[]): string {
  const names = new Set(findings.flatMap((finding) => nameIn(finding) ?? []));
  return `Deprecated: ${[...names].map((name) => `\`${name}\``).join(", ")}.`;
}

function countsByRule(findings: readonly ReportedFinding[]): string {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return `${[...counts].map(([rule, count]) => `\`${rule}\`: ${count}`).join(", ")}.`;
}

/** Returns a table of the headers that the old revision does not have. */
function headerTable({ old, new: next }: Sources["headers"]): string {
  const known = new Set(old.map(({ header, method }) => `${header} ${method}`));
  const rows = next.map(({ header, method, from }) => {
    const since = known.has(`${header} ${method}`) ? "as before" : "new";
    return `|\`${header}\`|${method === "*" ? "every request" : `\`${method}\``}|${from === null ? "the negotiated revision" : `\`${from}\``}|${since}|`;
  });
  return ["|header|on|value||", "|-|-|-|-|", ...rows].join("\n");
}
