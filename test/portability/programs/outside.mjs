// The suite over sockets, with the `fetch` of the runtime this is run by: outside.mjs URL NEED…. Prints the report.
import { run } from "../suite/cases.mjs";

const [url, ...has] = process.argv.slice(2);
const report = await run(has, { url, send: (request) => fetch(request) });
// Unanswered requests would keep it alive.
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit());
