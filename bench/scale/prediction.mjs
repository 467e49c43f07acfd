// What a call costs at a number of nodes, by what it costs at one. Rows have `name` (where the sessions are), `nodes`, `inFlight`, and
// `cpu`: microseconds of CPU time of all nodes for a call.

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const cpuOf = (rows, name, nodes) =>
  mean(rows.filter((row) => row.name === name && row.nodes === nodes).map(({ cpu }) => cpu));

/**
 * @param rows measured ones; those named "floor" are of `node:http` alone
 * @returns microseconds of CPU time for a call at one node with sessions in memory (`nodeCall`), what one with sessions in Redis
 *   costs more (`nodeSession`), and `crowd`: how much longer the same work takes where so many nodes share the cores, by
 *   `node:http` alone
 */
export function constantsOf(rows) {
  const nodeCall = cpuOf(rows, "memory", 1);
  const nodeSession = cpuOf(rows, "Redis", 1) - nodeCall;
  const crowd = (nodes) => cpuOf(rows, "floor", nodes) / cpuOf(rows, "floor", 1);
  return { nodeCall, nodeSession, crowd };
}

/** Microseconds of CPU time of the nodes for a call, as the model says. */
export function predicted({ name, nodes }, { nodeCall, nodeSession, crowd }) {
  return crowd(nodes) * (nodeCall + (name === "Redis" ? nodeSession : 0));
}
