// Calls whose handlers wait for their clients at one node, and whose rounds come to other nodes.
import { serverRevisions } from "@mcpgen/protocol";
import { MemoryClusterStore, cluster } from "@mcpgen/cluster";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { type ServerOptions, createServer, memoryStateStore } from "@mcpgen/runtime";
import { type ServeHttpOptions, createHttpHandler } from "@mcpgen/runtime/http";
import * as modernEntry from "@mcpgen/runtime/modern";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { heard } from "../../support/heard.mjs";
import { serve } from "../../support/http-adapters.js";
import { Gate } from "../../support/http-fixture.js";
import { type Members, type Wired, Party, messagesOf, textOf } from "../../support/raw-http-client.js";
import { until } from "../../support/until.mjs";
import { Watched } from "./watched-store.js";

const newest = "2026-07-28";
const keys = ["k".repeat(32)];
const requestedSchema = {
  type: "object",
  properties: { sum: { type: "number" } },
  required: ["sum"],
} as const;
const accepted = { action: "accept", content: { sum: 7 } };

type Effects = string[];

/** A server whose tools have effects before, between and after their asks. */
function shop(name: string, effects: Effects, options: Partial<ServerOptions>) {
  const warnings: string[] = [];
  const gate = new Gate();
  const server = createServer(
    { name: "shop", version: "1.0.0" },
    {
      revisions: serverRevisions,
      capabilities: { logging: {} },
      ...options,
      onEvent: heard({ warning: (message) => void warnings.push(message) }),
    },
  );
  const paying = (tool: string, replay: boolean): void =>
    void server.tool<{ key: string; asks?: number }>(tool, { replay }, async ({ key, asks = 1 }, { ask }) => {
      effects.push(`${key} begins`);
      const sums: number[] = [];
      try {
        for (let at = 1; at <= asks; at++) {
          const answer = await ask.elicit<{ sum: number }>(`sum ${at}`, {
            message: "How much?",
            requestedSchema,
          });
          effects.push(`${key} pays ${at}`);
          sums.push(answer.action === "accept" ? answer.content.sum : 0);
        }
      } finally {
        effects.push(`${key} ends`);
      }
      return `${name}: ${sums.join(" ")}`;
    });
  paying("pay", false);
  if (options.state?.store) paying("again", true);
  server.tool("wait", {}, async (_, { ask, progress, log, signal }) => {
    progress(1, 3, "before");
    await ask.elicit("sum", { message: "How much?", requestedSchema });
    progress(2, 3, "after");
    log("info", "paid");
    signal.addEventListener("abort", () => effects.push("aborted"));
    await gate.opened;
    progress(3, 3, "last");
    effects.push("done");
    return "done";
  });
  return { server, warnings, gate };
}

interface Given {
  readonly http?: ServeHttpOptions;
  readonly state?: ServerOptions["state"];
}

/** Nodes over one store in memory and one clock. */
async function nodes(count: number, { http = {}, state = { keys } }: Given = {}) {
  const clock = new VirtualClock();
  const memory = new MemoryClusterStore(clock);
  const effects: Effects = [];
  const all = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const made = shop(`n${index}`, effects, { clock, state });
      const own = memory.connect();
      const watched = new Watched(own);
      const target = await serve("node", made.server, {
        keepAliveMs: 0,
        sessions: sealedSessions({ keys }),
        cluster: cluster({ store: watched.store, keys }),
        ...http,
      });
      return { ...made, own, watched, target };
    }),
  );
  const client = (node: { readonly target: { readonly url: string } }, headers = {}): Party =>
    new Party(node.target.url, newest, headers, { elicitation: {} });
  return { all, clock, memory, effects, client, clients: all.map((node) => client(node)) };
}

