import type { Plan } from "./plan.js";

/**
 * Prints the rooms of every building from the highest to the lowest, with the rooms that each imports from;
 * then the faults.
 */
export function planText(plans: readonly Plan[]): string {
  return `${plans.map(buildingText).join("\n\n")}\n`;
}

function buildingText({ folder, rooms, arrows, circles, homeless }: Plan): string {
  const width = Math.max(...rooms.map(({ path }) => path.length));
  const lines = rooms.toReversed().flatMap(({ path, holds, files, lines }) => {
    const below = arrows.filter(({ from }) => from === path);
    const names = below.map(({ to, imports }) => `${nameIn(folder, to)} ${imports.length}`);
    return [
      `${path.padEnd(width)} ${count(files, "file").padStart(10)} ${String(lines).padStart(6)} lines   ${holds}`,
      ...(names.length > 0 ? [`${" ".repeat(4)}↓ ${names.join(", ")}`] : []),
    ];
  });
  const total = rooms.reduce((sum, { files, lines }) => [sum[0]! + files, sum[1]! + lines], [0, 0]);
  const faults = faultsOf({ arrows, circles, homeless });
  return [
    `${folder}: ${count(total[0]!, "file")}, ${total[1]} lines; ${count(faults.length, "fault")}`,
    ...lines,
    ...faults.map((fault) => `FAULT ${fault}`),
  ].join("\n");
}

/** Prints one line for each fault: imports that run upwards, circles, files without a room. */
export function faultsOf({
  arrows,
  circles,
  homeless,
}: Pick<Plan, "arrows" | "circles" | "homeless">): string[] {
  return [
    ...arrows.flatMap(({ imports, fault }) =>
      fault === undefined ? [] : imports.map(({ from, to }) => `${from} imports ${to}, which ${fault}`),
    ),
    ...circles.map((files) => `these files load one another in a circle: ${files.join(", ")}`),
    ...homeless.map((file) => `${file} stands in no room (scripts/rooms/rooms.ts)`),
  ];
}

/** The name of a room inside its building; `.` for the room of the entries. */
export function nameIn(building: string, path: string): string {
  return path === building ? "." : path.slice(building.length + 1);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
