import type { HeaderRule } from "../../generator/model/model.js";
import {
  type Report,
  type ReportedFinding,
  inGroups,
  overviewLines,
} from "../../generator/diff/report/report.js";
import type { ProtocolReport } from "./definitions.js";
import { topicOf, topics } from "./topics.js";

/** The data about two revisions from which the generated parts of the page are written. */
export interface Sources {
  readonly report: Report;
  /** The reports of the new and of the old revision: a name links to the first report that has it. */
  readonly protocols: readonly ProtocolReport[];
  readonly headers: { readonly old: readonly HeaderRule[]; readonly new: readonly HeaderRule[] };
  /** The headings of the page, by anchor. */
  readonly titles: ReadonlyMap<string, string>;
}

/** Returns every block of facts, by the name in its marks in the page. */
export function factsOf(sources: Sources): Map<string, string> {
  const blocks = topics.map(({ id }) => {
    const own = sources.report.findings.filter((finding) => topicOf(finding)?.id === id);
    return [id, (forms[id] ?? tableOf)(own, sources)] as const;
  });
  return new Map([
    [
      "summary",
      overviewLines(sources.report)
        .map((line) => `- ${line}`)
        .join("\n"),
    ],
    ["overview", overview(sources)],
    ["http-headers", headerTable(sources.headers)],
    ...blocks,
  ]);
}

/** Topics whose findings are not shown as a table, because its rows would all be the same. */
const forms: Readonly<Record<string, typeof tableOf>> = {
  deprecated: (findings, sources) => `Deprecated: ${subjects(findings, sources)}.`,
  "only-the-types": countsByRule,
};

/** Returns a table with the number of breaking findings of each topic, for each role. */
function overview({ report, titles }: Sources): string {
  const rows = topics.map(({ id }) => {
    const own = report.findings.filter((finding) => topicOf(finding)?.id === id);
    const count = (role: "client" | "server", level: string): number =>
      own.filter((finding) => finding.level[role] === level).length;
    const cells = (["client", "server"] as const).map((role) => {
      const [breaking, dangerous] = [count(role, "breaking"), count(role, "dangerous")];
      const parts = [breaking > 0 && `${breaking} breaking`, dangerous > 0 && `${dangerous} dangerous`];
      return parts.filter(Boolean).join(", ") || "–";
    });
    return { line: `| [${titles.get(id)}](#${id}) | ${cells.join(" | ")} |`, weight: weightOf(own) };
  });
  const lines = rows.sort((a, b) => b.weight - a.weight).map(({ line }) => line);
  return ["| change | clients | servers |", "|---|---|---|", ...lines].join("\n");
}

/** The sort key of a group of findings: the more breaking ones come first. */
function weightOf(findings: readonly ReportedFinding[]): number {
  const count = (level: string): number => findings.filter(({ worst }) => worst === level).length;
  return 1000 * count("breaking") + count("dangerous");
}

/**
 * Returns a table with a row for each group of findings: the subjects, the level for each role, and the first
 * finding of the group.
 */
function tableOf(findings: readonly ReportedFinding[], sources: Sources): string {
  const rows = inGroups(findings).map((group) => {
    const { rule, level, fingerprint } = group[0]!;
    return `| ${subjects(group, sources)} | \`${rule}\` | ${level.client} | ${level.server} | \`${fingerprint}\` |`;
  });
  return ["| what | rule | client | server | finding |", "|---|---|---|---|---|", ...rows].join("\n");
}

/**
 * Returns the subjects of a group. Findings with the same path are joined: a member of several definitions is
 * named once.
 */
function subjects(group: readonly ReportedFinding[], { protocols }: Sources): string {
  const linked = (name: string): string =>
    protocols.map((each) => each.linkTo(name)).find((link) => link !== undefined) ?? `\`${name}\``;
  const places = new Map<string, string[]>();
  for (const { subject, rule, old, new: next } of group) {
    const isMethod = "method" in subject;
    const name = linked(isMethod ? subject.method : subject.definition);
    const where = isMethod ? ` from ${subject.from}` : "";
    const member = isMethod || subject.path === "" ? "" : `\`${subject.path}\` of `;
    const shapes = shapesText(rule, isMethod, old, next);
    const key = `${member}|${where}${shapes}`;
    places.set(key, [...(places.get(key) ?? []), name]);
  }
  return [...places]
    .map(([key, names]) => {
      const [member, rest] = key.split("|");
      return `${member}${names.join(", ")}${rest}`;
    })
    .join("; ");
}

/** The longest shape, in characters, that a row shows. */
const longest = 40;

/** Returns the old and the new shape, if both are short. */
function shapesText(rule: string, isMethod: boolean, old: string | null, next: string | null): string {
  if (rule === "deprecated-added") return "";
  const alternative = old ?? next;
  if (isMethod) return rule.startsWith("result-") ? `: \`${alternative}\`` : "";
  if ([old, next].some((shape) => (shape?.length ?? 0) > longest)) return "";
  const [before, after] = [old, next].map((shape) =>
    shape === null ? "none" : `\`${shape.replaceAll("|", String.raw`\|`)}\``,
  );
  return `: ${before} → ${after}`;
}

function countsByRule(findings: readonly ReportedFinding[]): string {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const rows = [...counts].map(([rule, count]) => `| \`${rule}\` | ${count} |`);
  return ["| rule | types |", "|---|---|", ...rows].join("\n");
}

/** Returns a table of the headers that the old revision does not have. */
function headerTable({ old, new: next }: Sources["headers"]): string {
  const known = new Set(old.map(({ header, method }) => `${header} ${method}`));
  const rows = next.map(({ header, method, from }) => {
    const since = known.has(`${header} ${method}`) ? "as before" : "new";
    return `| \`${header}\` | ${method === "*" ? "every request" : `\`${method}\``} | ${from === null ? "the negotiated revision" : `\`${from}\``} | ${since} |`;
  });
  return ["| header | on | value | |", "|---|---|---|---|", ...rows].join("\n");
}
