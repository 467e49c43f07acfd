import { serverRevisions } from "@mcpgen/protocol";
import type { CodeFirstServer } from "@mcpgen/runtime";
import { expect } from "vitest";
import { everyFeature } from "../../support/every-feature/server.js";
import { type Members, RawClient, type Wired, raw, served, textOf } from "../../support/raw-stdio-client.js";
import { row } from "./rows.js";

/** Asks for a message, and returns the outcome. */
function asker(server: CodeFirstServer): void {
  server.tool<{ count?: number }>("ask", {}, async ({ count = 1 }, { ask }) => {
    const asked = Array.from({ length: count }, (_, index) =>
      ask.sample(`s${index}`, { messages: [], maxTokens: 1 }).then(() => "answered"),
    );
    return (await Promise.all(asked)).join();
  });
}

/** Sends the request that follows a result with questions, with an answer to each. */
function retried(client: RawClient, { result }: Wired): Promise<Wired> {
  const { inputRequests, requestState } = result as { inputRequests: Members; requestState: string };
  const answers = Object.entries(inputRequests).map(([key, { method }]) => [
    key,
    method === "roots/list"
      ? { roots: [] }
      : { role: "assistant", model: "m", content: { type: "text", text: "" } },
  ]);
  const inputResponses = Object.fromEntries(answers) as Members;
  return client.request("tools/call", { name: "ask", arguments: {}, requestState, inputResponses });
}

const sampling = { sampling: {} };
const timeouts = { timeout: 300, totalTimeout: 1000 };

/** A tool that works until it is cancelled, and counts. */
function worker(server: CodeFirstServer): { ticks: number; signals: AbortSignal[]; tick: () => void } {
  const state = { ticks: 0, signals: [] as AbortSignal[], tick: () => {} };
  server.tool("work", {}, async (_, { signal }) => {
    state.signals.push(signal);
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        state.tick = resolve;
        signal.addEventListener("abort", () => resolve());
      });
      if (!signal.aborted) state.ticks++;
    }
    return "too late";
  });
  server.tool("quick", {}, () => "done");
  return state;
}

row("UTIL-02", "ping is answered before initialized, and while tools run", async (revision) => {
  const { server } = served((server) => void worker(server));
  const client = new RawClient(server, revision);
  expect((await client.request("ping")).result).toEqual({});
  await client.request("initialize", {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  });
  expect((await client.request("ping")).result).toEqual({});
  client.notify("notifications/initialized");
  const id = client.startCall("work");
  expect((await client.request("ping", { _meta: { a: 1 } })).result).toEqual({});
  client.cancel(id);
});

