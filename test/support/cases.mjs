// The number of cases of a property, and the seed.
//
// The gate draws few cases, always the same ones, so that a failure stays until it is fixed. The nightly draws the
// number that the property's issue names, from a new seed that it prints.

/** Reads a number from an environment variable. Refuses other texts that `Number` accepts (an empty text, 0x10, 1e3). */
function numberOf(name, absent, expected, isRight) {
  const text = process.env[name];
  if (text === undefined) return absent;
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!isRight(value)) throw new Error(`${name} is ${JSON.stringify(text)}: expected ${expected}`);
  return value;
}

/** The seed of all tests: MCPGEN_SEED, or 1. A row of test/seeds.json repeats a seed that failed. */
export const seed = numberOf("MCPGEN_SEED", 1, "a whole number from 0", Number.isSafeInteger);

/** The requested share of the full numbers of cases, from 0 to 1: MCPGEN_SHARE, or 0 as in the gate. */
export const share = numberOf("MCPGEN_SHARE", 0, "a number from 0 to 1", (value) => value >= 0 && value <= 1);

/** Whether more cases than in the gate are requested. */
export const isThorough = share > 0;

/**
 * Returns the number of cases to draw: `full`, the number that the property's issue names, times the requested share,
 * but at least `gate`. Pass a smaller `gate` than 200 only if a case takes long.
 */
export function cases(full, gate = 200) {
  return Math.max(Math.min(gate, full), Math.ceil(full * share));
}
