// How many cases a property draws, and from which seed.
//
// The gate draws few of them, always the same: a failure stays until it is mended. The nightly draws the number that the
// property's issue names, from a new seed that it prints.

/** Decides all that tests draw: MCPGEN_SEED, or 1. A row of test/seeds.json repeats one that failed. */
export const seed = Number(process.env.MCPGEN_SEED ?? 1);

if (!Number.isSafeInteger(seed))
  throw new Error(`MCPGEN_SEED is ${process.env.MCPGEN_SEED}: expected a whole number`);

/** How much of the full numbers is asked for, from 0 to 1: MCPGEN_SHARE, or 0, as in the gate. */
export const share = Number(process.env.MCPGEN_SHARE ?? 0);
if (!(share >= 0 && share <= 1))
  throw new Error(`MCPGEN_SHARE is ${process.env.MCPGEN_SHARE}: expected a number from 0 to 1`);

/** Whether more than the gate's numbers is asked for. */
export const isThorough = share > 0;

/**
 * The number of cases to draw: `full`, the number that the property's issue names, times the share that is asked for; at least
 * `gate`, which is 200 unless one case takes so long that the gate has time for fewer.
 */
export function cases(full, gate = 200) {
  return Math.max(Math.min(gate, full), Math.ceil(full * share));
}
