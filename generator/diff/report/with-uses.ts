import type { CodeUses, Use } from "../uses/use.js";
import { type Report, type ReportedFinding, summaryOf } from "./report.js";

/**
 * The report with the places of a code base that its findings affect.
 *
 * @param path the folder or tsconfig file of the code, as the report prints it
 * @param onlyUsed whether findings without such a place are left out
 */
export function withUses(
  report: Report,
  { uses, files, byName }: CodeUses,
  { path, onlyUsed }: { readonly path: string; readonly onlyUsed: boolean },
): Report {
  const all = report.findings.map((finding, index) => ({ ...finding, uses: uses[index]! }));
  const used = all.filter((finding) => finding.uses.length > 0);
  const findings = onlyUsed ? used : all;
  const code = { path, files, unused: all.length - used.length, byName: byName.length, onlyUsed };
  return { ...report, findings, summary: summaryOf(findings), code };
}

/** The uses of a group of findings, each once. */
export function usesOf(group: readonly ReportedFinding[]): Use[] {
  const places = new Map(group.flatMap(({ uses = [] }) => uses.map((use) => [placeText(use), use] as const)));
  return [...places.values()];
}

export function placeText({ file, line, column }: Use): string {
  return `${file}:${line}:${column}`;
}

/** One line: how many places the findings affect, and how many findings affect none. `undefined` if no code was read. */
export function codeText({ code, findings }: Report): string | undefined {
  if (!code) return undefined;
  const { unused, path, onlyUsed, byName } = code;
  const unknown = byName === 0 ? "" : `; in ${byName} ${byName === 1 ? "file" : "files"} names alone decide`;
  const left = `${unused} ${unused === 1 ? "finding touches" : "findings touch"} nothing in ${path}${unknown}`;
  if (onlyUsed) return `${left}${unused === 0 ? "" : ", and left out"}`;
  const places = usesOf(findings).length;
  return places === 0
    ? left
    : `${places} ${places === 1 ? "place" : "places"} in ${path} to look at; ${left}`;
}
