// Prints the rooms: npm run rooms. With `-- FILE.svg`, it also draws them. It exits with 1 if a room imports
// from a higher one or files form a circle. `-- --check` prints the bars, and exits with 1 if a figure is
// worse than bench/budgets.json says, or better and not recorded; `-- --write` records better figures.
import { writeFileSync } from "node:fs";
import { checkBudgets, writeBudgets } from "./budgets.js";
import { plans } from "./plan.js";
import { planPicture } from "./svg.js";
import { faultsOf, planText } from "./text.js";

const argument = process.argv[2];
if (argument === "--check") process.exitCode = checkBudgets() ? 0 : 1;
else if (argument === "--write") writeBudgets();
else {
  const measured = plans();
  console.log(planText(measured));
  if (argument !== undefined) writeFileSync(argument, planPicture(measured));
  if (measured.some((plan) => faultsOf(plan).length > 0)) process.exitCode = 1;
}
