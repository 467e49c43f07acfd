import { serverRevisions } from "@mcpgen/protocol";
import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { type SealedSessionOptions, sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { describe, expect, test, vi } from "vitest";
import { adapters, serve } from "../../support/http-adapters.js";
import { type Inside, inside } from "../../support/http-fixture.js";
import { Party } from "../../support/raw-http-client.js";

const revision = "2025-11-25";
const [secret, older] = ["s".repeat(32), "t".repeat(32)] as const;
type Adapter = (typeof adapters)[number];

/** A node. For a client, it is like a separate process. */
async function node(
  adapter: Adapter,
  given: Partial<SealedSessionOptions> = {},
  options: ServeHttpOptions = {},
  clock?: Inside["clock"],
) {
  const found = inside({ revisions: serverRevisions, ...(clock && { clock }) });
  const sealed = sealedSessions({ keys: [secret], ...given });
  const target = await serve(adapter, found.server, { keepAliveMs: 0, ...options, sessions: sealed });
  return { ...found, target };
}

type Node = Awaited<ReturnType<typeof node>>;

/** The session of a client, at another process. */
function moved(party: Party, { target }: Node, headers = {}): Party {
  const other = new Party(target.url, revision, { ...party.headers, ...headers }, party.capabilities);
  other.session = party.session;
  return other;
}

async function statusAt(party: Party, target: Node): Promise<number> {
  const there = moved(party, target);
  return (await there.post(there.message("ping"))).status;
}

describe.each(adapters)("sessions that are sealed in their ids, over %s", (adapter) => {
  test("continue at each of four processes in turn, and after a restart of all", async () => {
    const nodes = await Promise.all([1, 2, 3, 4].map(() => node(adapter)));
    const party = await new Party(nodes[0]!.target.url, revision, {}, { roots: {} }).open();
    for (let call = 0; call < 12; call++) {
      const there = moved(party, nodes[call % 4]!);
      expect(await there.tool("echo", { text: `${call}` })).toMatchObject({ content: [{ text: `${call}` }] });
    }
    const seen = nodes.map(({ target }) =>
      [...target.sessions].map(({ clientInfo, revision: of }) => [clientInfo!.name, of]),
    );
    expect(seen).toEqual([1, 2, 3, 4].map(() => [["raw", revision]]));
    for (const { target } of nodes) await target.close();
    expect(await statusAt(party, await node(adapter))).toBe(200);
  });

  test("take no memory while they are not in use", async () => {
    const one = await node(adapter);
    const party = await new Party(one.target.url, revision).open();
    expect(one.target.sessions.size).toBe(1);
    await one.clock.advance(30_000);
    expect(one.target.sessions.size).toBe(0);
    await party.tool("echo", { text: "x" });
    expect(one.target.sessions.size).toBe(1);
  });

  test("end for good when their time is over, by the clock of the server", async () => {
    const one = await node(adapter, { ttlMs: 60_000 });
    const party = await new Party(one.target.url, revision).open();
    await one.clock.advance(59_999);
    expect(await statusAt(party, one)).toBe(200);
    await one.clock.advance(1);
    const other = await node(adapter, { ttlMs: 60_000 }, {}, one.clock);
    expect([await statusAt(party, one), await statusAt(party, other)]).toEqual([404, 404]);
  });

  test("end when the client deletes them", async () => {
    const one = await node(adapter);
    const party = await new Party(one.target.url, revision).open();
    expect((await party.delete()).status).toBe(204);
    expect(await statusAt(party, one)).toBe(404);
  });

  test("survive a change of the keys, until the old one goes", async () => {
    const party = await new Party((await node(adapter, { keys: [older] })).target.url, revision).open();
    const during = await node(adapter, { keys: [secret, older] });
    expect(await statusAt(party, during)).toBe(200);
    expect(await statusAt(party, await node(adapter))).toBe(404);
    const renewed = await new Party(during.target.url, revision).open();
    expect(await statusAt(renewed, await node(adapter))).toBe(200);
  });

  test("are kept from other principals", async () => {
    const authenticate: ServeHttpOptions["authenticate"] = ({ header }) => ({
      principal: header("authorization")!,
    });
    const [one, other] = await Promise.all([1, 2].map(() => node(adapter, {}, { authenticate })));
    const ada = await new Party(one!.target.url, revision, { authorization: "ada" }).open();
    expect(await statusAt(moved(ada, other!, { authorization: "bob" }), other!)).toBe(404);
    expect(await statusAt(ada, other!)).toBe(200);
  });

  test("of other forms are refused: each changed character, cut, lengthened, padded, empty", async () => {
    const [one, other] = await Promise.all([node(adapter), node(adapter)]);
    const party = await new Party(one.target.url, revision).open();
    const id = party.session!;
    const changed = [...id].map(
      (character, at) => `${id.slice(0, at)}${character === "A" ? "B" : "A"}${id.slice(at + 1)}`,
    );
    const forged = [
      ...changed,
      id.slice(0, -1),
      `${id}A`,
      `${id}=`,
      `${id}==`,
      `.${id}`,
      `${id}.`,
      "A",
      "x".repeat(4000),
    ];
    for (const session of forged) {
      party.session = session;
      expect([session, await statusAt(party, other)]).toEqual([session, 404]);
    }
    expect(other.target.sessions.size).toBe(0);
    party.session = id;
    expect(await statusAt(party, other)).toBe(200);
  });

  test("refuse the answer to a request of another process, with a code", async () => {
    const [one, other] = await Promise.all([node(adapter), node(adapter)]);
    const party = await new Party(one.target.url, revision, {}, { elicitation: {} }).open();
    const answer = await party.post(party.call("greet"));
    const { data } = await answer.until(({ events }) =>
      events.find((event) => event.data?.includes("elicitation")),
    );
    const { id } = JSON.parse(data!) as { readonly id: string };
    const result = { action: "accept", content: { name: "Ada" } };
    const lost = await moved(party, other).post({ jsonrpc: "2.0", id, result });
    await lost.whole();
    expect([lost.status, lost.text]).toEqual([400, expect.stringContaining('"code":"needs-store"')]);
    expect((await party.post({ jsonrpc: "2.0", id, result })).status).toBe(202);
    expect(await answer.whole()).toContain("Hello, Ada");
  });

  test("are refused for a client whose declarations do not fit into an id", async () => {
    const one = await node(adapter);
    const experimental = { "example/large": { text: "x".repeat(5000) } };
    const party = new Party(one.target.url, revision, {}, { experimental });
    const answer = await party.initialize();
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("params.capabilities")]);
    expect(one.target.sessions.size).toBe(0);
  });
});

