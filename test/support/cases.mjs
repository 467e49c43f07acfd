// How many cases a property draws, and from which seed.
//
// The gate draws few of them, always the same: a failure stays until it is mended. The nightly draws the number that the
// property's issue names, from a new seed that it prints.

/** The variable of a number; text that Number reads as one by its own rules (an empty text, 0x10, 1e3) is refused. */
function numberOf(name, absent, expected, isRight) {
  const text = process.env[name];
  if (text === undefined) return absent;
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!isRight(value)) throw new Error(`${name} is ${JSON.stringify(text)}: expected ${expected}`);
  return value;
}

/** Decides all that tests draw: MCPGEN_SEED, or 1. A row of test/seeds.json repeats one that failed. */
export const seed = numberOf("MCPGEN_SEED", 1, "a whole number from 0", Number.isSafeInteger);

/** How much of the full numbers is asked for, from 0 to 1: MCPGEN_SHARE, or 0, as in the gate. */
export const share = numberOf("MCPGEN_SHARE", 0, "a number from 0 to 1", (value) => value >= 0 && value <= 1);

/** Whether more than the gate's numbers is asked for. */
export const isThorough = share > 0;

/**
 * The number of cases to draw: `full`, the number that the property's issue names, times the share that is asked for; at least
 * `gate`, which is 200 unless one case takes so long that the gate has time for fewer.
 */
export function cases(full, gate = 200) {
  return Math.max(Math.min(gate, full), Math.ceil(full * share));
}
