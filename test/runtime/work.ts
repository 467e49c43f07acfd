/** Methods of arrays that look at one element after another. */
const searching = ["includes", "indexOf", "lastIndexOf", "find", "findIndex", "some", "every"] as const;

/** Elements of arrays that are searched through while `run` runs, at most: a count in place of a time. */
export function searchedIn(run: () => void): number {
  let elements = 0;
  const prototype = Array.prototype as unknown as Record<
    string,
    (this: unknown[], ...given: never[]) => unknown
  >;
  const originals = searching.map((name) => [name, prototype[name]!] as const);
  for (const [name, original] of originals)
    prototype[name] = function (...given) {
      elements += this.length;
      return original.apply(this, given);
    };
  try {
    run();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return elements;
}
