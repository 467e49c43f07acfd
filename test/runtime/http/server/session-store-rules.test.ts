import { MemorySessionStore, type SessionStore } from "@mcpgen/runtime/http";
import { sampleSession, sessionStoreRules } from "../../../support/store-rules/session-store-rules.mjs";
import { describe, expect, test } from "vitest";

describe.concurrent("the session store in memory", () => {
  for (const { name, check } of sessionStoreRules)
    test(name, () => check(new MemorySessionStore(), new MemorySessionStore()));
});

/** Stores that break a rule each. */
const broken: Readonly<Record<string, (memory: MemorySessionStore) => Partial<SessionStore>>> = {
  "a session that was set is found as it was": () => ({ get: () => sampleSession("a") }),
  "an id that was never set is not found": () => ({ touch: () => true }),
  "ids are compared character by character": (memory) => ({
    set: (session, ttl) => memory.set({ ...session, id: session.id.toLowerCase() }, ttl),
  }),
  "set replaces a session": (memory) => ({
    set: (session, ttl) => void (memory.get(session.id) ?? memory.set(session, ttl)),
  }),
  "what is done to many sessions at once is done to each": () => ({ delete: () => {} }),
};

test.each(Object.entries(broken))(
  "the rules detect a store that breaks this one: %s",
  async (name, change) => {
    const memory = new MemorySessionStore();
    const functions = change(memory);
    const store: SessionStore = {
      get: functions.get ?? ((id) => memory.get(id)),
      set: functions.set ?? ((session, ttl) => memory.set(session, ttl)),
      touch: functions.touch ?? ((id, ttl) => memory.touch(id, ttl)),
      delete: functions.delete ?? ((id) => memory.delete(id)),
    };
    const { check } = sessionStoreRules.find((rule) => rule.name === name)!;
    await expect(check(store, new MemorySessionStore())).rejects.toThrow("expected");
  },
);
