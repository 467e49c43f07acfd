// The suite inside this very process, whichever runtime that is. Prints the report as one line of JSON.
import { everything, run } from "../suite/cases.mjs";

console.log(JSON.stringify(await run(everything)));
