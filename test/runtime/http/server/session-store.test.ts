import { serverRevisions } from "@mcpgen/protocol";
import { type ServeHttpOptions, type SessionStore, MemorySessionStore } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, test } from "vitest";
import { heard } from "../../../support/heard.mjs";
import { adapters, serve } from "../../../support/http-adapters.js";
import { inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";

const revision = "2025-11-25";

/**
 * Two handlers with one store, like two processes for a client. The store is asynchronous, and its calls are recorded.
 */
async function sharing(
  adapter: (typeof adapters)[number],
  options: ServeHttpOptions = {},
  more: Partial<SessionStore> = {},
) {
  const clock = new VirtualClock();
  const memory = new MemorySessionStore(clock);
  const calls: string[] = [];
  const errors: unknown[] = [];
  const noted =
    <Given extends unknown[], T>(name: string, call: (...given: Given) => T) =>
    async (...given: Given): Promise<Awaited<T>> => {
      calls.push(name);
      return await call(...given);
    };
  const store: SessionStore = {
    get: noted("get", (id) => (more.get ?? memory.get.bind(memory))(id)),
    set: noted("set", (session, ttl) => (more.set ?? memory.set.bind(memory))(session, ttl)),
    touch: noted("touch", (id, ttl) => (more.touch ?? memory.touch.bind(memory))(id, ttl)),
    delete: noted("delete", (id) => (more.delete ?? memory.delete.bind(memory))(id)),
  };
  const node = async (revisions = serverRevisions) => {
    const found = inside({
      clock,
      revisions,
      onEvent: heard({ handlerError: (error) => void errors.push(error) }),
    });
    const given = typeof options.sessions === "object" ? options.sessions : {};
    const ends: string[] = [];
    const sessions = {
      ...given,
      store,
      onSession: (event: { readonly type: string; readonly reason?: string }) =>
        void ends.push(event.reason ?? event.type),
    };
    const target = await serve(adapter, found.server, { keepAliveMs: 0, ...options, sessions });
    return { ...found, target, ends };
  };
  /** The same session, at another process. */
  const moved = (party: Party, { target }: { readonly target: { readonly url: string } }, headers = {}) => {
    const other = new Party(target.url, revision, { ...party.headers, ...headers }, party.capabilities);
    other.session = party.session;
    return other;
  };
  const [one, other] = [await node(), await node()];
  const party = new Party(one.target.url, revision);
  return { clock, memory, calls, errors, node, one, other, party, moved };
}

describe.each(adapters)("a session in a store over %s", (adapter) => {
  test("continues in another process, without a store call per request", async () => {
    const { one, other, party, moved, calls } = await sharing(adapter);
    await party.open();
    for (let count = 0; count < 3; count++) await party.tool("echo", { text: "x" });
    expect(calls).toEqual(["set"]);
    const there = moved(party, other);
    const answers = await Promise.all([1, 2, 3].map(() => there.tool("echo", { text: "y" })));
    expect(answers).toMatchObject([{ content: [{ text: "y" }] }, {}, {}]);
    await there.tool("echo", { text: "z" });
    expect(calls).toEqual(["set", "get"]);
    expect([one.ends, other.ends]).toEqual([["created"], ["restored"]]);
    expect([...other.target.sessions]).toMatchObject([
      { id: party.session, clientInfo: { name: "raw" }, revision },
    ]);
  });

  test("survives a restart with its subscriptions, log level and creation time", async () => {
    const { clock, one, party, moved, node } = await sharing(adapter);
    await party.open();
    await party.request("resources/subscribe", { uri: "note://one" });
    await party.request("resources/subscribe", { uri: "note://zwei/für" });
    await party.request("resources/unsubscribe", { uri: "note://zwei/für" });
    await party.request("logging/setLevel", { level: "error" });
    const { created } = one.target.sessions.get(party.session!)!;
    await clock.advance(5000);
    await one.target.close();
    expect(one.ends).toEqual(["created", "closed"]);
    const next = await node();
    next.server.tool("logs", {}, (_, { log }) => {
      log("info", "quiet");
      log("error", "loud");
      return "logged";
    });
    const there = moved(party, next);
    const stream = await there.get();
    const answer = await there.post(there.call("logs"));
    expect(await answer.whole()).toContain("loud");
    expect(answer.text).not.toContain("quiet");
    next.server.resourceUpdated("note://zwei/für");
    next.server.resourceUpdated("note://one");
    const update = await stream.until(({ events }) => events.find(({ data }) => data?.includes("updated")));
    expect(update.data).toContain('"uri":"note://one"');
    expect(next.target.sessions.get(party.session!)?.created).toBe(created);
  });

  test("is opened to its client after it is stored", async () => {
    let store!: () => void;
    const waiting = new Promise<void>((resolve) => (store = resolve));
    const { party, one } = await sharing(adapter, {}, { set: () => waiting });
    let isAnswered = false;
    const opening = party.initialize().then((answer) => {
      isAnswered = true;
      return answer;
    });
    const probe = new Party(one.target.url, "2026-07-28");
    await probe.tool("echo", { text: "x" });
    expect([isAnswered, one.target.sessions.size]).toEqual([false, 0]);
    store();
    expect((await opening).headers["mcp-session-id"]).toBeDefined();
    expect(one.target.sessions.size).toBe(1);
  });

  test("is kept from other principals", async () => {
    const authenticate: ServeHttpOptions["authenticate"] = ({ header }) => {
      const user = header("authorization")!;
      return { auth: user, principal: user };
    };
    const { one, other, moved } = await sharing(adapter, { authenticate });
    const ada = await new Party(one.target.url, revision, { authorization: "ada" }).open();
    const bob = moved(ada, other, { authorization: "bob" });
    expect((await bob.post(bob.message("ping"))).status).toBe(404);
    expect((await bob.get()).status).toBe(404);
    expect((await bob.delete()).status).toBe(404);
    expect([other.ends, other.target.sessions.size]).toEqual([[], 0]);
    const there = moved(ada, other);
    expect((await there.post(there.message("ping"))).status).toBe(200);
  });

  test("ends everywhere when its client or the application ends it", async () => {
    const { clock, one, other, party, moved, memory } = await sharing(adapter);
    await party.open();
    const there = moved(party, other);
    expect((await there.delete()).status).toBe(204);
    expect(memory.get(party.session!)).toBeUndefined();
    // The first process notices when it next keeps the session in the store.
    await party.post(party.message("ping"));
    await clock.advance(30_000);
    await expect.poll(() => one.ends).toEqual(["created", "ended"]);
    expect((await party.post(party.message("ping"))).status).toBe(404);
    expect(other.ends).toEqual(["restored", "deleted"]);

    const second = await new Party(one.target.url, revision).open();
    expect(await other.target.sessions.end(second.session!)).toBe(false);
    expect(memory.get(second.session!)).toBeUndefined();
  });

  test("is kept as long as any process uses it", async () => {
    const { clock, one, other, party, moved, memory, calls } = await sharing(adapter, {
      sessions: { idleMs: 10_000 },
    });
    await party.open();
    const there = moved(party, other);
    for (let count = 0; count < 10; count++) {
      await clock.advance(5000);
      expect((await there.post(there.message("ping"))).status).toBe(200);
    }
    expect(one.ends).toEqual(["created", "expired"]);
    expect(other.ends).toEqual(["restored"]);
    expect(calls.filter((call) => call === "touch").length).toBeLessThanOrEqual(10);
    await clock.advance(15_001);
    expect(other.ends).toEqual(["restored", "expired"]);
    expect(memory.get(party.session!)).toBeUndefined();
    expect((await there.post(there.message("ping"))).status).toBe(404);
  });

  test("makes room in the store when it makes room in the process", async () => {
    const { clock, one, party, memory } = await sharing(adapter, { limits: { sessions: 1 } });
    await party.open();
    await clock.advance(1);
    const second = await new Party(one.target.url, revision).open();
    expect([memory.get(party.session!), memory.get(second.session!)?.id]).toEqual([
      undefined,
      second.session,
    ]);
    expect(one.ends).toEqual(["created", "evicted", "created"]);
    expect((await party.post(party.message("ping"))).status).toBe(404);
  });

  test("gets 404 if its revision is not served", async () => {
    const { party, moved, node } = await sharing(adapter);
    await party.open();
    const older = await node(serverRevisions.filter(({ id }) => id < revision));
    const there = moved(party, older);
    expect((await there.post(there.message("ping"))).status).toBe(404);
  });

  test("invalid session ids are not looked up", async () => {
    const { party, calls } = await sharing(adapter);
    for (const id of ["a b", "x".repeat(4097)]) {
      party.session = id;
      expect((await party.post(party.message("ping"))).status).toBe(404);
    }
    expect(calls).toEqual([]);
    party.session = "stranger";
    expect((await party.post(party.message("ping"))).status).toBe(404);
    expect(calls).toEqual(["get"]);
  });

  test("a failing store leads to 503, and a session in use continues", async () => {
    let isDown = false;
    const fail = () => {
      if (isDown) throw new Error("connection refused");
    };
    const memory = new MemorySessionStore();
    const { one, other, party, moved, errors } = await sharing(
      adapter,
      {},
      {
        get: (id) => (fail(), memory.get(id)),
        set: (session, ttl) => (fail(), memory.set(session, ttl)),
        delete: (id) => (fail(), memory.delete(id)),
      },
    );
    await party.open();
    isDown = true;
    const there = moved(party, other);
    const refused = [
      await new Party(one.target.url, revision).initialize(),
      await there.post(there.message("ping")),
    ];
    expect(refused.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual([
      [503, "1"],
      [503, "1"],
    ]);
    expect(one.warnings.join()).toContain("the session store failed: try again later: connection refused");
    expect((await party.post(party.message("ping"))).status).toBe(200);
    const subscribed = await party.request("resources/subscribe", { uri: "note://one" });
    expect(subscribed.error).toMatchObject({ code: -32603 });
    expect(errors).toMatchObject([{ code: "store-failed", cause: { message: "connection refused" } }]);
    isDown = false;
    expect((await there.post(there.message("ping"))).status).toBe(200);
    isDown = true;
    expect((await there.delete()).status).toBe(503);
    expect([one.target.sessions.size, other.target.sessions.size]).toEqual([1, 0]);
  });
});

test("no session is opened if the function makes no id, or if the store returns an invalid value", async () => {
  const found = inside();
  const failing = await serve("node", found.server, {
    sessions: {
      generateId: () => {
        throw new Error("no random bits");
      },
    },
  });
  const party = new Party(failing.url, "2025-06-18");
  expect((await party.initialize()).status).toBe(500);
  expect(found.warnings.at(-1)).toMatch(/sessions\.generateId: the function failed: no random bits/);
  const store = new MemorySessionStore();
  const whole = await serve("node", inside().server, { sessions: { store } });
  const { session } = await new Party(whole.url, "2025-06-18").open();
  const record = store.get(session!)!;
  for (const wrong of [record, {}, "x", 5, { ...record, id: "abc", subscriptions: null }]) {
    const { server, warnings } = inside();
    const odd = { get: () => wrong as never, set: () => {}, touch: () => true, delete: () => {} };
    const { url, stats } = await serve("node", server, { sessions: { store: odd } });
    const other = new Party(url, "2025-06-18");
    other.session = "abc";
    for (let count = 0; count < 2; count++)
      expect((await other.post(other.message("ping"))).status).toBe(503);
    expect(warnings.at(-1)).toMatch(/get returned something else/);
    expect(stats().gauges).toMatchObject({ sessions: 0, keptBytes: 0 });
  }
});
