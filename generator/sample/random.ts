/** A stream of pseudo-random numbers; the same seed always gives the same stream. */
export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  /** An integer in [0, limit). */
  below(limit: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One of `values`, which must not be empty. */
  pick<T>(values: readonly T[]): T;
}

/**
 * The stream that `seed` names. Samples of a definition are drawn from the stream named after it, so that
 * they stay the same when other definitions change.
 */
export function randomFrom(seed: string): Random {
  const fraction = mulberry32(fnv1a(seed));
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: (values) => values[below(values.length)]!,
  };
}

/** `values` in an order drawn from `random`; the list itself is left as it is. */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const result = [...values];
  for (let index = result.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    [result[index], result[other]] = [result[other]!, result[index]!];
  }
  return result;
}

/** Fowler–Noll–Vo hash, 32 bits, over UTF-16 code units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Tommy Ettinger's generator: 32 bits of state are plenty for samples, and it starts at once. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
