// Stores that processes with the same sessions share, in the databases of engines.mjs.
import { waitForDatabases } from "../support/patient-stores.mjs";

waitForDatabases();

/** By driver: its engine, and a function that opens a store at an address. */
const drivers = {
  memory: {
    engine: "memory",
    open: async (_, name) => {
      const { MemoryClusterStore } = await import("@mcpgen/cluster");
      let memory = memories.get(name);
      if (!memory) memories.set(name, (memory = new MemoryClusterStore()));
      return { store: memory.connect(), close: async () => {} };
    },
  },
  ioredis: {
    engine: "redis",
    open: async (path, prefix) => {
      const { Redis } = await import("ioredis");
      return openRedis([new Redis({ path }), new Redis({ path })], prefix, (client) => client.disconnect());
    },
  },
  iovalkey: {
    engine: "redis",
    open: async (path, prefix) => {
      const { Redis } = await import("iovalkey");
      return openRedis([new Redis({ path }), new Redis({ path })], prefix, (client) => client.disconnect());
    },
  },
  redis: {
    engine: "redis",
    open: async (path, prefix) => {
      const { createClient } = await import("redis");
      const clients = [createClient({ socket: { path } }), createClient({ socket: { path } })];
      for (const client of clients) await client.on("error", () => {}).connect();
      return openRedis(clients, prefix, (client) => client.destroy());
    },
  },
  "ioredis on a cluster": {
    engine: "redis-cluster",
    open: async (address, prefix) => {
      const { Cluster } = await import("ioredis");
      const [host, port] = address.split(":");
      const nodes = [{ host, port: Number(port) }];
      const clients = [new Cluster(nodes), new Cluster(nodes, { shardedSubscribers: true })];
      await Promise.all(
        clients.map(
          (client) => client.status === "ready" || new Promise((resolve) => client.once("ready", resolve)),
        ),
      );
      return openRedis(clients, prefix, (client) => client.disconnect());
    },
  },
  pg: {
    engine: "postgres",
    open: async (host, table) => {
      const { default: pg } = await import("pg");
      const options = { host, user: "postgres", database: "postgres" };
      const pool = new pg.Pool({ ...options, max: 4 });
      const connect = async () => {
        const client = new pg.Client(options);
        await client.connect();
        return client;
      };
      return openPostgres(pool, connect, table, () => pool.end());
    },
  },
  pglite: {
    engine: "memory",
    open: async (_, table) => {
      const { PGlite } = await import("@electric-sql/pglite");
      lite ??= await PGlite.create();
      const connect = async () => {
        let off = () => {};
        return {
          query: (text, values) => lite.query(text, values),
          on: (event, listener) => {
            if (event === "notification")
              off = lite.onNotification((channel, payload) => listener({ channel, payload }));
          },
          end: async () => off(),
        };
      };
      return openPostgres(lite, connect, table, async () => {});
    },
  },
};

/** The database of PGlite, which runs in this process. */
let lite;

async function openPostgres(client, connect, table, close) {
  const { createClusterTables, postgresClusterStore } = await import("@mcpgen/postgres");
  await createClusterTables(client, { table });
  const store = postgresClusterStore(client, connect, { table });
  return {
    store,
    client,
    close: async () => {
      await store.close();
      await close();
    },
  };
}

/** The memories of this process, by name. */
const memories = new Map();

async function openRedis([client, subscriber], prefix, close) {
  const { redisClusterStore } = await import("@mcpgen/redis");
  for (const each of [client, subscriber]) each.on("error", () => {});
  const store = redisClusterStore(client, subscriber, { prefix });
  return {
    store,
    client,
    subscriber,
    close: async () => {
      await store.close();
      for (const each of [client, subscriber]) close(each);
    },
  };
}

/** Names of drivers and of their engines, as pairs. */
export const clusterDriverNames = Object.entries(drivers).map(([driver, { engine }]) => [driver, engine]);

/**
 * Opens a store, by new connections.
 *
 * @param address the address with which `engines[…].start()` resolved
 * @param name the name of the tables, or the prefix of the keys
 * @returns the store, and a function that ends it and its connections
 */
export function openClusterStore(driver, address, name = "cluster") {
  return drivers[driver].open(address, name);
}
