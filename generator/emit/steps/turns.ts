import type { Arm, Change } from "./plan.js";

/** Whether members of the arms change their names or places: which changes apply depends on the value as it came. */
export function hasMoves(arms: readonly Arm[]): boolean {
  return arms.some(({ changes }) => changes.some(({ kind }) => isMade(kind) || isWrap(kind)));
}

/** Members get their names. */
function isMade(kind: Change["kind"]): boolean {
  return kind === "renamed" || kind === "reshaped";
}

function isWrap(kind: Change["kind"]): boolean {
  return kind === "wrapped" || kind === "unwrapped";
}

/**
 * The steps in their order: members are renamed or made after those of all arms are converted, and have their new names
 * after that. They move into a member, or out of it, last.
 */
export function turnsOf(arms: readonly Arm[]): (readonly Arm[])[] {
  if (!hasMoves(arms)) return [arms];
  return [0, 1, 2, 3].map((turn) =>
    arms.map(({ test, changes }) => {
      const names = new Set(changes.flatMap(namesMade));
      return { test, changes: changes.filter((change) => turnOf(change, names) === turn) };
    }),
  );
}

export function namesMade(change: Change): readonly string[] {
  if (change.kind === "reshaped") return change.members.map(([key]) => key);
  return change.kind === "renamed" ? [change.to] : [];
}

function turnOf(change: Change, names: ReadonlySet<string>): number {
  if (isMade(change.kind)) return 1;
  if (isWrap(change.kind)) return 3;
  return (change.kind === "required" || change.kind === "filled") && names.has(change.key) ? 2 : 0;
}
