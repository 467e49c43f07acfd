import { type JsonValue, pointer } from "@mcpgen/engine";

/** Levels that a contract may have: more than any schema that values can be judged by, and few enough to recurse over. */
export const mostLevels = 1000;

/** JSON Pointer of the first value that stands deeper than `mostLevels`; as deep as it goes, without recursion. */
export function tooDeep(value: JsonValue): string | undefined {
  let level: [at: string, value: JsonValue][] = [["", value]];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostLevels) return level[0]![0];
    const below: typeof level = [];
    for (const [at, each] of level)
      if (typeof each === "object" && each !== null)
        for (const [key, member] of Object.entries(each))
          if (typeof member === "object" && member !== null) below.push([pointer(at, key), member]);
    level = below;
  }
  return undefined;
}
