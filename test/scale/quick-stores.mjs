// A store in Redis that gives up soon, for nodes whose Redis is away: SCALE_STORES of `programs/shared.mjs`.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { redisClusterStore } from "@mcpgen/redis";

/** The environment of nodes that share a Redis, and wait `timeoutMs` for it. */
export function quickEnv(address, timeoutMs = 300) {
  return {
    SCALE_STORES: fileURLToPath(import.meta.url),
    SCALE_DRIVER: `${timeoutMs}`,
    SCALE_ADDRESS: address,
  };
}

/** @param driver milliseconds */
export async function openClusterStore(driver, path) {
  const { Redis } = createRequire(new URL("../engines/", import.meta.url))("ioredis");
  const clients = [new Redis({ path }), new Redis({ path })];
  for (const client of clients) client.on("error", () => {});
  return { store: redisClusterStore(...clients, { timeoutMs: Number(driver) }) };
}
