import { longestWaitMs, oddTexts, same, until as untilTrue } from "./rule-checks.mjs";

/** A session for tests of stores. */
export function sampleSession(id, changes = {}) {
  return {
    id,
    principal: "",
    revision: "a-revision",
    clientInfo: { name: "client", version: "1.0.0" },
    clientCapabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
    declared: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
    logLevel: "info",
    subscriptions: [],
    created: 1_700_000_000_000,
    ...changes,
  };
}

/** Ids that databases and their drivers tend to fold, cut off or take for syntax. All are visible ASCII. */
const oddIds = [...oddTexts, "x".repeat(4095)];

/** Longer than a test takes, in milliseconds. */
const long = 600_000;
const short = 50;

/** The rules of session stores. Make one test for each, with empty stores. */
export const sessionStoreRules = [
  rule("a session that was set is found as it was", async (store) => {
    // Deno refuses a literal lone surrogate.
    const text = `ünï\u0000${String.fromCharCode(0xd800)}\u{1f600}"\\'\n`;
    const session = sampleSession("a", {
      principal: text,
      clientInfo: { name: text, version: "" },
      clientCapabilities: { experimental: { [text]: { __proto__x: [1.5, -0.25, null, true, text] } } },
      subscriptions: [text, "file:///a", "file:///a?b={c}"],
      data: JSON.stringify({ [text]: [text, 1, null] }),
      created: 1_700_000_000_000.5,
    });
    await store.set(session, long);
    same(await store.get("a"), session);
  }),
  rule("an id that was never set is not found", async (store) => {
    await store.set(sampleSession("a"), long);
    for (const id of ["b", "A", "aa", "*", "?", "%", "{a}"]) same(await store.get(id), undefined);
    same(await store.touch("b", long), false);
    await store.delete("b");
    same(await store.get("a"), sampleSession("a"));
  }),
  rule("ids are compared character by character", async (store) => {
    for (const id of oddIds) await store.set(sampleSession(id, { principal: id }), long);
    for (const id of oddIds) same(await store.get(id), sampleSession(id, { principal: id }));
    for (const id of oddIds) {
      same(await store.touch(id, long), true);
      await store.delete(id);
      same(await store.get(id), undefined);
      same(await store.touch(id, long), false);
    }
  }),
  rule("set replaces a session", async (store) => {
    await store.set(sampleSession("a", { subscriptions: ["file:///a"] }), long);
    await store.set(sampleSession("a", { logLevel: "error" }), long);
    same(await store.get("a"), sampleSession("a", { logLevel: "error" }));
  }),
  rule("stores side by side share nothing", async (store, other) => {
    await store.set(sampleSession("a"), long);
    same(await other.get("a"), undefined);
    same(await other.touch("a", long), false);
    await other.delete("a");
    await other.set(sampleSession("a", { principal: "other" }), long);
    same(await store.get("a"), sampleSession("a"));
  }),
  rule("a session is gone after its time", async (store) => {
    await store.set(sampleSession("a"), short);
    await store.set(sampleSession("b"), long);
    await until(async () => (await store.get("a")) === undefined);
    same(await store.touch("a", long), false);
    same(await store.get("a"), undefined);
    same(await store.get("b"), sampleSession("b"));
    // The id of an expired session may be used again.
    await store.set(sampleSession("a", { principal: "next" }), long);
    same(await store.get("a"), sampleSession("a", { principal: "next" }));
  }),
  rule("touch replaces the time by a longer or a shorter one", async (store) => {
    await store.set(sampleSession("a"), long);
    same(await store.touch("a", short), true);
    await until(async () => (await store.get("a")) === undefined);
    await store.set(sampleSession("b"), longestWaitMs);
    same(await store.touch("b", long), true);
    same(await store.get("b"), sampleSession("b"));
  }),
  rule("set replaces the time", async (store) => {
    await store.set(sampleSession("a"), long);
    await store.set(sampleSession("a"), short);
    await until(async () => (await store.get("a")) === undefined);
  }),
  rule("times are fractions, zero and very long, too", async (store) => {
    await store.set(sampleSession("a"), 600_000.5);
    same(await store.touch("a", 1e15), true);
    same(await store.touch("a", 600_000.25), true);
    same(await store.get("a"), sampleSession("a"));
    await store.touch("a", 0);
    await until(async () => (await store.get("a")) === undefined);
  }),
  rule("what is done to many sessions at once is done to each", async (store) => {
    const ids = Array.from({ length: 300 }, (_, index) => `many-${index}`);
    await Promise.all(ids.map((id) => store.set(sampleSession(id, { principal: id }), long)));
    await Promise.all(ids.filter((_, index) => index % 3 === 0).map((id) => store.delete(id)));
    const found = await Promise.all(ids.map((id) => store.get(id)));
    for (const [index, id] of ids.entries())
      same(found[index], index % 3 === 0 ? undefined : sampleSession(id, { principal: id }));
  }),
  rule("of writers of one session at once, one is last", async (store) => {
    const principals = Array.from({ length: 20 }, (_, index) => `writer ${index}`);
    await Promise.all(principals.map((principal) => store.set(sampleSession("a", { principal }), long)));
    const found = await store.get("a");
    same(found, sampleSession("a", { principal: found?.principal ?? "none" }));
    same(principals.includes(found.principal), true);
  }),
];

function rule(name, check) {
  return { name, check };
}

function until(isTrue) {
  return untilTrue(isTrue, "the session is still there");
}
