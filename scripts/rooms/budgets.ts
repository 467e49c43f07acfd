import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "../gate/changes.js";
import { type Figure, figures, structure } from "./figures.js";

/** A raise of a bar that an issue allows. */
interface Grant {
  readonly issue: string;
  readonly more: number;
  readonly reason: string;
}

interface Budget {
  /** The best figure that was recorded. */
  readonly figure: number;
  readonly granted?: readonly Grant[];
}

export type Budgets = { readonly [key: string]: Budget };

const file = "bench/budgets.json";

/**
 * Prints every bar, then each figure that is over its budget, and each better figure that is not recorded.
 * Returns whether there are no such figures.
 */
export function checkBudgets(): boolean {
  const measured = figures();
  const budgets = readBudgets();
  console.log(table(measured, budgets));
  const findings = findingsOf(measured, budgets, placesBefore);
  for (const finding of findings) console.error(finding);
  return findings.length === 0;
}

/** Records the figures that are better than before, and the figures of new bars. */
export function writeBudgets(): void {
  const budgets = readBudgets();
  const entries = figures().map(({ key, value }) => {
    const { figure = value, ...rest } = budgets[key] ?? {};
    return [key, { figure: Math.min(figure, value), ...rest }];
  });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
}

/**
 * Returns a text for each bar that does not hold, with the places whose count exceeds the count in `before`.
 *
 * @param before returns the places of a bar at the commit that recorded its figure; undefined if they are
 * unknown
 */
export function findingsOf(
  measured: readonly Figure[],
  budgets: Budgets,
  before: (key: string) => Figure["places"] | undefined,
): string[] {
  return measured.flatMap((figure) => {
    const { key, title, value, tolerance, owner } = figure;
    const budget = budgets[key];
    if (!budget) return [`${key}: ${file} has no figure for it. Run: npm run rooms -- --write`];
    const allowed = allowedBy(budget);
    if (value < budget.figure - tolerance)
      return [`${key}: ${value} is better than ${budget.figure}. Write it down: npm run rooms -- --write`];
    if (value <= allowed + tolerance) return [];
    return [
      [
        `${key}: ${title}: ${value}, ${value - allowed} more than the budget of ${allowed}${tolerated(tolerance)}.`,
        ...grown(figure.places, before(key)).map((place) => `  ${place}`),
        `  Use ${owner}.`,
        `  If an issue needs more: "granted": [{ "issue", "more", "reason" }] of this bar in ${file}.`,
      ].join("\n"),
    ];
  });
}

function tolerated(tolerance: number): string {
  return tolerance > 0 ? `, of which ${tolerance} are tolerated` : "";
}

function allowedBy({ figure, granted = [] }: Budget): number {
  return granted.reduce((sum, { more }) => sum + more, figure);
}

/** Returns the places whose count has grown, the largest growth first; all places if nothing is known. */
function grown(places: Figure["places"], before: Figure["places"] = new Map()): string[] {
  const most = 12;
  const rows = [...places]
    .map(([place, count]) => ({ place, more: count - (before.get(place) ?? 0) }))
    .filter(({ more }) => more > 0)
    .toSorted((one, other) => other.more - one.more || (one.place < other.place ? -1 : 1));
  const shown = rows.slice(0, most).map(({ place, more }) => `${place}: ${more} more`);
  return rows.length > most ? [...shown, `and ${rows.length - most} places`] : shown;
}

let known: ReadonlyMap<string, Figure["places"]> | undefined;

/**
 * Returns the places at the newest commit that changed the budgets; undefined for bars that depend on more
 * than source files.
 */
function placesBefore(key: string): Figure["places"] | undefined {
  known ??= new Map(figuresBefore().map((figure) => [figure.key, figure.places]));
  return known.get(key);
}

function figuresBefore(): Figure[] {
  const commit = git(".", "log", "-1", "--format=%H", "--", file).trim();
  if (commit === "") return [];
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-rooms-"));
  try {
    const tree = join(folder, "tree.tar");
    git(".", "archive", "-o", tree, commit, "engine", "generator", "runtime");
    execFileSync("tar", ["-xf", tree, "-C", folder]);
    return structure(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readBudgets(): Budgets {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Budgets) : {};
}

function table(measured: readonly Figure[], budgets: Budgets): string {
  const rows = measured.map(({ key, title, value, tolerance, goal }) => {
    const budget = budgets[key];
    return [
      key,
      String(value),
      budget ? String(allowedBy(budget)) : "",
      `±${tolerance}`,
      String(goal),
      title,
    ];
  });
  const all = [["bar", "now", "budget", "tolerance", "goal", "counts"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map(([key, ...cells]) =>
      [key!.padEnd(widths[0]!), ...cells.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join("  "),
    )
    .join("\n");
}
