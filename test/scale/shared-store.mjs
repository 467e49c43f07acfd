// The store that nodes share, in the engines of test/engines.
import { fileURLToPath } from "node:url";
import { clusterDriverNames } from "../engines/cluster-stores.mjs";
import { engines } from "../engines/engines.mjs";

/** Drivers whose engine several processes share, with the reason for which they cannot be used here. */
export const sharedDrivers = clusterDriverNames
  .filter(([, engine]) => engine !== "memory")
  .map(([driver, engine]) => ({ driver, missing: engines[engine].missing, start: engines[engine].start }));

/** The environment of nodes that share a store. */
export function storeEnv(driver, address) {
  return {
    SCALE_STORES: fileURLToPath(new URL("../engines/cluster-stores.mjs", import.meta.url)),
    SCALE_DRIVER: driver,
    SCALE_ADDRESS: address,
  };
}