/** What a request carries of the round before it. */
const answering = ({ result }: Wired, answer: Members = accepted): Members => ({
  requestState: result!["requestState"],
  inputResponses: Object.fromEntries(Object.keys(result!["inputRequests"]!).map((key) => [key, answer])),
});
const call = (party: Party, name: string, args: Members = {}, more: Members = {}): Promise<Wired> =>
  party.request("tools/call", { name, arguments: args, ...more });
const asks = ({ result }: Wired): boolean => result?.["resultType"] === "input_required";

/** Calls `pay`, each round at the next node. */
async function pay(turn: () => Party, args: Members): Promise<Wired> {
  let reply = await call(turn(), "pay", args);
  while (asks(reply)) reply = await call(turn(), "pay", args, answering(reply));
  return reply;
}

/** The code and the cause of an error. */
const codeOf = ({ error }: Wired): unknown[] => {
  const { code, cause } = (error?.data ?? {}) as Members;
  return [code, cause];
};
const lost = ["state-lost", "not-here"];

const settled = async (turns = 20): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
};

async function seconds(clock: VirtualClock, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await clock.advance(1000);
    await settled();
  }
}

/** Nothing is left of calls and requests. */
async function expectEmpty(all: Awaited<ReturnType<typeof nodes>>["all"]): Promise<void> {
  await settled();
  for (const { server, target } of all) {
    expect(server.stats().gauges).toMatchObject({ parked: 0, requests: 0 });
    const { requests, bodies, bodyBytes, keptBytes, waitingBytes } = target.stats().gauges;
    expect([requests, bodies, bodyBytes, keptBytes, waitingBytes]).toEqual([0, 0, 0, 0, 0]);
  }
}

