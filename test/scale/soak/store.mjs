// The store of the nodes in Redis, with the time limits of a service. The limits of test/engines are longer, for slow
// machines.
import { createRequire } from "node:module";
import { redisClusterStore } from "@mcpgen/redis";

export const { Redis } = createRequire(new URL("../../engines/", import.meta.url))("ioredis");

/** @param path of the socket of Redis */
export async function openClusterStore(driver, path) {
  const connections = [1, 2].map(() => new Redis({ path, retryStrategy: () => 100 }));
  for (const connection of connections) connection.on("error", () => {});
  const [client, subscriber] = connections;
  return { store: redisClusterStore(client, subscriber, { prefix: "soak" }) };
}
