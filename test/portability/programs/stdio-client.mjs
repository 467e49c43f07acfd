// Our client with a server in a separate process: stdio-client.mjs COMMAND ARG…. Prints the report.
import { report } from "../suite/stdio.mjs";

const command = process.argv.slice(2);
console.log(JSON.stringify(await report(command)));
