import { connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, vi } from "vitest";
import {
  type Wired,
  ScriptedPeer,
  base,
  connected,
  reply,
  standard,
} from "../../support/scripted-stdio-server.js";
import { row } from "./rows.js";

const silent = { "tools/call": () => undefined };

/** Answers a call of the tool `slow` never, others at once. */
const slow = {
  "tools/call": ({ params }: Wired, peer: ScriptedPeer) =>
    params!["name"] === "slow" ? undefined : reply(peer, { content: [] }),
};

row("UTIL-01", "a ping is answered during the handshake, at rest and during a call", async (revision) => {
  const during: Wired[] = [];
  const { client, peer } = await connected(revision, {
    ...slow,
    initialize: async (request, self) => {
      during.push(await self.ask("ping"));
      return standard["initialize"]!(request, self);
    },
  });
  during.push(await peer.ask("ping"), await peer.ask("ping", null), await peer.ask("ping", {}, 0));
  const stop = new AbortController();
  const call = client.callTool("slow", {}, { signal: stop.signal });
  during.push(await peer.ask("ping", { _meta: { a: 1 } }, ""));
  stop.abort();
  await expect(call).rejects.toMatchObject({ code: "cancelled" });
  expect(during).toHaveLength(5);
  for (const { id, ...answer } of during) expect(answer, String(id)).toEqual({ jsonrpc: "2.0", result: {} });
});

row("UTIL-03", "no ping is sent", async (revision) => {
  const { client, peer } = await connected(revision);
  await client.ping();
  expect(peer.of("ping")).toEqual([]);
  expect(peer.of("server/discover")).toHaveLength(2);
});

row("UTIL-04", "a request that the server cancels is stopped and not answered", async (revision) => {
  let stopped = 0;
  const { client, peer } = await connected(
    revision,
    {},
    {
      limits: { maxQuestions: 5 },
      sample: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => (stopped++, reject(signal.reason as Error))),
        ),
    },
  );
  const ids = [0, "", "x", 2 ** 53 - 1, -1];
  const mark = peer.received.length;
  const messages = [{ role: "user", content: { type: "text", text: "?" } }];
  for (const id of ids) void peer.ask("sampling/createMessage", { messages, maxTokens: 1 }, id);
  for (const requestId of ids) peer.notify("notifications/cancelled", { requestId });
  await peer.nothingSince(mark, client);
  expect(stopped).toBe(ids.length);
});

row("UTIL-05", "the handshake is never cancelled", async (revision) => {
  const peer = new ScriptedPeer(revision, { initialize: () => undefined });
  const clock = new VirtualClock();
  const connecting = connect(peer.channel, { ...base(clock), revision, timeouts: { connect: 300 } });
  const outcome = expect(connecting).rejects.toMatchObject({ code: "timeout" });
  await clock.advance(300);
  await outcome;
  expect(peer.received.map(({ method }) => method)).toEqual(["initialize"]);
  expect(clock.waiting).toBe(0);
});

row("UTIL-06", "cancellations of what is unknown, over or malformed change nothing", async (revision) => {
  const { client, peer } = await connected(revision, slow);
  await client.callTool("over");
  const over = peer.of("tools/call")[0]!.id;
  const call = client.callTool("slow");
  const { id } = await peer.until("tools/call", 2);
  const mark = peer.received.length;
  for (const requestId of [over, id, 99, "x", null, 1.5, {}, undefined])
    peer.notify("notifications/cancelled", { requestId, reason: 5 });
  peer.notify("notifications/cancelled", null);
  await peer.nothingSince(mark, client);
  // Only its sender cancels a request.
  peer.send({ jsonrpc: "2.0", id, ...reply(peer, { content: [{ type: "text", text: "done" }] }) });
  expect((await call).content).toEqual([{ type: "text", text: "done" }]);
});

row("UTIL-08", "of an answer and a cancellation that cross, one counts", async (revision) => {
  const { client, peer, clock } = await connected(revision, silent);
  let random = 1;
  const outcomes = { answered: 0, cancelled: 0 };
  for (let batch = 0; batch < 10; batch++) {
    const mark = peer.of("tools/call").length;
    const stops = Array.from({ length: 20 }, () => new AbortController());
    const calls = stops.map(({ signal }, n) => client.callTool("race", { n }, { signal }));
    const settled = calls.map((call) =>
      call.then(
        () => outcomes.answered++,
        ({ code }: { code: string }) => (expect(code).toBe("cancelled"), outcomes.cancelled++),
      ),
    );
    await peer.until("tools/call", mark + 20);
    for (const [n, { id }] of peer.of("tools/call").slice(mark).entries()) {
      random = (random * 48271) % 2147483647;
      const abort = (): void => stops[n]!.abort();
      if (random % 3 === 0) abort();
      peer.send({ jsonrpc: "2.0", id, ...reply(peer, { content: [] }) });
      if (random % 3 === 1) abort();
      if (random % 3 === 2) queueMicrotask(() => queueMicrotask(abort));
    }
    await clock.advance(0);
    for (const { signal } of stops) if (!signal.aborted) throw new Error("every call is aborted");
    await Promise.all(settled);
  }
  expect(outcomes.answered + outcomes.cancelled).toBe(200);
  expect(client.idle).toBe(true);
  expect(clock.waiting).toBe(0);
});

