import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, type Receiver, createServer } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import { type Members, metaOf } from "../../support/raw-stdio-client.js";

interface Sent {
  readonly method?: string;
}

/** A connection whose messages are handled before `receive` returns. */
function connected(server: CodeFirstServer) {
  const sent: Sent[] = [];
  let receiver: Receiver | undefined;
  server.connect({
    open: (given) => (receiver = given),
    send: (text) => void sent.push(JSON.parse(text) as Sent),
    flush: () => undefined,
    close: () => Promise.resolve(),
  });
  const receive = (message: Members): void =>
    receiver!.message(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return { sent, receive };
}

/** All microtasks have run. */
const turnEnded = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const beginnings: { readonly [name: string]: (receive: (message: Members) => void) => void } = {
  initialize: (receive) => {
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    receive({ id: 0, method: "initialize", params });
    receive({ method: "notifications/initialized" });
  },
  "subscriptions/listen": (receive) => {
    const params = { _meta: metaOf(), notifications: { toolsListChanged: true } };
    receive({ id: 0, method: "subscriptions/listen", params });
  },
};

test.each(Object.entries(beginnings))(
  "a client gets changes after its %s, but not one before it in the same turn",
  async (_, begin) => {
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    server.tool("first", {}, () => "");
    await turnEnded();
    const { sent, receive } = connected(server);
    const changes = (): number =>
      sent.filter(({ method }) => method === "notifications/tools/list_changed").length;
    server.tool("before", {}, () => "");
    begin(receive);
    await turnEnded();
    expect([sent.length, changes()]).toEqual([1, 0]);
    server.tool("after", {}, () => "");
    await turnEnded();
    expect(changes()).toBe(1);
  },
);

test("an error of a bus at a change of a list is reported, and the other lists are published", async () => {
  const errors: unknown[] = [];
  const published: string[] = [];
  const broken = new Error("the bus is down");
  const changes = {
    publish: ({ method }: { readonly method: string }) => {
      published.push(method);
      throw broken;
    },
    subscribe: () => () => {},
  };
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      changes,
      onEvent: heard({ handlerError: (error, place) => errors.push([error, place]) }),
    },
  );
  server.tool("first", {}, () => "");
  server.prompt("second", {}, () => "");
  await turnEnded();
  const methods = ["notifications/tools/list_changed", "notifications/prompts/list_changed"];
  expect(published).toEqual(methods);
  expect(errors).toEqual(methods.map(() => [broken, { method: "list_changed" }]));
});

const handlers: { readonly [name: string]: (change: () => void) => string | Promise<string> } = {
  "at once": (change) => {
    change();
    return "done";
  },
  "after an await": async (change) => {
    await Promise.resolve();
    change();
    return "done";
  },
  "in a later turn": async (change) => {
    await turnEnded();
    change();
    return "done";
  },
  "and then throws": (change) => {
    change();
    throw new Error("it went wrong");
  },
};

test.each(
  Object.keys(beginnings).flatMap((beginning) =>
    Object.entries(handlers).flatMap(([when, handler]) =>
      [false, true].map((isMounted) => [beginning, when, isMounted, handler] as const),
    ),
  ),
)(
  "after %s, what a handler changes %s (mounted: %s) is announced before its answer",
  async (beginning, _, isMounted, handler) => {
    const options = { revisions: serverRevisions, onEvent: () => true };
    const server = createServer({ name: "s", version: "1" }, options);
    const offering = isMounted ? createServer({ name: "guest", version: "1" }, options) : server;
    offering.tool("change", {}, () => handler(() => void offering.tool("another", {}, () => "")));
    if (isMounted) server.mount(offering, { prefix: "guest" });
    await turnEnded();
    const { sent, receive } = connected(server);
    beginnings[beginning]!(receive);
    await turnEnded();
    const name = server.features.tools.entries.keys().next().value;
    const _meta = beginning === "initialize" ? {} : { _meta: metaOf() };
    receive({ id: 1, method: "tools/call", params: { name, arguments: {}, ..._meta } });
    await expect.poll(() => sent.some((message) => (message as { id?: unknown }).id === 1)).toBe(true);
    const methods = sent.slice(1).map(({ method }) => method ?? "answer");
    const answered = methods.lastIndexOf("answer");
    expect(methods.slice(0, answered)).toContain("notifications/tools/list_changed");
    expect(methods.slice(answered + 1)).toEqual([]);
  },
);
