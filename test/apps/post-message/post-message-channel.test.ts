import { readFileSync } from "node:fs";
import { MessageChannel } from "node:worker_threads";
import { connect } from "@mcpgen/runtime/all";
import { type MessageTarget, postMessageChannel } from "@mcpgen/apps";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Receiver } from "../../../runtime/base/jsonrpc/channel.js";
import { fixture } from "../../portability/suite/fixture.mjs";
import { streamCases } from "../../portability/suite/stream.mjs";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const messages = [
  ping,
  { ...ping, id: "a" },
  { jsonrpc: "2.0", method: "a" },
  { jsonrpc: "2.0", id: null, method: "a" },
  { jsonrpc: "2.0", id: 1, result: {} },
];

class Inbox implements Receiver {
  readonly read: unknown[] = [];
  turns = 0;
  message(text: string): void {
    this.read.push(JSON.parse(text));
  }
  turn(): void {
    this.turns++;
  }
  tooLong(limit: number): void {
    this.read.push(`longer than ${limit}`);
  }
  closed(reason?: Error): void {
    this.read.push(reason ?? "closed");
  }
}

/** Maximum length of a message as JSON text. */
const limit = 10 * 1024 * 1024;

/** Two ports, of which the second one is a channel. */
function portAndInbox() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const inbox = new Inbox();
  const channel = postMessageChannel(port2);
  channel.open(inbox);
  return { port: port1, channel, inbox };
}

