// The store of processes in each engine against the one in memory: random operations, and connections that are cut. MCPGEN_SEED
// draws them; MCPGEN_SHARE=1 makes 100,000 steps an engine, not 600.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { postgresClusterStore, createClusterTables } from "@mcpgen/postgres";
import { redisClusterStore } from "@mcpgen/redis";
import { MemoryClusterStore } from "@mcpgen/cluster";
import { randomFrom } from "../engines/cluster.mjs";
import { engines } from "../engines/engines.mjs";
import { isThorough, seed } from "../support/cases.mjs";
import { waitForDatabases } from "../support/patient-stores.mjs";
import { until } from "../support/until.mjs";
import { StoreModel } from "./store-model.mjs";

const steps = Number(process.env.MCPGEN_STEPS ?? (isThorough ? 100_000 : 600));
waitForDatabases();

const load = createRequire(new URL("../engines/", import.meta.url));

/** Opens two stores at an address. @returns them, what cuts their connections, how many each has, and what closes all */
const openers = {
  memory: async () => {
    const store = new MemoryClusterStore();
    return { stores: [store, store.connect()], close: async () => {} };
  },
  redis: async (path) => {
    const { Redis } = load("ioredis");
    const clients = Array.from({ length: 5 }, () => new Redis({ path }));
    return overRedis(clients, [clients[4]]);
  },
  "redis-cluster": async (address) => {
    const { Cluster } = load("ioredis");
    const [host, port] = address.split(":");
    const at = [{ host, port: Number(port) }];
    const clients = Array.from(
      { length: 5 },
      (_, index) => new Cluster(at, { shardedSubscribers: index % 2 === 1 }),
    );
    await Promise.all(
      clients.map((each) => each.status === "ready" || new Promise((resolve) => each.once("ready", resolve))),
    );
    return overRedis(clients, clients[4].nodes("master"));
  },
  postgres: async (host) => {
    const { Client, Pool } = load("pg");
    const options = { host, user: "postgres", database: "postgres" };
    const pools = [1, 2].map(() => new Pool({ ...options, max: 4 }).on("error", () => {}));
    const open = new Set();
    for (const pool of pools)
      pool.on("connect", (client) => open.add(client)).on("remove", (client) => open.delete(client));
    const admin = new Client(options);
    await admin.connect();
    await createClusterTables(admin);
    const connect = async () => {
      const client = new Client(options).on("error", () => {});
      await client.connect();
      return client;
    };
    const stores = pools.map((pool) => postgresClusterStore(pool, connect));
    const others = "datname = 'postgres' AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    return {
      stores,
      connections: 4,
      cut: async () => {
        // One that is being made is cut or not: the model does not know.
        const cut = [...open];
        await admin.query(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE ${others}`);
        await until("the pools notice that they are cut", () => cut.every((client) => !open.has(client)), 1);
      },
      close: async () => {
        await Promise.all(stores.map((store) => store.close()));
        await Promise.all([...pools, admin].map((each) => each.end()));
      },
    };
  },
};

/** @param clients two for each store: for commands and for subscriptions @param admins a connection to each server */
function overRedis(clients, admins) {
  for (const each of clients) each.on("error", () => {});
  const stores = [0, 2].map((at) => redisClusterStore(clients[at], clients[at + 1]));
  const cut = async () => {
    for (const admin of admins)
      for (const kind of ["normal", "pubsub"])
        await admin.call("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes");
  };
  const close = async () => {
    await Promise.all(stores.map((store) => store.close()));
    for (const each of clients) each.disconnect();
  };
  return { stores, cut, close };
}

for (const [engine, open] of Object.entries(openers)) {
  const { missing, start } = engines[engine];
  for (const faults of engine === "memory" ? [false] : [false, true])
    test(
      `${engine}${faults ? ", connections are cut" : ""}: ${steps} steps from ${seed} as in memory`,
      { skip: missing, timeout: isThorough ? 7_200_000 : 600_000 },
      async (t) => {
        const { address, stop } = await start();
        const { stores, cut, close, connections } = await open(address).catch(async (error) => {
          await stop();
          throw error;
        });
        t.after(async () => {
          await close();
          await stop();
        });
        const model = new StoreModel(stores, randomFrom(seed), faults ? cut : undefined, connections);
        for (let step = 1; step <= steps; step++)
          try {
            await model.step();
          } catch (error) {
            error.message = `step ${step} from seed ${seed}: ${error.message}`;
            throw error;
          }
        await model.end();
        const cuts = Object.entries(model.counts).reduce(
          (sum, [name, count]) => sum + (name.endsWith("cut") ? count : 0),
          0,
        );
        assert.equal(cuts > 0, faults);
        t.diagnostic(`${cuts} cuts`);
      },
    );
}
