import { serverRevisions } from "@mcpgen/protocol";
import { type ServerOptions, type StateStore, createServer, memoryStateStore } from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { heard } from "../../support/heard.mjs";
import { type Members, RawClient, type Wired, textOf } from "../../support/raw-stdio-client.js";

const keys = ["a secret that processes share"];
const form = {
  message: "?",
  requestedSchema: { type: "object" as const, properties: { ok: { type: "boolean" as const } } },
};
const yes = { action: "accept", content: { ok: true } };

/** The handler runs again for each answer, in any process that has the keys. */
const replayed = { keys, parking: false } as const;

/** A server that pays after one question, and ships after the next. */
function shop({ state = {}, ...options }: Partial<ServerOptions>) {
  const done: string[] = [];
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions, state, ...options });
  server.tool("buy", { replay: state.parking === false }, async (_, { ask, once }) => {
    await ask.elicit("pay", form);
    await once("paid", () => void done.push("paid"));
    await ask.elicit("ship", form);
    await once("shipped", () => void done.push("shipped"));
    return "bought";
  });
  const client = new RawClient(server, "2026-07-28", { elicitation: {} });
  const round = (requestState?: string, key?: string): Promise<Wired> =>
    client.request("tools/call", {
      name: "buy",
      arguments: {},
      ...(requestState === undefined ? {} : { requestState, inputResponses: { [key!]: yes } }),
    });
  return { done, round };
}

const stateOf = ({ result }: Wired): string => (result as Members)["requestState"] as string;
const used = {
  error: {
    code: -32602,
    message: expect.stringContaining("used before") as string,
    data: { code: "state-used" },
  },
};

test("with a store no state is used twice, and none of an earlier round after a later one", async () => {
  const { done, round } = shop({ state: { ...replayed, store: memoryStateStore() } });
  const first = stateOf(await round());
  const second = stateOf(await round(first, "pay"));
  expect(await round(first, "pay")).toMatchObject(used);
  expect(textOf(await round(second, "ship"))).toBe("bought");
  expect(await round(second, "ship")).toMatchObject(used);
  expect(await round(first, "pay")).toMatchObject(used);
  expect(done).toEqual(["paid", "shipped"]);
  // Another request has separate rounds.
  expect(await round(stateOf(await round()), "pay")).toMatchObject({ result: {} });
});

test("of two simultaneous retries, one is refused", async () => {
  const { done, round } = shop({ state: { ...replayed, store: memoryStateStore() } });
  const first = stateOf(await round());
  const answers = await Promise.all([round(first, "pay"), round(first, "pay")]);
  expect(answers.filter(({ error }) => error)).toHaveLength(1);
  expect(done).toEqual(["paid"]);
});

test("in another process with a separate store, an effect runs again: that is documented", async () => {
  const make = () => shop({ state: { ...replayed, store: memoryStateStore() } });
  const [one, other] = [make(), make()];
  const first = stateOf(await one.round());
  await one.round(first, "pay");
  await other.round(first, "pay");
  expect([one.done, other.done]).toEqual([["paid"], ["paid"]]);
});

test("processes that share a store share the used states", async () => {
  const memory = memoryStateStore();
  const store: StateStore = { use: async (state) => memory.use(state) };
  const state = { ...replayed, store };
  const [one, other] = [shop({ state }), shop({ state })];
  const first = stateOf(await one.round());
  await one.round(first, "pay");
  expect(await other.round(first, "pay")).toMatchObject(used);
  expect(other.done).toEqual([]);
});

test.each(["waits", "runs again"])(
  "a store that fails runs nothing, if the handler %s, and leaves the state good",
  async (how) => {
    const onError = vi.fn();
    const memory = memoryStateStore();
    let isDown = true;
    const use: StateStore["use"] = (state) => {
      if (isDown) throw new Error("the store is down");
      return memory.use(state);
    };
    const state = { ...(how === "waits" ? {} : replayed), store: { use } };
    const { done, round } = shop({ state, onEvent: heard({ handlerError: onError }) });
    const first = stateOf(await round());
    expect(await round(first, "pay")).toMatchObject({ error: { code: -32603 } });
    expect(done).toEqual([]);
    expect(onError).toHaveBeenCalledOnce();
    isDown = false;
    expect(textOf(await round(stateOf(await round(first, "pay")), "ship"))).toBe("bought");
    expect(done).toEqual(["paid", "shipped"]);
  },
);

