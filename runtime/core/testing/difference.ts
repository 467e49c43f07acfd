import { isObject } from "../jsonrpc/message.js";

/** The first place where two values of JSON are not the same. */
export interface Difference {
  readonly pointer: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/**
 * Compares values of JSON, whatever the order of members.
 *
 * @param differing told of each two strings that differ; returns whether that is to be expected
 */
export function firstDifference(
  expected: unknown,
  got: unknown,
  differing: (member: string, expected: string, got: string) => boolean,
  pointer = "",
): Difference | undefined {
  if (Object.is(expected, got)) return undefined;
  if (Array.isArray(expected) && Array.isArray(got))
    return firstOf(indices(expected, got), expected as never, got as never, differing, pointer);
  if (isObject(expected) && isObject(got))
    return firstOf(Object.keys({ ...expected, ...got }), expected, got, differing, pointer);
  const member = pointer.slice(pointer.lastIndexOf("/") + 1);
  if (typeof expected === "string" && typeof got === "string" && differing(member, expected, got))
    return undefined;
  return { pointer, expected, got };
}

function firstOf(
  keys: Iterable<string>,
  expected: Record<string, unknown>,
  got: Record<string, unknown>,
  differing: (member: string, expected: string, got: string) => boolean,
  pointer: string,
): Difference | undefined {
  for (const key of keys) {
    const place = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const difference = firstDifference(expected[key], got[key], differing, place);
    if (difference) return difference;
  }
  return undefined;
}

function indices(one: readonly unknown[], other: readonly unknown[]): string[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => String(index));
}
