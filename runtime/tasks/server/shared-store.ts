import { McpError } from "@mcpgen/runtime";
import { unref, wallTimeOf } from "@mcpgen/base";
import { checkedStore } from "../store/checked-store.js";
import type { TaskStore } from "../store/store.js";
import type { Engine } from "./engine.js";

// Stores that several processes share. Their calls may never settle, and all processes use their clock. Loaded before the
// first use of a task.

/** Minimum timeout for a call of a store, in milliseconds. */
const leastTimeout = 15_000;

/** Maximum time for reading the clock of the store, in milliseconds. A slower reading is not exact enough. */
const longestLook = 1000;

const prepared = new WeakMap<Engine, Promise<void>>();

/** Adds validation and timeouts to the store, and sets the engine's clock by the store's clock. Never rejects. */
export function prepareStore(engine: Engine): Promise<void> {
  const known = prepared.get(engine);
  if (known) return known;
  if (!engine.local) engine.store = bounded(engine);
  const preparing = alignClock(engine);
  prepared.set(engine, preparing);
  return preparing;
}

/** Sets the engine's clock by the store's clock, which all processes use. Never rejects. */
export async function alignClock(engine: Engine): Promise<void> {
  const { store, clock } = engine;
  if (!store.now) return;
  try {
    const asked = clock.now();
    const now = await store.now();
    const took = clock.now() - asked;
    if (took <= longestLook) engine.ahead = Math.round(wallTimeOf(clock) - took / 2 - now);
  } catch (error) {
    engine.fault(error);
  }
}

/** Wraps the store of an engine: calls reject with `store-failed` if they take too long or return an invalid record. */
function bounded(engine: Engine): TaskStore {
  const store = checkedStore(engine.store, (error) => engine.fault(error));
  return new Proxy(store, {
    get: (_, name) => {
      const member = Reflect.get(store, name, store) as unknown;
      if (typeof member !== "function") return member;
      return async (...values: unknown[]) =>
        inTime(engine, String(name), Reflect.apply(member, store, values) as unknown);
    },
  });
}

async function inTime(engine: Engine, name: string, work: unknown): Promise<unknown> {
  const { clock } = engine;
  const most = Math.max(leastTimeout, engine.leaseMs);
  let timer: unknown;
  const late = new Promise((_, reject) => {
    const refuse = (): void => reject(new McpError("store-failed", `${name}: no answer for ${most} ms`));
    timer = unref(clock.schedule(refuse, most));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clock.clear(timer);
  }
}
