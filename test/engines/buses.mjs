// Buses that carry changes between processes, over the databases of engines.mjs.

/** By driver: opens a bus at an address. SQLite has none. */
const buses = {
  ioredis: async (path) => {
    const { Redis } = await import("ioredis");
    const [sender, receiver] = [new Redis({ path }), new Redis({ path })];
    await receiver.subscribe("changes");
    return {
      publish: (change) => void sender.publish("changes", JSON.stringify(change)).catch(() => {}),
      listen: (listener) => receiver.on("message", (_, text) => listener(text)),
    };
  },
  pg: async (host) => {
    const { default: pg } = await import("pg");
    const options = { host, user: "postgres", database: "postgres" };
    const [sender, receiver] = [new pg.Pool({ ...options, max: 1 }), new pg.Client(options)];
    await receiver.connect();
    await receiver.query("LISTEN changes");
    return {
      // A payload has less than 8,000 bytes: enough for these tests.
      publish: (change) =>
        void sender.query("SELECT pg_notify('changes', $1)", [JSON.stringify(change)]).catch(() => {}),
      listen: (listener) => receiver.on("notification", ({ payload }) => listener(payload)),
    };
  },
};

/** Whether there is a bus beside the stores of a driver. */
export const hasBus = (driver) => driver in buses;

/** Opens the bus of a driver: a `NotificationBus`, or `undefined`. */
export async function openBus(driver, address) {
  const bus = await buses[driver]?.(address);
  if (!bus) return undefined;
  const listeners = new Set();
  bus.listen((text) => {
    for (const listener of listeners) listener(JSON.parse(text));
  });
  return {
    publish: bus.publish,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