row("UTIL-04", "a cancelled request stops, and is not answered", async (revision) => {
  let state!: ReturnType<typeof worker>;
  const { client, clock } = await raw(revision, (server) => void (state = worker(server)));
  const id = client.startCall("work");
  await client.settled();
  state.tick();
  await client.settled();
  expect(state.ticks).toBe(1);
  const mark = client.received.length;
  client.notify("notifications/cancelled", { requestId: id, reason: "enough" });
  await client.settled();
  expect(state.signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect((state.signals[0]!.reason as Error).message).toBe("enough");
  state.tick();
  await clock.advance(2000);
  expect(state.ticks).toBe(1);
  expect(await client.settled(mark)).toEqual([]);
});

row("UTIL-06", "cancellations of what is unknown, finished or malformed are ignored", async (revision) => {
  let state!: ReturnType<typeof worker>;
  const { client } = await raw(revision, (server) => void (state = worker(server)));
  const finished = (await client.call("quick")).id;
  const id = client.startCall("work", {}, undefined);
  await client.settled();
  const mark = client.received.length;
  for (const requestId of [finished, "nope", 999, -1, 1.5, null, [], {}, String(id), undefined])
    client.cancel(requestId);
  client.notify("notifications/cancelled", []);
  client.notify("notifications/cancelled", "x");
  client.notify("notifications/cancelled");
  expect(await client.settled(mark)).toEqual([]);
  expect(state.signals[0]!.aborted).toBe(false);
  client.cancel(id);
  await client.settled();
  expect(state.signals[0]!.aborted).toBe(true);
});

row("UTIL-08", "cancellations that cross answers do no harm", async (revision) => {
  const running = { count: 0 };
  const { client } = await raw(revision, (server) => {
    server.tool<{ turns: number }>("turns", {}, async ({ turns }) => {
      running.count++;
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      if (turns === 7) await new Promise((resolve) => setTimeout(resolve, 0));
      running.count--;
      return "done";
    });
  });
  const ids: (string | number)[] = [];
  for (let index = 0; index < 1000; index++) {
    ids.push(client.startCall("turns", { turns: index % 8 }));
    if (index % 3 > 0) client.cancel(ids[Math.max(0, index - (index % 5))]);
    if (index % 50 === 0) await client.settled();
  }
  while (running.count > 0) await new Promise((resolve) => setTimeout(resolve, 0));
  await client.settled();
  const answers = client.received.filter(({ method, id }) => method === undefined && ids.includes(id!));
  expect(answers.every(({ result }) => result)).toBe(true);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
  // All requests that were not cancelled have been answered.
  expect(answers.length).toBeGreaterThan(300);
});

row("UTIL-10", "a server cancels nothing", async (revision) => {
  const { client } = await raw(revision, asker, sampling, { timeouts });
  client.start("subscriptions/listen", { notifications: { toolsListChanged: true } }, "l");
  await client.call("ask");
  const id = client.startCall("ask");
  client.cancel(id);
  client.cancel("l");
  await client.settled();
  expect(client.of("notifications/cancelled")).toEqual([]);
});

row("UTIL-12", "a request of the server's own ends after its timeout, and is cancelled", async (revision) => {
  const { client, clock } = await raw(revision, asker, sampling, { timeouts });
  const id = client.startCall("ask");
  if (client.isModern) {
    // The question is part of a result, so the client gets nothing to cancel; its answer comes too late.
    const asked = await client.answer(id);
    expect(asked.result).toMatchObject({ resultType: "input_required" });
    await clock.advance(300);
    expect(await client.settled(client.received.length)).toEqual([]);
    return expect((await retried(client, asked)).result).toMatchObject({ isError: true });
  }
  const request = await client.next("sampling/createMessage");
  await clock.advance(299);
  expect(await client.settled(client.received.length)).toEqual([]);
  await clock.advance(1);
  const { result } = await client.answer(id);
  expect(result).toMatchObject({ isError: true });
  expect(client.of("notifications/cancelled")).toMatchObject([{ params: { requestId: request.id } }]);
  // A later answer is ignored.
  client.send({
    jsonrpc: "2.0",
    id: request.id,
    result: { role: "assistant", model: "m", content: { type: "text", text: "" } },
  });
  expect(await client.settled(client.received.length)).toEqual([]);
});

row("UTIL-12", "each request may have a different timeout", async (revision) => {
  const { client, clock } = await raw(
    revision,
    (server) => {
      server.tool("ask", {}, async (_, { ask }) => {
        const asked = [
          ask.sample("a", { messages: [], maxTokens: 1 }, { timeout: 100 }),
          ask.sample("b", { messages: [], maxTokens: 1 }, { timeout: 500 }),
          ask.roots("c", { totalTimeout: 200 }),
        ];
        const ended = await Promise.allSettled<unknown>(asked);
        return ended.map(({ status }) => status).join();
      });
    },
    { ...sampling, roots: {} },
    { timeouts },
  );
  const id = client.startCall("ask");
  if (client.isModern) {
    const asked = await client.answer(id);
    await clock.advance(150);
    return expect(textOf(await retried(client, asked))).toBe("rejected,fulfilled,fulfilled");
  }
  await client.next("roots/list");
  const cancelled: number[] = [];
  for (let passed = 0; passed < 500; passed += 100) {
    await clock.advance(100);
    await client.settled();
    cancelled.push(client.of("notifications/cancelled").length);
  }
  expect(cancelled).toEqual([1, 2, 2, 2, 3]);
  expect(textOf(await client.answer(id))).toBe("rejected,rejected,rejected");
});

row("UTIL-13", "progress puts the timeout off, up to a maximum", async (revision) => {
  const { client, clock } = await raw(revision, asker, sampling, { timeouts });
  const id = client.startCall("ask");
  if (client.isModern) {
    // Nothing of the client can put the timeout off between two rounds.
    const asked = await client.answer(id);
    expect(asked.result).toMatchObject({ resultType: "input_required" });
    await clock.advance(299);
    expect(textOf(await retried(client, asked))).toBe("answered");
    return expect(clock.waiting).toBe(0);
  }
  const { params } = await client.next("sampling/createMessage");
  const { progressToken } = params!["_meta"] as Members;
  for (let progress = 1; progress <= 4; progress++) {
    await clock.advance(200);
    client.notify("notifications/progress", { progressToken, progress });
    expect(await client.settled(client.received.length)).toEqual([]);
  }
  await clock.advance(199);
  expect(await client.settled(client.received.length)).toEqual([]);
  await clock.advance(1);
  expect((await client.answer(id)).result).toMatchObject({ isError: true });
});

row(
  "UTIL-14",
  "progress tokens are strings or integers, and unique among open requests",
  async (revision) => {
    const { client } = await raw(revision, asker, sampling);
    const ids = [client.startCall("ask", { count: 30 }), client.startCall("ask", { count: 20 })];
    if (client.isModern) {
      for (const id of ids) await client.answer(id);
      return expect(client.received.filter(({ method, id }) => method && id)).toEqual([]);
    }
    await client.next("sampling/createMessage", 50);
    const tokens = client
      .of("sampling/createMessage")
      .map(({ params }) => (params!["_meta"] as Members)["progressToken"] as unknown);
    expect(new Set(tokens).size).toBe(50);
    expect(tokens.every((token) => typeof token === "string" || Number.isInteger(token))).toBe(true);
  },
);

row("UTIL-15", "progress strictly increases", async (revision) => {
  const { client } = await raw(revision, (server) => {
    server.tool("report", {}, (_, { progress }) => {
      for (const done of [5, 5, 3, NaN, Infinity, 9, -Infinity, 9.5]) progress(done, done / 0, "on");
      return "reported";
    });
  });
  await client.call("report", {}, { progressToken: "a" });
  await client.call("report", {}, { progressToken: 0 });
  const sent = client
    .of("notifications/progress")
    .map(({ params }) => [params!["progressToken"], params!["progress"]] as const);
  expect(sent).toEqual([
    ...[5, 9, 9.5].map((progress) => ["a", progress]),
    ...[5, 9, 9.5].map((progress) => [0, progress]),
  ]);
});

row("UTIL-17", "without a token no progress is sent", async (revision) => {
  const { server } = { server: everyFeature(serverRevisions) };
  const client = new RawClient(server, revision);
  if (!client.isModern) await client.open();
  expect(textOf(await client.call("work"))).toBe("worked");
  expect(client.of("notifications/progress")).toEqual([]);
});
