// Stores in the databases of engines.mjs, for programs that tests start.

/** By driver: its engine, and a function that opens a store at an address. */
const drivers = {
  "node:sqlite": {
    engine: "sqlite",
    open: async (address, table) => {
      const { DatabaseSync } = await import("node:sqlite");
      const { sqliteTaskStore } = await import("@mcpgen/sqlite");
      const database = new DatabaseSync(address);
      return { store: sqliteTaskStore(database, { table }), close: async () => database.close() };
    },
  },
  "bun:sqlite": {
    engine: "sqlite in Bun",
    open: async (address, table) => {
      const { Database } = await import("bun:sqlite");
      const { sqliteTaskStore } = await import("@mcpgen/sqlite");
      const database = new Database(address);
      return { store: sqliteTaskStore(database, { table }), close: async () => database.close() };
    },
  },
  pg: {
    engine: "postgres",
    open: async (host, table) => {
      const { default: pg } = await import("pg");
      const pool = new pg.Pool({ host, user: "postgres", database: "postgres", max: 4 });
      return openPostgres(pool, table, () => pool.end());
    },
  },
  pglite: {
    engine: "memory",
    open: async (_, table) => {
      const { PGlite } = await import("@electric-sql/pglite");
      lite ??= await PGlite.create();
      return openPostgres(lite, table, async () => {});
    },
  },
  ioredis: {
    engine: "redis",
    open: async (path, prefix) => {
      const { Redis } = await import("ioredis");
      return openRedis(new Redis({ path }), prefix, (client) => client.quit());
    },
  },
  "ioredis on a cluster": {
    engine: "redis-cluster",
    open: async (address, prefix) => {
      const { Cluster } = await import("ioredis");
      const [host, port] = address.split(":");
      return openRedis(new Cluster([{ host, port: Number(port) }]), prefix, (client) => client.quit());
    },
  },
  iovalkey: {
    engine: "redis",
    open: async (path, prefix) => {
      const { Redis } = await import("iovalkey");
      return openRedis(new Redis({ path }), prefix, (client) => client.quit());
    },
  },
  redis: {
    engine: "redis",
    open: async (path, prefix) => {
      const { createClient } = await import("redis");
      const client = createClient({ socket: { path } });
      await client.connect();
      return openRedis(client, prefix, () => client.close());
    },
  },
};

/** The database of PGlite, which runs in this process. */
let lite;

async function openPostgres(client, table, close) {
  const { createSessionTable, createTaskTable, postgresSessionStore, postgresTaskStore } =
    await import("@mcpgen/postgres");
  await createTaskTable(client, { table });
  const openSessions = async () => {
    await createSessionTable(client, { table: `sessions of ${table}` });
    return postgresSessionStore(client, { table: `sessions of ${table}` });
  };
  return { store: postgresTaskStore(client, { table }), openSessions, close };
}

async function openRedis(client, prefix, close) {
  const { redisSessionStore, redisTaskStore } = await import("@mcpgen/redis");
  const openSessions = async () => redisSessionStore(client, { prefix });
  return { store: redisTaskStore(client, { prefix }), openSessions, close: () => close(client) };
}

/** Names of drivers and of their engines, as pairs. */
export const driverNames = Object.entries(drivers).map(([driver, { engine }]) => [driver, engine]);

/** The drivers of engines that processes on several machines share: they have stores of sessions, too. */
export const sessionDriverNames = driverNames.filter(([, engine]) => !engine.startsWith("sqlite"));

/**
 * Opens a store of tasks.
 *
 * @param address the address with which `engines[…].start()` resolved
 * @param name the name of the table, or the prefix of the keys
 * @returns the store, a function that opens a store of sessions beside it, and one that ends the connection
 */
export function openStore(driver, address, name = "tasks") {
  return drivers[driver].open(address, name);
}
