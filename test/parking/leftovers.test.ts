import { createHttpHandler } from "@mcpgen/runtime/http";
import { expect, test } from "vitest";
import { heap } from "../support/heap.js";
import { metaOf, raw, served } from "../support/raw-stdio-client.js";
import { questionOf } from "./answers.js";
import { modern } from "./line.js";

/** A body that a fetch handler takes. */
const request = (signal: AbortSignal): Request =>
  new Request("http://localhost/mcp", {
    method: "POST",
    signal,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": modern,
      "mcp-method": "tools/call",
      "mcp-name": "t",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "t", arguments: {}, _meta: metaOf() },
    }),
  });

const capabilities = { elicitation: {} };
const form = questionOf("k", "flag").params as never;
const no = { action: "cancel" };

test("a connection keeps no call that has ended", async () => {
  const contexts: WeakRef<object>[] = [];
  const { client } = await raw(
    modern,
    (server) =>
      void server.tool("t", {}, async (_, context) => {
        contexts.push(new WeakRef(context));
        await context.ask.elicit("k", form);
        return "";
      }),
    capabilities,
  );
  for (let call = 0; call < 50; call++) {
    const { result } = await client.call("t");
    const requestState = result!["requestState"] as string;
    await client.request("tools/call", { name: "t", arguments: {}, requestState, inputResponses: { k: no } });
  }
  await heap();
  // The last ones may still be on the stack of this test.
  expect(contexts.filter((context) => context.deref()).length).toBeLessThan(5);
});

test("what a handler reports while its client is away counts as memory that waits", async () => {
  let isAway = (): void => {};
  const away = new Promise<void>((resolve) => (isAway = resolve));
  const { client, server } = await raw(
    modern,
    (server) =>
      void server.tool("t", {}, async (_, { ask, progress }) => {
        const asked = ask.elicit("k", form);
        await away;
        for (let done = 1; done <= 1000; done++) progress(done, 1000, "a step");
        await asked;
        return "";
      }),
    capabilities,
    { onEvent: ({ type }) => void (type === "call-parked" && isAway()) },
  );
  const bytes = (): number => server.definition.parking!.bytes;
  const { result } = await client.call("t", {}, { progressToken: "first" });
  await client.settled();
  expect(bytes()).toBeGreaterThan(1000 * "a step".length);
  await client.request("tools/call", {
    name: "t",
    arguments: {},
    requestState: result!["requestState"] as string,
    inputResponses: { k: no },
    _meta: { progressToken: "second" },
  });
  expect(bytes()).toBe(0);
  const reports = client.of("notifications/progress").map(({ params }) => params!);
  expect(reports.map(({ progress }) => progress as number)).toEqual(
    Array.from({ length: 1000 }, (_, done) => done + 1),
  );
  expect(reports.every(({ progressToken }) => progressToken === "second")).toBe(true);
});

test("no request of a client that has left stays counted, although its handler calls `once`", async () => {
  const { server } = served(
    (server) => {
      server.tool("t", { replay: true }, async (_, { once, signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        await once("late", () => null);
        return "";
      });
    },
    { state: { parking: false } },
  );
  const handler = createHttpHandler(server);
  const gone = new AbortController();
  // The response of a client that has left never comes.
  void handler.fetch(request(gone.signal) as never);
  await expect.poll(() => handler.stats().gauges.requests).toBe(1);
  gone.abort();
  await expect.poll(() => handler.stats().gauges.requests).toBe(0);
});

test("what a handler logs while its client is away may lead back to itself", async () => {
  let isAway = (): void => {};
  const away = new Promise<void>((resolve) => (isAway = resolve));
  const { client } = await raw(
    modern,
    (server) =>
      void server.tool("t", {}, async (_, { ask, log }) => {
        const asked = ask.elicit("k", form);
        await away;
        const data: { self?: unknown } = {};
        data.self = data;
        log("info", data);
        await asked;
        return "";
      }),
    capabilities,
    { onEvent: ({ type }) => void (type === "call-parked" && isAway()) },
  );
  expect((await client.call("t")).result!["resultType"]).toBe("input_required");
  expect(await client.settled(client.received.length)).toEqual([]);
});
