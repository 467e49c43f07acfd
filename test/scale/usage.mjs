// What nodes and Redis use and do.
import { createRequire } from "node:module";

/**
 * The report of each node: `cpu`, `rss`, `heapUsed`, and the figures of its endpoint.
 *
 * @param nodes whose program answers `usage` (`programs/tenants.mjs`)
 * @param how `"collected"` after a collection of garbage
 */
export function usageOf(nodes, how = "now") {
  return Promise.all(
    nodes.members.map(
      ({ child }) =>
        new Promise((resolve, reject) => {
          const listen = ({ usage }) => {
            if (!usage) return;
            child.off("message", listen);
            resolve(usage);
          };
          child.on("message", listen);
          child.send({ usage: how }, (error) => error && reject(error));
        }),
    ),
  );
}

/** Connects to Redis, to look at it. */
export function monitorOf(socket) {
  const { Redis } = createRequire(new URL("../engines/", import.meta.url))("ioredis");
  return new Redis({ path: socket });
}

/**
 * The commands that clients of Redis sent meanwhile, by name. Left out are those of the test, and SET: each node sends one a
 * second, whatever it does.
 */
export async function commandsDuring(monitor, work) {
  const counts = async () => {
    const found = (await monitor.info("commandstats")).matchAll(/^cmdstat_([\w|]+):calls=(\d+)/gm);
    return new Map([...found].map(([, name, count]) => [name, Number(count)]));
  };
  const before = await counts();
  await work();
  const others = new Set(["info", "set"]);
  return [...(await counts())]
    .map(([name, count]) => [name, count - (before.get(name) ?? 0)])
    .filter(([name, count]) => count > 0 && !others.has(name));
}

/** A figure of INFO. */
export async function figureOf(monitor, section, name) {
  return Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(await monitor.info(section))[1]);
}
