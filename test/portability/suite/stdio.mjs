import { clientRevisions } from "@mcpgen/protocol/client";
import { connect } from "@mcpgen/runtime";
import { rejection, same } from "./assert.mjs";
import { outcomes } from "./cases.mjs";
import { streamCases } from "./stream.mjs";

/** Behaviour of client and server over the pipes of a process. */
const cases = [
  ...streamCases("stdio"),
  {
    name: "stdio: a program that does not exist is reported as such",
    run: async () => same((await rejection(open(["/no/such/program"]))).code, "spawn-failed"),
  },
  {
    name: "stdio: a program that ends at once is reported as such",
    run: async () => same((await rejection(open(["/bin/false"]))).code, "connection-closed"),
  },
];

/** @returns by name, the error of each failed case, and `null` for each other case */
export function report(command) {
  return outcomes(cases, (each) => each.run((options) => open(command, options)));
}

export const stdioNames = cases.map(({ name }) => name);

function open([command, ...args], options = {}) {
  return connect({ command, args }, { revisions: clientRevisions, ...options });
}
