// Prints the rooms and writes docs/rooms.svg: npm run rooms. Exits with 1 where an arrow runs up or files form a circle.
import { writeFileSync } from "node:fs";
import { plans } from "./plan.js";
import { planPicture } from "./svg.js";
import { faultsOf, planText } from "./text.js";

const measured = plans();
console.log(planText(measured));
writeFileSync("docs/rooms.svg", planPicture(measured));
if (measured.some((plan) => faultsOf(plan).length > 0)) process.exitCode = 1;