test.each([undefined, memoryStateStore()])(
  "a state of a handler that waits gets the same answer for 30 seconds, and is used then (store: %o)",
  async (store) => {
    const clock = new VirtualClock();
    const { done, round } = shop({ clock, state: { ...(store && { store }) } });
    const first = stateOf(await round());
    const second = await round(first, "pay");
    await clock.advance(29_999);
    expect((await round(first, "pay")).result).toEqual(second.result);
    await clock.advance(1);
    expect(await round(first, "pay")).toMatchObject(used);
    const bought = await round(stateOf(second), "ship");
    expect(textOf(bought)).toBe("bought");
    expect((await round(stateOf(second), "ship")).result).toEqual(bought.result);
    expect(await round(first, "pay")).toMatchObject(used);
    await clock.advance(30_000);
    expect(await round(stateOf(second), "ship")).toMatchObject(used);
    expect(done).toEqual(["paid", "shipped"]);
    // Another request has separate rounds.
    expect(await round(stateOf(await round()), "pay")).toMatchObject({ result: {} });
  },
);

test("two simultaneous answers continue a handler that waits once, and get one result", async () => {
  const { done, round } = shop({});
  const first = stateOf(await round());
  const answers = await Promise.all([round(first, "pay"), round(first, "pay")]);
  expect(answers[0]!.result).toEqual(answers[1]!.result);
  expect(stateOf(answers[0]!)).not.toBe(first);
  expect(done).toEqual(["paid"]);
});

test("a handler that waits in one process runs in no other", async () => {
  const store = memoryStateStore();
  const make = () => shop({ state: { keys, parking: "routed", store } });
  const [one, other] = [make(), make()];
  const first = stateOf(await one.round());
  expect(await other.round(first, "pay")).toMatchObject({
    error: { code: -32602, data: { code: "state-lost", cause: "not-here" } },
  });
  expect(await one.round(first, "pay")).toMatchObject({ result: { resultType: "input_required" } });
  expect([one.done, other.done]).toEqual([["paid"], []]);
});

test("a store in memory is bounded and drops expired states", () => {
  const store = memoryStateStore(2);
  const state = (request: string, expires = Date.now() + 60_000) => ({
    request,
    round: 1,
    expires,
    now: Date.now(),
  });
  expect(["a", "b", "c"].map((name) => store.use(state(name)))).toEqual([true, true, true]);
  expect([store.use(state("c")), store.use(state("b")), store.use(state("a"))]).toEqual([false, false, true]);
  const expiring = memoryStateStore();
  expiring.use(state("old", Date.now() - 1));
  expiring.use(state("new"));
  expect(expiring.use(state("old"))).toBe(true);
});

test("a key in place of the list of keys is refused, and the error does not show it", () => {
  const wrong = { keys: "a secret that processes share" } as never;
  const make = () => createServer({ name: "s", version: "1" }, { revisions: serverRevisions, state: wrong });
  expect(make).toThrow(/^state\.keys: expected a list\.$/);
});

test.each([{}, { parking: {} }, { parking: false }, { keys, parking: "routed" }] as const)(
  "a server with the state %j needs no random values and no timer, which workers lack while they load",
  (state) => {
    const spies = [
      vi.spyOn(crypto, "getRandomValues"),
      vi.spyOn(crypto, "randomUUID"),
      vi.spyOn(globalThis, "setTimeout"),
      vi.spyOn(globalThis, "setInterval"),
    ];
    onTestFinished(() => void vi.restoreAllMocks());
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions, state });
    server.tool("t", {}, () => "done");
    createHttpHandler(server, { keepAliveMs: 100 });
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  },
);
