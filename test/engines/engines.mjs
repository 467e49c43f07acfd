// The databases that the stores are tested on.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runtimes } from "../portability/runtimes.mjs";
import { lackOf } from "../support/programs.mjs";
import { newFolder } from "./guarded.mjs";
import { noPostgres, startPostgres } from "./postgres.mjs";
import { noRedis, startRedis, startRedisCluster } from "./redis.mjs";

const [node24] = runtimes["Node 24"];
const [bun] = runtimes["Bun"];
/** Node 20 has no `node:sqlite`. */
const nodeWithSqlite = process.getBuiltinModule?.("node:sqlite") ? process.execPath : node24;

/**
 * By name:
 *
 * - `missing`: the reason why it cannot be used here, or `undefined`
 * - `node`: the Node, or Bun, that runs programs with it
 * - `start`: starts an empty engine; resolves with its address, for `openStore`, and a function that ends it
 */
export const engines = {
  sqlite: {
    missing: lackOf(
      existsSync(nodeWithSqlite),
      "test/portability is not installed: it has a Node with SQLite",
    ),
    node: nodeWithSqlite,
    start: startSqlite,
  },
  "sqlite in Bun": {
    missing: lackOf(existsSync(bun), "Bun of test/portability is not installed"),
    node: bun,
    start: startSqlite,
  },
  postgres: {
    missing: noPostgres,
    node: process.execPath,
    start: async () => {
      const { host, stop } = await startPostgres();
      return { address: host, stop };
    },
  },
  redis: {
    missing: noRedis,
    node: process.execPath,
    start: async () => {
      const { socket, stop } = await startRedis();
      return { address: socket, stop };
    },
  },
  "redis-cluster": {
    missing: noRedis,
    node: process.execPath,
    start: startRedisCluster,
  },
  /** In the process that uses it. */
  memory: {
    missing: undefined,
    node: process.execPath,
    start: async () => ({ address: "", stop: async () => {} }),
  },
};

async function startSqlite() {
  const folder = newFolder();
  const stop = async () => rmSync(folder, { recursive: true, force: true });
  return { address: join(folder, "tasks.db"), stop };
}
