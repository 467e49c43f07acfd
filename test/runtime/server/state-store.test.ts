import { serverRevisions } from "@mcpgen/protocol";
import { type ServerOptions, type StateStore, createServer, memoryStateStore } from "@mcpgen/runtime";
import { expect, test, vi } from "vitest";
import { heard } from "../../support/heard.mjs";
import { type Members, RawClient, type Wired, textOf } from "../../support/raw-stdio-client.js";

const keys = ["a secret that processes share"];
const form = {
  message: "?",
  requestedSchema: { type: "object" as const, properties: { ok: { type: "boolean" as const } } },
};
const yes = { action: "accept", content: { ok: true } };

/** A server that pays after one question, and ships after the next. */
function shop({ state, ...options }: Partial<ServerOptions>) {
  const done: string[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, state: { keys, ...state }, ...options },
  );
  server.tool("buy", {}, async (_, { ask, once }) => {
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
const rejected = { error: { code: -32602, message: expect.stringContaining("used before") as string } };

test("with a store no state is used twice, and none of an earlier round after a later one", async () => {
  const { done, round } = shop({ state: { store: memoryStateStore() } });
  const first = stateOf(await round());
  const second = stateOf(await round(first, "pay"));
  expect(await round(first, "pay")).toMatchObject(rejected);
  expect(textOf(await round(second, "ship"))).toBe("bought");
  expect(await round(second, "ship")).toMatchObject(rejected);
  expect(await round(first, "pay")).toMatchObject(rejected);
  expect(done).toEqual(["paid", "shipped"]);
  // Another request has separate rounds.
  expect(await round(stateOf(await round()), "pay")).toMatchObject({ result: {} });
});

test("of two simultaneous retries, one is refused", async () => {
  const { done, round } = shop({ state: { store: memoryStateStore() } });
  const first = stateOf(await round());
  const answers = await Promise.all([round(first, "pay"), round(first, "pay")]);
  expect(answers.filter(({ error }) => error)).toHaveLength(1);
  expect(done).toEqual(["paid"]);
});

test("without a store, and in another process with a separate store, an effect runs again: that is documented", async () => {
  for (const store of [undefined, memoryStateStore()]) {
    const one = shop(store ? { state: { store } } : {});
    const other = shop(store ? { state: { store: memoryStateStore() } } : {});
    const first = stateOf(await one.round());
    await one.round(first, "pay");
    await other.round(first, "pay");
    expect([one.done, other.done]).toEqual([["paid"], ["paid"]]);
  }
});

test("processes that share a store share the used states", async () => {
  const memory = memoryStateStore();
  const store: StateStore = { use: async (state) => memory.use(state) };
  const [one, other] = [shop({ state: { store } }), shop({ state: { store } })];
  const first = stateOf(await one.round());
  await one.round(first, "pay");
  expect(await other.round(first, "pay")).toMatchObject(rejected);
  expect(other.done).toEqual([]);
});

test("a store that fails runs nothing", async () => {
  const handlerError = vi.fn();
  const use = (): never => {
    throw new Error("the store is down");
  };
  const { done, round } = shop({ state: { store: { use } }, onEvent: heard({ handlerError }) });
  expect(await round(stateOf(await round()), "pay")).toMatchObject({ error: { code: -32603 } });
  expect(done).toEqual([]);
  expect(handlerError).toHaveBeenCalledOnce();
});

test("a store in memory is bounded and drops expired states", () => {
  const store = memoryStateStore(2);
  const state = (request: string, expires = Date.now() + 60_000) => ({ request, round: 1, expires });
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
