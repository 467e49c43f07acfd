// Stores in the databases of engines.mjs, for programs that tests start.

/** By driver: the engine that it is of, and how a store is opened at an address. */
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
};

/** Names of drivers and of their engines, as pairs. */
export const driverNames = Object.entries(drivers).map(([driver, { engine }]) => [driver, engine]);

/**
 * Opens a store of tasks.
 *
 * @param address of what `engines[…].start()` resolved with
 * @param name of the table, or prefix of the keys
 * @returns the store, and a function that ends its connection
 */
export function openStore(driver, address, name = "tasks") {
  return drivers[driver].open(address, name);
}
