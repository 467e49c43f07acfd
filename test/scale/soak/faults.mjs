// Faults that are injected at random moments, drawn from a seed.
import { setTimeout as sleep } from "node:timers/promises";
import { plainKinds } from "./load.mjs";
import { readSlowly } from "./slow-reader.mjs";

/** Milliseconds after a fault in which calls may still fail by it: a lost node is noticed within 5 s. */
export const aftermathMs = 5000;

/** Nodes that are never killed: their memory is watched over the whole time. */
export const lasting = 2;

const anyOf = (names) => (code) => names.includes(code);
const isCoded = (code) => code !== undefined && code !== "wrong-answer" && code !== "timeout";

/**
 * By name: the function of a fault, and `excuses`: whether a call of a kind may end with the code of an error while the
 * fault lasts. Plain calls need no store.
 */
export const faults = {
  "kill -9": {
    inject: async ({ nodes, random }) => {
      const replaced = nodes.members.length - lasting;
      await nodes.kill(lasting + Math.floor(random() * replaced));
      await nodes.start();
    },
    excuses: (kind, code) => kind === "connect" || anyOf(["connection-closed", "node-lost"])(code),
  },
  "streams cut": {
    inject: async ({ streams }) => {
      for (const stream of streams) stream.destroy();
    },
    excuses: (_, code) => anyOf(["connection-closed"])(code),
  },
  "Redis restarted": {
    inject: ({ redis, random }) => redis.restart(200 + random() * 1500),
    excuses: (kind, code) => !plainKinds.has(kind) && isCoded(code),
  },
  "Redis connections closed": {
    inject: ({ redis }) => redis.closeConnections(),
    excuses: (kind, code) => !plainKinds.has(kind) && isCoded(code),
  },
  "Redis paused": {
    inject: async ({ redis, random }) => {
      const ms = Math.floor(500 + random() * 2000);
      await redis.pause(ms);
      await sleep(ms);
    },
    excuses: (kind, code) => !plainKinds.has(kind) && isCoded(code),
  },
  "slow readers": {
    inject: ({ url }) => readSlowly(url, 2),
    excuses: () => false,
  },
};

/**
 * Injects faults until `over` aborts: first each kind once, then at random.
 *
 * @param options.everyMs milliseconds between two faults, in the mean; the aftermath comes in addition
 * @param options.began called with a fault that begins: `name`, `at`; `until` is added at its end
 */
export async function injectFaults({ everyMs, over, random, began, ...system }) {
  const names = Object.keys(faults);
  const wait = (ms) => sleep(ms, undefined, { signal: over }).catch(() => {});
  for (let count = 0; ; count++) {
    await wait(random() * 2 * everyMs);
    if (over.aborted) return;
    const name = names[count < names.length ? count : Math.floor(random() * names.length)];
    const fault = { name, at: performance.now() };
    began(fault);
    const result = await faults[name].inject({ random, ...system });
    Object.assign(fault, { until: performance.now(), ...result });
    await wait(aftermathMs);
  }
}
