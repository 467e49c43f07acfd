import { naturalCompare } from "@mcpgen/engine";
import type { Lock } from "./lock.js";
import { isDate } from "../notes/revision-name.js";

/**
 * The revision that a new one called `name` is compared with: the newest released one before it; where none
 * is released, the newest of all others. Dates are in natural order; any other name is newer than every date.
 */
export function revisionBefore(lock: Lock, name: string | undefined): string | undefined {
  const others = [...lock].filter(([other]) => other !== name);
  const earlier =
    name !== undefined && isDate(name)
      ? others.filter(([other]) => isDate(other) && naturalCompare(other, name) < 0)
      : others;
  const released = (earlier.length > 0 ? earlier : others).filter(([, { status }]) => status === "released");
  return (released.at(-1) ?? others.at(-1))?.[0];
}
