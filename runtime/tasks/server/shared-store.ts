import { McpError } from "@mcpgen/runtime";
import { unref, wallTimeOf } from "@mcpgen/base";
import { checkedStore } from "../store/checked-store.js";
import type { TaskStore } from "../store/store.js";
import type { Engine } from "./engine.js";

// Stores of several processes: their calls may never settle, and their clock is the one that all processes have. Loaded
// before the first task is stored, run or looked at.

/** Milliseconds that a call of a store may take at least. */
const leastTimeout = 15_000;

/** Milliseconds that a look at the clock of the store may take. A slower one is not exact enough. */
const longestLook = 1000;

const prepared = new WeakMap<Engine, Promise<void>>();

/** Judges what the store returns, bounds its calls, and sets the clock of the engine by that of the store. Never rejects. */
export function prepareStore(engine: Engine): Promise<void> {
  const known = prepared.get(engine);
  if (known) return known;
  if (!engine.local) engine.store = bounded(engine);
  const preparing = alignClock(engine);
  prepared.set(engine, preparing);
  return preparing;
}

/** Sets the clock of the engine by that of the store, which other processes use, too. Never rejects. */
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

/** The store of an engine. Its calls reject with `store-failed` if they take too long, or return what is no task. */
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
