import { modern, ours } from "../contenders.mjs";
import { ours as bundles } from "../production.mjs";
import { measureHttp } from "./http.mjs";
import { measureStdio, short } from "./stdio.mjs";

const plain = "plain";
const bar = 1.02;

/**
 * The cost of a plain `tools/call` on a server with extensions, as a multiple of the cost on the same server
 * without them.
 */
export const extensionRows = [
  row("stdio, tools/call with extensions", onStdio(64, 10_000), [], bar),
  row("stdio, tools/call with extensions, 1 in flight", onStdio(1, 2_000), [], bar),
  row("HTTP, tools/call with extensions", onHttp, [], bar),
  // For information: an extension also registers a function around `tools/call`.
  row("stdio, tools/call, one around it", onStdio(64, 10_000), ["--around"]),
];

function row(name, measure, options, limit) {
  return { name, unit: "times without", bar: limit, measure: (effort) => compared(measure, options, effort) };
}

async function compared(measure, options, effort) {
  const on = (name, more) => {
    const server = { server: bundles.extensions, options: more };
    return { name, ...server, http: server, revisions: [modern] };
  };
  const taking = () => [on(plain, ["--plain"]), on(ours, options)];
  const spent = await measure(taking, effort);
  return new Map([[ours, spent.get(ours) / spent.get(plain)]]);
}

function onStdio(inFlight, calls) {
  return (taking, effort) =>
    measureStdio({ request: short, revision: modern, inFlight, calls, taking, ...effort });
}

function onHttp(taking, effort) {
  return measureHttp({ revision: modern, stateful: false, responses: "json", taking }, effort);
}
