// The store of nodes over a Redis with faults, with the default time limits of a deployment.
import { redisClusterStore } from "@mcpgen/redis";
import { createRequire } from "node:module";

const { Redis } = createRequire(new URL("../../engines/", import.meta.url))("ioredis");

/** @param address the path of a socket, or `host:port` of a Sentinel */
export async function openClusterStore(_, address) {
  const clients = [0, 1].map(() => new Redis(optionsOf(address)));
  for (const each of clients) each.on("error", () => {});
  return { store: redisClusterStore(...clients), close: () => clients.forEach((each) => each.disconnect()) };
}

function optionsOf(address) {
  if (address.startsWith("/")) return { path: address };
  const [host, port] = address.split(":");
  return { sentinels: [{ host, port: Number(port) }], name: "main" };
}
