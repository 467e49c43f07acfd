import fc from "fast-check";

/** The parts of patterns. */
interface Parts {
  /** Atoms and boundaries. */
  readonly atoms: fc.Arbitrary<string>;
  /** Lookaround, if there is to be some: `?=`, `?!`, `?<=`, `?<!`. */
  readonly looks?: readonly string[];
  /** Whether groups capture, and backreferences refer to them. */
  readonly captures?: boolean;
}

/** Random patterns, which `new RegExp(pattern, "u")` takes. */
export function patternsOf({ atoms, looks = [], captures = false }: Parts): fc.Arbitrary<string> {
  const opening = captures ? "(" : "(?:";
  return fc
    .letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        { weight: 3, arbitrary: atoms },
        ...(captures ? [{ weight: 2, arbitrary: fc.constantFrom("\\1", "\\2") }] : []),
        { weight: 3, arbitrary: fc.tuple(tie("any"), tie("any")).map(([a, b]) => a + b) },
        { weight: 2, arbitrary: fc.tuple(tie("any"), tie("any")).map(([a, b]) => `${opening}${a}|${b})`) },
        ...(captures ? [{ weight: 2, arbitrary: tie("any").map((part) => `(${part})`) }] : []),
        {
          weight: 3,
          arbitrary: fc
            .tuple(tie("any"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
            .map(([part, bounds]) => `(?:${part})${bounds}`),
        },
        ...(looks.length > 0
          ? [
              {
                weight: 2,
                arbitrary: fc
                  .tuple(fc.constantFrom(...looks), tie("any"))
                  .map(([look, part]) => `(${look}${part})`),
              },
            ]
          : []),
      ),
    }))
    .any.map((pattern) => {
      const groups = pattern.match(/\((?!\?)/g)?.length ?? 0;
      return pattern.replace(/\\([12])/g, (reference, number) => (Number(number) <= groups ? reference : ""));
    });
}
