/** Rows that `bench/scale/fleet.mjs` measured. */
export const measuredCalls: readonly { readonly name: string }[];
