// Prints the rooms: npm run rooms. With `-- FILE.svg`, also draws them. Exits with 1 where an arrow runs up or files form a circle.
import { writeFileSync } from "node:fs";
import { plans } from "./plan.js";
import { planPicture } from "./svg.js";
import { faultsOf, planText } from "./text.js";

const measured = plans();
console.log(planText(measured));
const picture = process.argv[2];
if (picture !== undefined) writeFileSync(picture, planPicture(measured));
if (measured.some((plan) => faultsOf(plan).length > 0)) process.exitCode = 1;
