import { escapeToken, pointerTokens } from "@mcpgen/engine";
import { positionOf } from "./positions.js";

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A container that is open; without a pointer where it stands too deep to be remembered. */
interface Open {
  readonly pointer: string | undefined;
  readonly isArray: boolean;
  /** The key of its next value: items are counted; a member's key is not read yet. */
  name: string | number | undefined;
}

/** Indexed levels. Texts may be nested deeper; each lookup below this level searches again. */
const deepest = 64;

/** One search is fast; the index pays off only for repeated lookups. */
const seldom = 16;

/** As `positionOf`, for many lookups in one JSON text. */
export function positionsIn(text: string): (pointer: string) => Position {
  let asked = 0;
  let index: ((pointer: string) => Position | undefined) | undefined;
  return (pointer) => {
    if (++asked <= seldom) return positionOf(text, pointer);
    index ??= indexOf(text);
    return index(pointer) ?? positionOf(text, pointer);
  };
}

function indexOf(text: string): (pointer: string) => Position | undefined {
  const offsets = offsetsIn(text);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (pointer) => {
    if (pointerTokens(pointer).length > deepest) return undefined;
    let nearest = pointer;
    while (!offsets.has(nearest) && nearest !== "") nearest = nearest.slice(0, nearest.lastIndexOf("/"));
    const offset = offsets.get(nearest);
    return offset === undefined ? undefined : positionAt(starts, offset);
  };
}

function positionAt(starts: readonly number[], offset: number): Position {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}

/** The tokens of JSON text: strings, signs, and all else between them. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The places of all values that are not too deep, by pointer. */
function offsetsIn(text: string): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const open: Open[] = [];
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const around = open.at(-1);
    if (token === "}" || token === "]") open.pop();
    else if (token === ",") around!.name = around!.isArray ? Number(around!.name) + 1 : undefined;
    else if (token === ":") continue;
    else if (around && around.name === undefined) around.name = JSON.parse(token) as string;
    else {
      const pointer = pointerIn(around);
      if (pointer !== undefined) offsets.set(pointer, index);
      if (token !== "{" && token !== "[") continue;
      const isArray = token === "[";
      open.push({
        pointer: open.length < deepest ? pointer : undefined,
        isArray,
        name: isArray ? 0 : undefined,
      });
    }
  }
  return offsets;
}

function pointerIn(around: Open | undefined): string | undefined {
  if (!around) return "";
  return around.pointer === undefined ? undefined : `${around.pointer}/${escapeToken(String(around.name))}`;
}