row("UTIL-12", "a request times out when its time is over, and is cancelled", async (revision) => {
  const { client, peer, clock } = await connected(revision, silent);
  const settled = vi.fn();
  const outcome = client.callTool("slow", {}, { timeout: 300 }).catch(settled);
  const { id } = await peer.until("tools/call");
  await clock.advance(299);
  expect(settled).not.toHaveBeenCalled();
  await clock.advance(1);
  await outcome;
  expect(settled.mock.calls).toEqual([[expect.objectContaining({ code: "timeout" })]]);
  const { params } = await peer.until("notifications/cancelled");
  expect(params!["requestId"]).toBe(id);
  // A request without a limit gets the default limit.
  const other = expect(client.callTool("slow")).rejects.toMatchObject({ code: "timeout" });
  await peer.until("tools/call", 2);
  await clock.advance(60_000);
  await other;
});

row("UTIL-13", "progress for ever does not keep a request alive for ever", async (revision) => {
  const { client, peer, clock } = await connected(revision, silent);
  const call = client.callTool("slow", {}, { timeout: 300, totalTimeout: 1000 });
  const outcome = expect(call).rejects.toMatchObject({ code: "timeout", data: { timer: "totalTimeout" } });
  const { id, params } = await peer.until("tools/call");
  const { progressToken } = params!._meta!;
  for (let progress = 1; progress < 5; progress++) {
    await clock.advance(200);
    peer.notify("notifications/progress", { progressToken, progress });
  }
  await clock.advance(199);
  expect(client.idle).toBe(false);
  await clock.advance(1);
  await outcome;
  expect((await peer.until("notifications/cancelled")).params!["requestId"]).toBe(id);
});

row(
  "UTIL-14",
  "each pending request has a different progress token, and gets only its progress",
  async (revision) => {
    const { client, peer, clock } = await connected(revision, silent);
    const heard: number[][] = [];
    const calls = Array.from({ length: 50 }, (_, n) => {
      heard[n] = [];
      // A token of the application cannot make two tokens equal.
      const _meta = n % 2 === 0 ? { progressToken: "mine" } : {};
      const params = { name: "slow", arguments: { n }, _meta };
      return client.request("tools/call", params, { onProgress: ({ progress }) => heard[n]!.push(progress) });
    });
    await peer.until("tools/call", 50);
    const open = peer.of("tools/call");
    const tokens = open.map(({ params }) => params!._meta!["progressToken"] as unknown);
    expect(new Set(tokens).size).toBe(50);
    for (const token of tokens) expect(typeof token === "string" || Number.isInteger(token)).toBe(true);
    for (const [n, progressToken] of tokens.entries())
      peer.notify("notifications/progress", { progressToken, progress: n });
    await clock.advance(0);
    expect(heard).toEqual(tokens.map((_, n) => [n]));
    for (const { id } of open) peer.send({ jsonrpc: "2.0", id, ...reply(peer, { content: [] }) });
    await Promise.all(calls);
  },
);

row("UTIL-15", "clients report no progress, so there is none that could go back", async (revision) => {
  const { client, peer } = await connected(revision, {}, { roots: () => [{ uri: "file:///a" }] });
  const request = peer.ask("roots/list", { _meta: { progressToken: "p" } });
  if (revision < "2026") await request;
  await client.callTool("after");
  expect(peer.of("notifications/progress")).toEqual([]);
});

row("UTIL-18", "progress of an unknown request is ignored", async (revision) => {
  const { client, peer } = await connected(revision, slow);
  const onProgress = vi.fn();
  await client.callTool("over", {}, { onProgress });
  const over = peer.of("tools/call")[0]!.params!._meta!["progressToken"] as unknown;
  const stop = new AbortController();
  const call = client.callTool("slow", {}, { onProgress, signal: stop.signal });
  await peer.until("tools/call", 2);
  const mark = peer.received.length;
  for (const progressToken of [over, "foreign", 99, null, undefined, {}])
    peer.notify("notifications/progress", { progressToken, progress: 1 });
  await peer.nothingSince(mark, client);
  expect(onProgress).not.toHaveBeenCalled();
  stop.abort();
  await expect(call).rejects.toMatchObject({ code: "cancelled" });
});