describe("rounds at other nodes", () => {
  test("strict round-robin over three nodes: 1,000 asks, no failure, no effect twice", async () => {
    const { all, clients, effects } = await nodes(3);
    let turns = 0;
    const turn = (): Party => clients[turns++ % clients.length]!;
    const calls = Array.from({ length: 250 }, (_, index) => `c${index}`);
    const replies: Wired[] = [];
    for (let at = 0; at < calls.length; at += 25)
      replies.push(
        ...(await Promise.all(calls.slice(at, at + 25).map((key) => pay(turn, { key, asks: 4 })))),
      );
    expect(replies.filter(({ error }) => error)).toEqual([]);
    expect(new Set(replies.map((reply) => textOf(reply).split(": ")[1]))).toEqual(new Set(["7 7 7 7"]));
    for (const key of calls)
      expect(effects.filter((effect) => effect.startsWith(`${key} `))).toEqual([
        ...[`${key} begins`, `${key} pays 1`, `${key} pays 2`, `${key} pays 3`, `${key} pays 4`],
        `${key} ends`,
      ]);
    // Each node passed requests on, and held calls.
    for (const { watched } of all)
      expect(watched.commands.filter((name) => name === "publish").length).toBeGreaterThan(100);
    await expectEmpty(all);
  });

  test("carry progress and logs of the round, once and in order, before the answer", async () => {
    const { all, clients } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const meta = (token: string) => ({
      _meta: { progressToken: token, "io.modelcontextprotocol/logLevel": "info" },
    });
    const first = await a.post(a.call("wait", {}, meta("first")));
    await first.whole();
    const asked = messagesOf(first).at(-1)!;
    const second = await b.post(b.call("wait", {}, { ...meta("second"), ...answering(asked) }));
    await second.until(({ events }) => events[1]);
    all[0]!.gate.open();
    await second.whole();
    const shown = messagesOf(second).map(({ method, params, result }) =>
      result
        ? textOf({ result } as Wired)
        : [method, params!["progressToken"], params!["message"] ?? params!["data"]],
    );
    expect(shown).toEqual([
      ["notifications/progress", "second", "after"],
      ["notifications/message", undefined, "paid"],
      ["notifications/progress", "second", "last"],
      "done",
    ]);
    expect(all[1]!.warnings).toEqual([]);
    await expectEmpty(all);
  });

  test("cost two messages, and none at the node that holds the call", async () => {
    const { all, clients } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    for (const { watched } of all) watched.commands.length = 0;
    await call(a, "pay", { key: "x" }, answering(await call(a, "pay", { key: "x" })));
    expect(all.map(({ watched }) => watched.commands)).toEqual([[], []]);
    await call(b, "pay", { key: "y" }, answering(await call(a, "pay", { key: "y" })));
    expect(all.map(({ watched }) => watched.commands)).toEqual([["publish"], ["publish"]]);
  });

  test("run nothing twice: a repeated state gets the same answer, a wrong answer leaves it good", async () => {
    const { all, clients, effects } = await nodes(3);
    const [a, b, c] = clients as [Party, Party, Party];
    const args = { key: "k", asks: 2 };
    const asked = await call(a, "pay", args);
    const wrong = await call(
      b,
      "pay",
      args,
      answering(asked, { action: "accept", content: { sum: "seven" } }),
    );
    expect(wrong.error).toMatchObject({ code: -32602, message: expect.stringContaining("sum") });
    expect(effects).toEqual(["k begins"]);
    const rounds = await Promise.all(
      [b, c, a, b, c].map((each) => call(each, "pay", args, answering(asked))),
    );
    expect(new Set(rounds.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    const done = await call(c, "pay", args, answering(rounds[0]!));
    expect(textOf(done)).toBe("n0: 7 7");
    expect(await call(b, "pay", args, answering(rounds[0]!))).toMatchObject({ result: done.result });
    expect(effects).toEqual(["k begins", "k pays 1", "k pays 2", "k ends"]);
    await expectEmpty(all);
  });

  test("of another principal, and forged ones, are refused where they arrive; of another request, where the call waits", async () => {
    const authenticate: ServeHttpOptions["authenticate"] = ({ header }) => ({
      principal: header("authorization") ?? "ada",
    });
    const { all, clients, client, effects } = await nodes(2, { http: { authenticate } });
    const [a, b] = clients as [Party, Party];
    const asked = await call(a, "pay", { key: "k" });
    const given = answering(asked);
    const state = given["requestState"] as string;
    for (const { watched } of all) watched.commands.length = 0;
    const eve = client(all[1]!, { authorization: "eve" });
    const changed = `${state.slice(0, -2)}${state.endsWith("AA") ? "BB" : "AA"}`;
    const refused = [
      await call(eve, "pay", { key: "k" }, given),
      await call(b, "pay", { key: "k" }, { ...given, requestState: changed }),
    ];
    expect(refused.map(codeOf)).toEqual(refused.map(() => ["state-rejected", undefined]));
    expect(all.flatMap(({ watched }) => watched.commands)).toEqual([]);
    for (const each of [a, b])
      expect(codeOf(await call(each, "pay", { key: "other" }, given))).toEqual(["state-rejected", undefined]);
    expect(textOf(await call(b, "pay", { key: "k" }, given))).toBe("n0: 7");
    expect(effects).toEqual(["k begins", "k pays 1", "k ends"]);
  });

  test("whose name of the node was changed are refused, and leave the call good", async () => {
    const { all, clients, effects } = await nodes(3);
    const [a, b, c] = clients as [Party, Party, Party];
    const given = answering(await call(a, "pay", { key: "k" }));
    const other = answering(await call(c, "pay", { key: "other" }))["requestState"] as string;
    const [name, sealed] = (given["requestState"] as string).split(".") as [string, string];
    const named = (node: string) =>
      call(b, "pay", { key: "k" }, { ...given, requestState: `${node}.${sealed}` });
    for (const { watched } of all) watched.commands.length = 0;
    for (const changed of [other.split(".")[0]!, "n9-nowhere1", "*", ""])
      expect(codeOf(await named(changed))).toEqual(["state-rejected", undefined]);
    expect(all.flatMap(({ watched }) => watched.commands)).toEqual([]);
    expect(textOf(await named(name))).toBe("n0: 7");
    expect(effects.filter((effect) => effect.startsWith("k "))).toEqual(["k begins", "k pays 1", "k ends"]);
  });

  test("are cancelled when their client goes away", async () => {
    const { all, clients, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const given = answering(await call(a, "wait"));
    const round = await b.post(b.call("wait", {}, { ...given, _meta: { progressToken: 1 } }));
    await round.until(({ events }) => events[0]);
    round.cut();
    await until("the abort", () => effects.includes("aborted"));
    expect(codeOf(await call(b, "wait", {}, given))).toEqual(["state-lost", "cancelled"]);
    expect(codeOf(await call(a, "wait", {}, given))).toEqual(["state-lost", "cancelled"]);
    all[0]!.gate.open();
    await until("the end of the handler", () => effects.includes("done"));
    await expectEmpty(all);
  });

  test("are not passed on when their client goes away before", async () => {
    const { all, clients, clock, memory, effects } = await nodes(1);
    const [a] = clients as [Party];
    const given = answering(await call(a, "pay", { key: "k" }));
    const { server } = shop("web", effects, { clock, state: { keys } });
    const watched = new Watched(memory.connect());
    const handler = createHttpHandler(server, {
      sessions: false,
      cluster: cluster({ store: watched.store, keys }),
    });
    onTestFinished(() => handler.close());
    const message = a.call("pay", { key: "k" }, given);
    const gone = new AbortController();
    const { signal } = gone;
    const post = { method: "POST", headers: a.headersOf(message), body: JSON.stringify(message), signal };
    await settled();
    watched.commands.length = 0;
    const { subtle } = crypto;
    const decrypt = subtle.decrypt.bind(subtle);
    const opening = vi.spyOn(subtle, "decrypt").mockImplementationOnce((...sealed) => {
      gone.abort();
      return decrypt(...sealed);
    });
    onTestFinished(() => opening.mockRestore());
    void handler.fetch(new Request("http://localhost/mcp", post));
    await until("the end of the request", () => gone.signal.aborted && handler.stats().gauges.requests === 0);
    await settled();
    expect(opening).toHaveBeenCalledTimes(1);
    expect(watched.commands).toEqual([]);
    expect(handler.stats().gauges).toMatchObject({ requests: 0, bodyBytes: 0 });
    expect(textOf(await call(a, "pay", { key: "k" }, given))).toBe("n0: 7");
    await expectEmpty(all);
  });

  test("have auth, headers and rights of the request that runs", async () => {
    const seen: unknown[] = [];
    const http: ServeHttpOptions = {
      authenticate: ({ header }) => ({ principal: "ada", auth: { token: header("authorization") } }),
      contextHeaders: ["x-tenant"],
      permit: () => undefined,
    };
    const { all, client } = await nodes(2, { http });
    for (const { server } of all)
      server.tool("who", {}, async (_, context) => {
        const show = (): void => {
          const { auth, headers, url } = context;
          const { http } = context as unknown as { http?: { permits?: unknown } };
          seen.push([auth, headers, url, typeof http?.permits]);
        };
        show();
        await context.ask.elicit("sum", { message: "How much?", requestedSchema });
        show();
        return "seen";
      });
    const headers = { authorization: "first", "x-tenant": "one" };
    const asked = await call(client(all[0]!, headers), "who");
    const second = client(all[1]!, { authorization: "second", "x-tenant": "two" });
    expect(textOf(await call(second, "who", {}, answering(asked)))).toBe("seen");
    expect(seen).toEqual([
      [{ token: "first" }, { "x-tenant": "one" }, "/mcp", "function"],
      [{ token: "second" }, { "x-tenant": "two" }, "/mcp", "function"],
    ]);
  });
});

describe("nodes that go", () => {
  test.each([[false], [true]])(
    "a round of a call of a dead node is lost within 4 s, also one that was running (%j)",
    async (isRunning) => {
      const { all, clients, clock } = await nodes(2);
      const [a, b] = clients as [Party, Party];
      const given = answering(await call(a, "wait"));
      if (!isRunning) await all[0]!.own.close();
      const round = call(b, "wait", {}, given);
      await settled();
      if (isRunning) await all[0]!.own.close();
      await seconds(clock, 4);
      expect(codeOf(await round)).toEqual(lost);
      // Now at once.
      expect(codeOf(await call(b, "wait", {}, given))).toEqual(lost);
      await expectEmpty([all[1]!]);
    },
  );

  test("a handler that may run again does so at another node, without a message", async () => {
    const { all, clients, effects } = await nodes(2, { state: { keys, store: memoryStateStore() } });
    const [a, b] = clients as [Party, Party];
    const asked = await call(a, "again", { key: "r" });
    await all[0]!.own.close();
    all[1]!.watched.commands.length = 0;
    expect(textOf(await call(b, "again", { key: "r" }, answering(asked)))).toBe("n1: 7");
    expect(effects.filter((effect) => effect === "r begins").length).toBe(2);
    expect(all[1]!.watched.commands).toEqual([]);
  });

  test("a call goes on without a client when the node of its round is dead", async () => {
    const { all, clients, clock, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const given = answering(await call(a, "wait"));
    const round = await b.post(b.call("wait", {}, { ...given, _meta: { progressToken: 1 } }));
    await round.until(({ events }) => events[0]);
    await all[1]!.own.close();
    await seconds(clock, 5);
    expect(effects).toEqual(["aborted"]);
    expect(codeOf(await call(a, "wait", {}, given))).toEqual(["state-lost", "cancelled"]);
    all[0]!.gate.open();
    await until("the end of the handler", () => effects.includes("done"));
    await expectEmpty([all[0]!]);
    round.cut();
  });

  test("a node that closes takes the rounds of its calls from the others, and then ends", async () => {
    const { all, clients, effects } = await nodes(2, { http: { graceMs: 60_000 } });
    const [a, b] = clients as [Party, Party];
    const args = { key: "k", asks: 2 };
    const asked = await call(a, "pay", args);
    let isClosed = false;
    const closing = all[0]!.target.close().then(() => (isClosed = true));
    const second = await call(b, "pay", args, answering(asked));
    expect(asks(second)).toBe(true);
    expect(isClosed).toBe(false);
    expect(textOf(await call(b, "pay", args, answering(second)))).toBe("n0: 7 7");
    await closing;
    expect(effects).toEqual(["k begins", "k pays 1", "k pays 2", "k ends"]);
    expect(all[0]!.warnings).toEqual([]);
  });

  test("a node that has closed has lost its calls, and says how many; one that runs is cancelled", async () => {
    const { all, clients, clock, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const waiting = answering(await call(a, "pay", { key: "k" }));
    const round = call(b, "wait", {}, answering(await call(a, "wait")));
    await until("the round", () => all[0]!.server.stats().gauges.requests === 1);
    await all[0]!.target.close();
    expect(codeOf(await round)).toEqual(["state-lost", "cancelled"]);
    expect(all[0]!.warnings).toEqual(["HTTP: 2 calls that waited for answers of their clients are lost"]);
    await until("the end of the handlers", () => effects.includes("k ends"));
    const late = call(b, "pay", { key: "k" }, waiting);
    await seconds(clock, 4);
    expect(codeOf(await late)).toEqual(lost);
    all[0]!.gate.open();
  });
});

describe("a store that fails", () => {
  test.each([
    ["the request", 1, "sessions"],
    ["the answer", 0, "parked"],
  ] as const)("%s that it loses is repeated when the connection is back", async (_, loser, channel) => {
    const { all, clients, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const given = answering(await call(a, "pay", { key: "k" }));
    all[loser]!.watched.mode = "loses";
    const round = call(b, "pay", { key: "k" }, given);
    await until(
      "the message",
      () => all[loser]!.watched.commands.at(-1) === "publish" && effects.length >= 3 - 2 * loser,
    );
    await settled();
    all[loser]!.watched.mode = "works";
    // More copies have no effect.
    for (let times = 0; times < 3; times++) all[1]!.watched.lost.get(channel)!();
    expect(textOf(await round)).toBe("n0: 7");
    await settled();
    expect(effects).toEqual(["k begins", "k pays 1", "k ends"]);
    await expectEmpty(all);
  });

  test("that was disconnected from the node of the call: other nodes repeat their requests", async () => {
    const { all, clients, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const given = answering(await call(a, "pay", { key: "k" }));
    all[1]!.watched.mode = "loses";
    const round = call(b, "pay", { key: "k" }, given);
    await settled();
    all[1]!.watched.mode = "works";
    all[0]!.watched.lost.get("node")!();
    expect(textOf(await round)).toBe("n0: 7");
    expect(effects).toEqual(["k begins", "k pays 1", "k ends"]);
  });

  test("gives a coded error, and leaves the state good; an answer waits for it", async () => {
    const { all, clients, clock, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const args = { key: "k" };
    const given = answering(await call(a, "pay", args));
    all[1]!.watched.mode = "fails";
    expect((await call(b, "pay", args, given)).error).toMatchObject({
      message: expect.stringContaining("the cluster store failed: try again later"),
    });
    expect(effects).toEqual(["k begins"]);
    all[1]!.watched.mode = "works";
    all[0]!.watched.mode = "fails";
    const round = call(b, "pay", args, given);
    await until("the effect", () => effects.length === 3);
    await seconds(clock, 2);
    all[0]!.watched.mode = "works";
    await seconds(clock, 2);
    expect(textOf(await round)).toBe("n0: 7");
    await expectEmpty(all);
  });

  test("is not believed: messages without the code of their channel have no effect", async () => {
    const { all, clients, memory, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const given = answering(await call(a, "pay", { key: "k", asks: 2 }));
    const state = given["requestState"] as string;
    const [holder] = state.split(".") as [string];
    const foreign = memory.connect();
    const heardTexts: string[] = [];
    await foreign.subscribe(`parked:${holder}`, (text) => heardTexts.push(text));
    const request = { ...b.call("pay", { key: "k", asks: 2 }, given), id: 1 };
    const caller = { principal: "", url: "/mcp" };
    const text = JSON.stringify({ from: "evil", id: 1, request, caller });
    for (const forged of ["", "x", text, `${"A".repeat(12)}${text}`])
      await foreign.publish(`parked:${holder}`, forged);
    await settled();
    expect(effects).toEqual(["k begins"]);
    expect(all[0]!.warnings.length).toBeGreaterThan(0);
    heardTexts.length = 0;

    const second = await call(b, "pay", { key: "k", asks: 2 }, given);
    const [passed] = heardTexts as [string];
    expect(passed).toContain(state);
    const other = answering(await call(b, "pay", { key: "o" }))["requestState"] as string;
    const warned = all[1]!.warnings.length;
    // A copy on another channel, a changed one, and a copy on its own channel, which repeats the answer to no process.
    await foreign.publish(`parked:${other.split(".")[0]!}`, passed);
    await foreign.publish(`parked:${holder}`, passed.replace('"sum":7', '"sum":9'));
    await foreign.publish(`parked:${holder}`, passed);
    await settled();
    expect(all[1]!.warnings.length).toBe(warned + 1);
    expect(effects).toEqual(["k begins", "k pays 1", "o begins"]);
    expect(textOf(await call(b, "pay", { key: "k", asks: 2 }, answering(second)))).toBe("n0: 7 7");
  });
});

describe("bounds and options", () => {
  test("a node at work takes no more requests of other nodes than of its clients", async () => {
    const { all, clients } = await nodes(2, { http: { limits: { work: 1 } } });
    const [a, b] = clients as [Party, Party];
    const busy = answering(await call(a, "wait"));
    const given = answering(await call(a, "pay", { key: "k" }));
    const running = call(a, "wait", {}, busy);
    await until("the work", () => all[0]!.target.stats().gauges.requests === 1);
    const refused = await call(b, "pay", { key: "k" }, given);
    expect(refused.error).toMatchObject({ code: -32600, data: { limit: "limits.work" } });
    all[0]!.gate.open();
    expect(textOf(await running)).toBe("done");
    expect(textOf(await call(b, "pay", { key: "k" }, given))).toBe("n0: 7");
    await expectEmpty(all);
  });

  test("an answer that reaches no process for a minute is dropped, and leaves nothing", async () => {
    const { all, clients, clock, effects } = await nodes(2);
    const [a, b] = clients as [Party, Party];
    const given = answering(await call(a, "pay", { key: "k" }));
    all[0]!.watched.mode = "unheard";
    const round = call(b, "pay", { key: "k" }, given);
    await until("the effect", () => effects.length === 3);
    const { gauges } = all[0]!.target.stats();
    expect(gauges.waitingBytes).toBeGreaterThan(0);
    await seconds(clock, 100);
    await expectEmpty([all[0]!]);
    // The answers of rounds are kept for 30 s.
    all[0]!.watched.mode = "works";
    all[1]!.watched.lost.get("parked")!();
    expect(codeOf(await round)).toEqual(["state-used", undefined]);
  });

  test("shared keys need no state.parking with a cluster, and do without one", async () => {
    const made = (http: ServeHttpOptions, parking?: "routed" | false) =>
      serve(
        "node",
        shop("n", [], { state: { keys, ...(parking !== undefined && { parking }) } }).server,
        http,
      );
    await expect(made({})).rejects.toThrow("or use cluster");
    const store = new MemoryClusterStore();
    await made({ sessions: sealedSessions({ keys }), cluster: cluster({ store: store.connect(), keys }) });
    await made({ sessions: false, cluster: cluster({ store: store.connect(), keys }) });
    await made({}, "routed");
    await made({}, false);
    await expect(made({ cluster: cluster({ store: store.connect(), keys }) })).rejects.toThrow(
      "cluster needs sessions.store",
    );
  });

  test("a cluster whose processes do not share state.keys says so", async () => {
    const { all, clients } = await nodes(2, { state: {} });
    const [a, b] = clients as [Party, Party];
    const asked = await call(a, "pay", { key: "k" });
    expect(all[0]!.warnings).toEqual([expect.stringContaining("give state.keys")]);
    expect(codeOf(await call(b, "pay", { key: "k" }, answering(asked)))).toEqual(lost);
    expect(textOf(await call(a, "pay", { key: "k" }, answering(asked)))).toBe("n0: 7");
  });

  test("endpoints of modern revisions alone share calls, without sessions", async () => {
    const memory = new MemoryClusterStore();
    const revisions = serverRevisions.filter(({ era }) => era === "modern");
    const effects: Effects = [];
    const clients = await Promise.all(
      ["a", "b"].map(async (name) => {
        const { server } = shop(name, effects, { revisions, state: { keys } });
        const options = { port: 0, cluster: cluster({ store: memory.connect(), keys }) };
        const target = await modernEntry.serveHttp(server, options);
        onTestFinished(() => target.close());
        return new Party(target.url, newest, {}, { elicitation: {} });
      }),
    );
    const [a, b] = clients as [Party, Party];
    const asked = await call(a, "pay", { key: "k" });
    expect(textOf(await call(b, "pay", { key: "k" }, answering(asked)))).toBe("a: 7");
    expect(effects).toEqual(["k begins", "k pays 1", "k ends"]);
  });
});
