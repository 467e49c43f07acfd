// Prints what tier 1 of the protocol's SDK tiers asks for, and whether this repository has it:
// node scripts/run-ts.mjs scripts/tier.ts. Ends with 1 if a file or an example is missing.
import { tierRows } from "./tier-rows.js";

const rows = tierRows();
const width = Math.max(...rows.map(({ requirement }) => requirement.length));
for (const { requirement, state, where } of rows)
  console.log(`${requirement.padEnd(width)}  ${state.padEnd(14)}  ${where}`);

const count = (wanted: string): number => rows.filter(({ state }) => state === wanted).length;
console.log(`\n${count("met")} met, ${count("not met")} not met, ${count("needs a person")} need a person`);
if (count("not met") > 0) process.exitCode = 1;