test("the transport has at most 100 lines, and needs nothing of Node", () => {
  const text = readFileSync("runtime/apps/post-message/post-message-channel.ts", "utf8");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(100);
  expect(text).not.toMatch(/from "node:/);
});

describe("a port carries servers and clients", () => {
  test.each(streamCases("a port").map((each) => [each.name, each] as const))("%s", async (_, { run }) => {
    const server = fixture({ onEvent: () => true });
    await run((options) => {
      const { port1, port2 } = new MessageChannel();
      server.connect(postMessageChannel(port1));
      return connect(() => postMessageChannel(port2), options);
    });
    await server.close();
  });
});

describe("a port", () => {
  test("delivers messages and batches, and ignores everything else", async () => {
    const { port, inbox } = portAndInbox();
    const cycle: Record<string, unknown> = { ...ping };
    cycle["params"] = cycle;
    const others = [
      undefined,
      null,
      "",
      JSON.stringify(ping),
      1,
      1n,
      [],
      [[ping]],
      [1],
      {},
      new Map([["jsonrpc", "2.0"]]),
      new Date(0),
      { ...ping, jsonrpc: "1.0" },
      { ...ping, id: 1.5 },
      { ...ping, method: 1 },
      { ...ping, params: { big: 1n } },
      cycle,
      Object.create({ ...ping }) as object,
      new Error("ping"),
    ];
    for (const each of [...others, ...messages, messages, ...others, ping]) port.postMessage(each);
    await expect.poll(() => inbox.read).toEqual([...messages, messages, ping]);
    expect(inbox.turns).toBe(messages.length + 2);
  });

  test("reads only the JSON members of a message", async () => {
    const { port, inbox } = portAndInbox();
    port.postMessage({
      ...ping,
      params: { a: undefined, b: new Date(0), c: new Map([[1, 2]]), ["__proto__"]: 1 },
    });
    const params = JSON.parse('{ "b": "1970-01-01T00:00:00.000Z", "c": {}, "__proto__": 1 }') as object;
    await expect.poll(() => inbox.read).toEqual([{ ...ping, params }]);
  });

  test("drops messages that are longer than the limit", async () => {
    const { port, inbox } = portAndInbox();
    const padding = limit - JSON.stringify({ ...ping, params: { text: "" } }).length;
    const longest = { ...ping, params: { text: "x".repeat(padding) } };
    port.postMessage({ ...longest, params: { text: "x".repeat(padding + 1) } });
    port.postMessage(longest);
    await expect.poll(() => inbox.read).toEqual([`longer than ${limit}`, longest]);
  });

  test("drops small values of a long text, without making the text", async () => {
    const { port, inbox } = portAndInbox();
    const shared = (part: unknown): unknown => {
      let whole = part;
      for (let level = 0; level < 40; level++) whole = [whole, { whole }];
      return whole;
    };
    const params = [
      shared("x"),
      shared(new String("x".repeat(1000))),
      shared({ ["x".repeat(1000)]: 1 }),
      Object.assign([], { length: 2 ** 32 - 1 }),
      new Uint8Array(2_000_000),
    ];
    for (const a of params) port.postMessage({ ...ping, params: { a } });
    port.postMessage(Object.assign([], { [2 ** 32 - 2]: ping }));
    port.postMessage({ ...ping, params: { a: new Uint8Array(2), b: undefined } });
    const read = [...params.map(() => `longer than ${limit}`), { ...ping, params: { a: { 0: 0, 1: 0 } } }];
    await expect.poll(() => inbox.read).toEqual(read);
  });

  test("sends objects, and nothing after close", async () => {
    const { port, channel, inbox } = portAndInbox();
    const sent: unknown[] = [];
    const ended = new Promise((resolve) => port.once("close", resolve));
    port.on("message", (value) => sent.push(value));
    channel.send(JSON.stringify(ping));
    channel.flush();
    await channel.close();
    channel.send(JSON.stringify(ping));
    await channel.close();
    await ended;
    expect([sent, inbox.read]).toEqual([[ping], []]);
  });

  test("that the other side closes ends the channel once", async () => {
    const { port, channel, inbox } = portAndInbox();
    port.close();
    await expect.poll(() => inbox.read).toEqual(["closed"]);
    channel.send(JSON.stringify(ping));
    await channel.close();
    expect(inbox.read).toEqual(["closed"]);
  });

  test("whose postMessage throws ends the channel with a coded error", () => {
    const inbox = new Inbox();
    const cause = new DOMException("no memory", "DataCloneError");
    const listeners = new Set<unknown>();
    const channel = postMessageChannel({
      postMessage: () => {
        throw cause;
      },
      addEventListener: (_: string, listener: unknown) => listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
    } as never);
    channel.open(inbox);
    channel.send(JSON.stringify(ping));
    channel.send(JSON.stringify(ping));
    expect(inbox.read).toMatchObject([{ code: "connection-closed", cause }]);
    expect(listeners.size).toBe(0);
  });
});

/** A window that is the other side, and the global object as this side's window. Nothing in `run` waits. */
function withWindows(
  run: (other: FakeWindow, dispatch: (event: object) => void, listeners: Set<unknown>) => void,
): void {
  const listeners = new Set<(event: object) => void>();
  const global = globalThis as Record<string, unknown>;
  global["addEventListener"] = (_: string, listener: (event: object) => void) => listeners.add(listener);
  global["removeEventListener"] = (_: string, listener: (event: object) => void) =>
    listeners.delete(listener);
  try {
    run(new FakeWindow(), (event) => [...listeners].forEach((listener) => listener(event)), listeners);
  } finally {
    delete global["addEventListener"];
    delete global["removeEventListener"];
  }
}

class FakeWindow {
  readonly window = this;
  closed = false;
  readonly posted: unknown[] = [];
  postMessage(...args: unknown[]): void {
    this.posted.push(args);
  }
  get start(): never {
    throw new DOMException("another origin", "SecurityError");
  }
}

describe("a window", () => {
  const origin = "https://host.example";

  test.each([
    [origin, origin, [origin], ["https://host.example.evil", "http://host.example", "null", ""]],
    ["null", "*", ["null"], [origin, ""]],
    ["*", "*", [origin, "null"], []],
  ])("of the origin %s", (own, target, taken, ignored) => {
    withWindows((other, dispatch) => {
      const inbox = new Inbox();
      const channel = postMessageChannel(other, { origin: own });
      dispatch({ source: other, origin: taken[0], data: ping });
      channel.open(inbox);
      for (const from of [...taken, ...ignored]) {
        dispatch({ source: other, origin: from, data: { ...ping, id: from } });
        for (const source of [new FakeWindow(), null, undefined, globalThis])
          dispatch({ source, origin: from, data: ping });
      }
      channel.send(JSON.stringify(ping));
      void channel.close();
      expect(inbox.read).toEqual(taken.map((id) => ({ ...ping, id })));
      expect(other.posted).toEqual([[ping, target]]);
    });
  });

  test("that is closed ends the channel; the listeners are removed", () => {
    withWindows((other, _, listeners) => {
      const inbox = new Inbox();
      const channel = postMessageChannel(other, { origin });
      channel.open(inbox);
      expect(listeners.size).toBe(1);
      other.closed = true;
      channel.send(JSON.stringify(ping));
      expect(inbox.read).toMatchObject([{ code: "connection-closed" }]);
      expect([listeners.size, other.posted]).toEqual([0, []]);
    });
  });

  test.each([
    "http://127.0.0.1:8080",
    "http://[::1]:3000",
    "https://xn--mnchen-3ya.example",
    "chrome-extension://abcdefghijklmnop",
    "vscode-webview://0a1b",
    "file://",
  ])("may have the origin %s", (own) => {
    withWindows((other, dispatch) => {
      const inbox = new Inbox();
      const channel = postMessageChannel(other, { origin: own });
      channel.open(inbox);
      dispatch({ source: other, origin: own, data: ping });
      channel.send(JSON.stringify(ping));
      void channel.close();
      expect([inbox.read, other.posted]).toEqual([[ping], [[ping, own]]]);
    });
  });

  test("needs an origin, and a port has none", () => {
    const { port1 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const other = new FakeWindow();
    const errors = [
      [other, {}, "origin: a window needs one"],
      [port1, { origin }, "origin: a port has none"],
      ...[
        "",
        "host.example",
        "https://host.example/",
        "https://Host.example",
        "https://a.b/c?d",
        // No event has these: its channel would be silent.
        "https://host.example:443",
        "https://user@host.example",
        "https://münchen.example",
        "data:text/html,a",
      ].map((wrong) => [other, { origin: wrong }, 'origin: expected an origin, "null" or "*"'] as const),
      [null, { origin }, "there is no target"],
      [port1, { limit: 1000 }, "limit: the option is gone."],
      [port1, { orgin: origin }, "Did you mean origin?"],
    ] as const;
    for (const [target, options, message] of errors as readonly (readonly [MessageTarget, object, string])[])
      expect(() => postMessageChannel(target, options)).toThrowError(
        expect.objectContaining({
          code: "invalid-definition",
          message: expect.stringContaining(message) as string,
        }) as Error,
      );
  });
});
