// The common set-up of the nodes of one service. With SCALE_STORES (a module), SCALE_DRIVER and SCALE_ADDRESS they
// share a cluster store.
import { cluster } from "@mcpgen/cluster";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";

/** Options of the server and of the endpoint, as the environment asks for them. */
export async function shared() {
  const keys = (process.env.SCALE_KEYS ?? "the first secret of the service for tests").split(",");
  return {
    serverOptions: { state: { keys }, changes: parentBus() },
    httpOptions: {
      sessions: sealedSessions({ keys }),
      ...(await clusterOf(keys)),
    },
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
