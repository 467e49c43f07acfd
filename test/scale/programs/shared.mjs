// The common set-up of the nodes of one service. With SCALE_STORES (a module), SCALE_DRIVER and SCALE_ADDRESS they
// share a cluster store. Without one, only handlers with `replay: true` may ask at 2026-07-28.
import { cluster } from "@mcpgen/cluster";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { memoryStateStore } from "@mcpgen/runtime";

/** Options of the server and of the endpoint, as the environment asks for them. */
export async function shared() {
  const keys = (process.env.SCALE_KEYS ?? "the first secret of the service for tests").split(",");
  const clustered = await clusterOf(keys);
  const state = { keys, store: memoryStateStore(), ...(!clustered.cluster && { parking: false }) };
  return {
    serverOptions: { state, changes: parentBus() },
    httpOptions: { sessions: sealedSessions({ keys }), ...clustered },
  };
}

/** The option `cluster`, if there is a store. */
async function clusterOf(keys) {
  const { SCALE_STORES, SCALE_DRIVER, SCALE_ADDRESS } = process.env;
  if (!SCALE_STORES) return {};
  const { openClusterStore } = await import(SCALE_STORES);
  const { store } = await openClusterStore(SCALE_DRIVER, SCALE_ADDRESS);
  return { cluster: cluster({ store, keys }) };
}

/** A bus of changes over the parent of the process, which passes on what one node publishes to all. */
function parentBus() {
  const listeners = new Set();
  process.on("message", ({ change }) => {
    if (change) for (const listener of listeners) listener(change);
  });
  return {
    publish: (change) => void process.send({ change }),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