test("shorten texts of the client, and ids contain no readable text", async () => {
  const { generateId, store } = sealedSessions({ keys: [secret] });
  const clientInfo = { name: "n".repeat(500), version: "v".repeat(500), title: "t".repeat(500) };
  const record = {
    principal: "ada",
    revision,
    clientInfo,
    clientCapabilities: {},
    declared: {},
    logLevel: "debug",
    subscriptions: [],
    created: Date.now(),
  } as const;
  const ids = await Promise.all([generateId(record), generateId(record)]);
  expect(ids[0]).not.toBe(ids[1]);
  expect(ids[0]!.length).toBeLessThan(450);
  expect(Buffer.from(ids[0]!, "base64url").toString("latin1")).not.toContain("ada");
  expect(await store.get(ids[0]!)).toEqual({
    ...record,
    id: ids[0],
    clientInfo: { name: "n".repeat(64), version: "v".repeat(64) },
  });
});

test.each([
  [{}, "keys"],
  [{ keys: [] }, "32 characters"],
  [{ keys: ["short"] }, "32 characters"],
  [{ keys: [secret], ttlMs: 0 }, "ttlMs"],
  [{ keys: [secret], ttl: 5 }, "ttl"],
])("the options %j are refused", (options, named) => {
  expect(() => sealedSessions(options as SealedSessionOptions)).toThrow(named);
});

test("no session that has ended is forgotten within its life: above 100,000 of one principal, further ends are refused", () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const { generateId, store } = sealedSessions({ keys: [secret], ttlMs: 60_000 });
  const made = (principal: string, ahead = 0): string =>
    generateId({
      ...{ principal, revision, created: Date.now() + ahead, clientInfo: { name: "a", version: "1" } },
      ...{ clientCapabilities: {}, declared: {}, logLevel: "info", subscriptions: [] },
    } as never) as string;
  const ended = Array.from({ length: 100_000 }, () => made("ada"));
  for (const id of ended) store.delete(id);
  const last = made("ada");
  expect(() => store.delete(last)).toThrow("too many sessions have ended");
  expect(store.get(last)).toMatchObject({ id: last });
  for (const id of [ended[0]!, ended[1]!, ended.at(-1)!]) expect(store.get(id)).toBeUndefined();
  // Another principal has its own share.
  const other = made("bob");
  store.delete(other);
  expect(store.get(other)).toBeUndefined();
  // A process whose clock is 30 seconds ahead made it: it lives that much longer here.
  const later = made("eve", 30_000);
  store.delete(later);
  vi.advanceTimersByTime(61_000);
  expect(store.get(later)).toBeUndefined();
  const fresh = made("ada");
  store.delete(fresh);
  expect(store.get(fresh)).toBeUndefined();
});
