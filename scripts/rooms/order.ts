import type { Import } from "./imports.js";

type Arrow = Pick<Import, "from" | "to">;

/** The strongly connected components of more than one file (Tarjan). */
export function circlesOf(imports: readonly Arrow[]): string[][] {
  const next = grouped(imports);
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    const own = index.size;
    index.set(file, own);
    lowest.set(file, own);
    open.push(file);
    for (const to of next.get(file) ?? []) {
      if (!index.has(to)) visit(to);
      if (open.includes(to)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(to)!));
    }
    if (lowest.get(file) !== own) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) circles.push(circle.toSorted());
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return circles;
}

/**
 * Orders the files of each circle so that few imports run upwards (Eades, Lin and Smyth 1993), and returns
 * the imports that do. Files outside of circles can be ordered without such imports.
 */
export function upwardsOf(imports: readonly Arrow[]): Arrow[] {
  return circlesOf(imports).flatMap((circle) => {
    const inside = imports.filter(({ from, to }) => circle.includes(from) && circle.includes(to));
    const place = new Map(topDown(circle, inside).map((file, index) => [file, index]));
    const pairs = new Map(inside.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow]));
    return [...pairs.values()].filter(({ from, to }) => place.get(from)! > place.get(to)!);
  });
}

/** Orders the files so that those that import come before those that they import. */
function topDown(files: readonly string[], arrows: readonly Arrow[]): string[] {
  const left = new Set(files);
  const top: string[] = [];
  const bottom: string[] = [];
  const degree = (file: string): { out: number; into: number } => {
    const open = arrows.filter(({ from, to }) => from !== to && left.has(from) && left.has(to));
    return {
      out: new Set(open.filter(({ from }) => from === file).map(({ to }) => to)).size,
      into: new Set(open.filter(({ to }) => to === file).map(({ from }) => from)).size,
    };
  };
  while (left.size > 0) {
    const all = [...left].map((file) => ({ file, ...degree(file) }));
    const sink = all.find(({ out }) => out === 0);
    const source = all.find(({ into }) => into === 0);
    const most = all.reduce((best, one) => (one.out - one.into > best.out - best.into ? one : best));
    const { file } = sink ?? source ?? most;
    left.delete(file);
    if (sink) bottom.unshift(file);
    else top.push(file);
  }
  return [...top, ...bottom];
}

function grouped(imports: readonly Arrow[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { from, to } of imports) {
    const group = groups.get(from);
    if (group) group.push(to);
    else groups.set(from, [to]);
  }
  return groups;
}
