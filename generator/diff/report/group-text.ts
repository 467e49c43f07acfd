import { subjectText } from "../finding.js";
import type { ReportedFinding } from "./report.js";

/** The subjects of a group of findings, with their common part once: `ttlMs in ListToolsResult, …`. */
export function subjectsText(group: readonly ReportedFinding[]): string {
  const subjects = group.map(({ subject }) => subject);
  if (group.length === 1) return subjectText(subjects[0]!);
  if (subjects.every((subject) => "method" in subject)) {
    const senders = new Set(subjects.map(({ from }) => from));
    if (senders.size === 1) return `${listed(subjects.map(({ method }) => method))} from ${[...senders][0]}`;
  }
  const arms = subjects.flatMap((subject) => ("method" in subject ? [] : (subject.member ?? [])));
  if (arms.length === group.length) {
    const places = distinct(subjects.map(placeOf));
    if (places.length === 1) return `${places[0]} (${listed(arms)})`;
  }
  const members = subjects.map((subject) =>
    "method" in subject || subject.path === "" || subject.member !== undefined ? undefined : subject,
  );
  if (members.every((member) => member !== undefined)) {
    const paths = distinct(members.map(({ path }) => path));
    const definitions = distinct(members.map(({ definition }) => definition));
    if (paths.length * definitions.length === group.length && !definitions.includes(""))
      return `${listed(paths)} in ${listed(definitions)}`;
  }
  return listed(subjects.map(subjectText));
}

/** The subject without the arm of it. */
function placeOf(subject: ReportedFinding["subject"]): string {
  if ("method" in subject) return subjectText(subject);
  return subjectText({ definition: subject.definition, path: subject.path });
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function listed(texts: readonly string[]): string {
  return distinct(texts).join(", ");
}

/** The old and the new shape, if all of a group share them and the subject does not name them. */
export function sharedShapes(
  group: readonly ReportedFinding[],
): { readonly old: string | null; readonly new: string | null } | undefined {
  const { old, new: next, subject } = group[0]!;
  if ("member" in subject && subject.member === (old ?? next)) return undefined;
  return group.every((finding) => finding.old === old && finding.new === next)
    ? { old, new: next }
    : undefined;
}
