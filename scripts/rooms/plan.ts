import { readFileSync } from "node:fs";
import { type Import, filesBelow, importsOf } from "./imports.js";
import { circlesOf } from "./order.js";
import { type Building, type Room, buildings } from "./rooms.js";

/** A room with its measured size. */
export interface Measured extends Room {
  readonly files: number;
  readonly lines: number;
}

/** Imports from one room to another. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly imports: readonly Import[];
  /** Why this arrow is forbidden; undefined if it is allowed. */
  readonly fault?: "stands above it" | "stands behind a wall";
}

/** A building with its measured rooms. */
export interface Plan {
  readonly folder: string;
  /** The rooms, the lowest first. */
  readonly rooms: readonly Measured[];
  readonly arrows: readonly Arrow[];
  /** Groups of files that load one another in a circle; imports of types do not count. */
  readonly circles: readonly (readonly string[])[];
  /** Files that belong to no room. */
  readonly homeless: readonly string[];
}

/** Measures every building; the current folder is that of the project. */
export function plans(): Plan[] {
  return buildings.map(planOf);
}

export function planOf({ folder, rooms, walls = [] }: Building): Plan {
  const files = filesBelow(folder);
  const roomOf = new Map(files.map((file) => [file, roomAround(file, folder, rooms)]));
  const imports = importsOf(files);
  return {
    folder,
    rooms: rooms.map((room) => {
      const inside = files.filter((file) => roomOf.get(file) === room);
      return {
        ...room,
        files: inside.length,
        lines: inside.map(linesOf).reduce((sum, lines) => sum + lines, 0),
      };
    }),
    arrows: arrowsBetween({ rooms, walls }, imports, roomOf),
    circles: circlesOf(imports.filter(({ typeOnly }) => !typeOnly)),
    homeless: files.filter((file) => !roomOf.get(file)),
  };
}

/**
 * Returns the room of a file. A room contains all files below its folder; the room of a building's entries
 * contains only the files directly in the building's folder.
 */
function roomAround(file: string, building: string, rooms: readonly Room[]): Room | undefined {
  const isEntry = !file.slice(building.length + 1).includes("/");
  return rooms.find(({ path }) => (path === building ? isEntry : file.startsWith(`${path}/`)));
}

function linesOf(file: string): number {
  return readFileSync(file, "utf8").split("\n").length - 1;
}

function arrowsBetween(
  { rooms, walls }: Required<Pick<Building, "rooms" | "walls">>,
  imports: readonly Import[],
  roomOf: ReadonlyMap<string, Room | undefined>,
): Arrow[] {
  const arrows = new Map<string, Arrow & { readonly imports: Import[] }>();
  for (const one of imports) {
    const [from, to] = [roomOf.get(one.from), roomOf.get(one.to)];
    if (!from || !to || from === to) continue;
    const key = `${from.path} ${to.path}`;
    const isWalled = walls.some((wall) => wall.includes(from.path) && wall.includes(to.path));
    const isUpward = rooms.indexOf(to) > rooms.indexOf(from);
    const fault = isWalled ? "stands behind a wall" : isUpward ? "stands above it" : undefined;
    if (!arrows.has(key))
      arrows.set(key, { from: from.path, to: to.path, imports: [], ...(fault && { fault }) });
    arrows.get(key)!.imports.push(one);
  }
  return [...arrows.values()];
}
