import { type ClusterStore, MemoryClusterStore } from "@mcpgen/cluster";
import { VirtualClock } from "@mcpgen/testing";
import { clusterStoreRules } from "../../support/store-rules/cluster-store-rules.mjs";
import { describe, expect, test } from "vitest";

/** Stores of a rule. @param change makes a store that breaks a rule */
function storesOf(change: (memory: MemoryClusterStore) => Partial<ClusterStore> = () => ({})) {
  const memory = new MemoryClusterStore();
  const changed = (one: MemoryClusterStore): ClusterStore => {
    const bound = new Proxy(one, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    return Object.assign(Object.create(bound) as ClusterStore, change(one));
  };
  return { store: changed(memory), peer: changed(memory.connect()), other: new MemoryClusterStore() };
}

describe.concurrent("the store of processes in memory", () => {
  for (const { name, check } of clusterStoreRules) test(name, () => check(storesOf()));
});

/** Stores that break a rule each. */
const broken: Readonly<Record<string, (memory: MemoryClusterStore) => Partial<ClusterStore>>> = {
  "log: streams of a session are apart": ({ log }) => ({
    log: { ...log, append: (session, _, data, ttl) => log.append(session, "s", data, ttl) },
  }),
  "log: calls at once keep their order": ({ log }) => {
    let calls = 0;
    return {
      log: {
        ...log,
        append: async (...args) => {
          if (calls++ % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
          return log.append(...args);
        },
      },
    };
  },
  "log: hostile ids of events are unknown: long, odd, syntax of databases": ({ log }) => ({
    log: {
      ...log,
      after: async (session, event) => {
        if (event.length > 10_000) throw new Error("expected fewer characters");
        return log.after(session, event);
      },
    },
  }),
  "log: an event that was never appended is unknown": ({ log }) => ({
    log: { ...log, after: async (session, event) => log.after(session, event.trim()) },
  }),
  "log: a session keeps so many events": ({ log }) => ({
    log: {
      ...log,
      after: async (session, event) => (await log.after(session, event)) ?? { stream: "", events: [] },
    },
  }),
  "channel: without a subscriber the number is 0, and the message is lost": (memory) => ({
    publish: async (...args) => Math.max(1, await memory.publish(...args)),
  }),
  "channel: a subscription that has ended gets nothing": (memory) => ({
    subscribe: async (channel, listener) => {
      await memory.subscribe(channel, listener);
      return async () => {};
    },
  }),
  "key: of many takers at once, one gets the value": (memory) => ({
    take: async (key) => {
      const value = await memory.get(key);
      await memory.take(key);
      return value;
    },
  }),
  "claim: of many at once, one is granted": (memory) => ({
    claim: async (key, value, ttl) => {
      if ((await memory.get(key)) !== undefined) return false;
      await memory.put(key, value, ttl);
      return true;
    },
  }),
  "node: it is alive after a heartbeat, for each process": () => ({ alive: async () => true }),
  "close keeps the events that were appended before it": ({ log }) => ({
    log: {
      ...log,
      append: async (...args) => {
        await Promise.resolve();
        return log.append(...args);
      },
    },
  }),
  "channel: events of the turn of a subscription come before later ones": ({ log }) => {
    let calls = 0;
    return {
      log: {
        ...log,
        append: async (...args) => {
          if (++calls === 2) await new Promise((resolve) => setTimeout(resolve, 5));
          return log.append(...args);
        },
      },
    };
  },
  "close ends subscriptions, and fails what follows": () => ({ get: async () => undefined }),
};

test.each(Object.entries(broken))(
  "the rules detect a store that breaks this one: %s",
  async (name, change) => {
    const { check } = clusterStoreRules.find((rule) => rule.name === name)!;
    await expect(check(storesOf(change))).rejects.toThrow("expected");
  },
);

test("ended subscriptions and expired values leave the memory", async () => {
  const clock = new VirtualClock();
  const store = new MemoryClusterStore(clock);
  const first = await store.log.append("a", "s", '"1"', 100);
  await store.put("k", "1", 100);
  await clock.advance(99);
  expect([await store.get("k"), await store.log.after("a", first)]).toEqual([
    "1",
    { stream: "s", events: [] },
  ]);
  await clock.advance(1);
  expect([await store.get("k"), await store.log.after("a", first)]).toEqual([undefined, undefined]);
  const next = await store.log.append("a", "s", '"2"', 100);
  expect(await store.log.after("a", next)).toEqual({ stream: "s", events: [] });
});
