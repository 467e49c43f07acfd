import type { Level } from "../rules/rule.js";
import type { Report } from "./report.js";
import { codeText } from "./with-uses.js";

/** One line that sums a report up. */
export function summaryText(report: Report): string {
  const { from, to, summary, findings } = report;
  const { breaking, dangerous, safe } = summary;
  const uses = codeText(report);
  const touched = uses === undefined ? "" : `; ${uses}`;
  if (findings.length === 0)
    return `${from} → ${to}: ${report.code?.unused ? "nothing that touches the code" : noDifference(report)}${touched}`;
  const source = findings.filter((finding) => finding.source === "breaking").length;
  const code = source === 0 ? "" : `; code written against the types meets ${source} of them`;
  return `${from} → ${to}: ${breaking} breaking, ${dangerous} dangerous, ${safe} safe${code}${touched}`;
}

/** The verdict on two sides without findings. */
export function noDifference({ isPartial }: Pick<Report, "isPartial">): string {
  return isPartial ? "no difference in what both list" : "no differences";
}

/** The effects on each side, a line for each side that has any. */
export function overviewLines({ from, to, role, findings }: Report): string[] {
  const roles = role === "both" ? (["client", "server"] as const) : [role];
  return roles.flatMap((each) => {
    const count = (level: Level): number =>
      findings.filter((finding) => finding.level[each] === level).length;
    const [breaking, dangerous] = [count("breaking"), count("dangerous")];
    if (breaking + dangerous === 0) return [];
    const peer = each === "client" ? "server" : "client";
    const counts = [
      ...(breaking > 0 ? [`${breaking} breaking`] : []),
      ...(dangerous > 0 ? [`${dangerous} dangerous`] : []),
    ].join(" and ");
    const noun = breaking + dangerous === 1 ? "change" : "changes";
    return [`A ${each} of ${from} meets ${counts} ${noun} when its ${peer} moves to ${to}.`];
  });
}
