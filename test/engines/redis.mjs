import { join } from "node:path";
import { newFolder, pathOf, start } from "./guarded.mjs";

const server = pathOf("redis-server");

/** Why there is no Redis here, or `undefined`. */
export const noRedis = server ? undefined : "redis-server is not installed";

/**
 * Starts an empty Redis, for this process and those that it starts.
 *
 * @param settings more of its options, e.g. `{ "maxmemory": "10mb" }`
 * @returns the path of its socket, and a function that stops it
 */
export async function startRedis(settings = {}) {
  const folder = newFolder();
  const socket = join(folder, "redis.sock");
  const all = { port: "0", unixsocket: socket, dir: folder, save: "", appendonly: "no", ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const stop = await start([server, ...options], {
    ready: "eady to accept connections",
    signal: "KILL",
    folder,
  });
  return { socket, stop };
}
