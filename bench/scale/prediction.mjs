// Predicts the cost of a call at a number of nodes from its cost at one. Rows have `name` (where sessions are
// kept), `nodes`, `inFlight`, and `cpu`: microseconds of CPU time of all nodes for a call.

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const cpuOf = (rows, name, nodes) =>
  mean(rows.filter((row) => row.name === name && row.nodes === nodes).map(({ cpu }) => cpu));

/**
 * @param rows measured rows; the rows named "floor" are of a plain `node:http` server
 * @returns `nodeCall`, the microseconds of CPU time for a call at one node with sessions in memory;
 * `nodeSession`, the additional microseconds with sessions in Redis; and `crowd`, which returns how many
 * times longer the same work takes if so many nodes share the cores, measured with plain `node:http`
 */
export function constantsOf(rows) {
  const nodeCall = cpuOf(rows, "memory", 1);
  const nodeSession = cpuOf(rows, "Redis", 1) - nodeCall;
  const crowd = (nodes) => cpuOf(rows, "floor", nodes) / cpuOf(rows, "floor", 1);
  return { nodeCall, nodeSession, crowd };
}

/** Returns the microseconds of CPU time of the nodes for a call that the model predicts. */
export function predicted({ name, nodes }, { nodeCall, nodeSession, crowd }) {
  return crowd(nodes) * (nodeCall + (name === "Redis" ? nodeSession : 0));
}
