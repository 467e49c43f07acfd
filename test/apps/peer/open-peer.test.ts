import type { ChannelTable } from "@mcpgen/protocol/model";
import { hostTable as hostOverJune } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-06-18/host";
import { viewTable as viewOverJune } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-06-18/view";
import {
  hostTable,
  type HostMessages,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/host";
import {
  mcpUiOpenLink,
  viewTable,
  type ViewMessages,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";
import { hostTable as hostOverModern } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2026-07-28/host";
import { viewTable as viewOverModern } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2026-07-28/view";
import { McpError, memoryChannels } from "@mcpgen/runtime";
import { type PeerHandlers, type PeerOptions, openPeer } from "@mcpgen/apps";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Channel } from "../../../runtime/base/jsonrpc/channel.js";
import { VirtualClock } from "../../../runtime/testing/index.js";
import { failureOf } from "../../support/failure-of.js";

type HostHandlers = PeerHandlers<HostMessages>;
type ViewHandlers = PeerHandlers<ViewMessages>;

const described = {
  protocolVersion: "2026-01-26",
  hostInfo: { name: "host", version: "1" },
  hostCapabilities: {},
  hostContext: {},
};
const opening = {
  protocolVersion: "2026-01-26",
  appInfo: { name: "view", version: "1" },
  appCapabilities: {},
};

/** A view and a host that are connected, and what goes wrong in each. */
function pair(ofHost: HostHandlers = {}, ofView: ViewHandlers = {}, options: PeerOptions = {}) {
  const [near, far] = memoryChannels();
  const errors: unknown[] = [];
  const onError = (error: unknown, method?: string): void => void errors.push([method, error]);
  const host = openPeer(
    hostTable,
    far,
    { "ui/initialize": () => described, ...ofHost },
    { onError, ...options },
  );
  const view = openPeer(viewTable, near, ofView, { onError, ...options });
  onTestFinished(() => view.close());
  return { host, view, errors };
}

/** A host, and what it sends to raw messages. */
function rawHost(handlers: HostHandlers = {}, options: PeerOptions = {}) {
  const [near, far] = memoryChannels();
  const errors: unknown[] = [];
  const sent: unknown[] = [];
  const host = openPeer(
    hostTable,
    far,
    { "ui/initialize": () => described, ...handlers },
    {
      onError: (error, method) => errors.push([method, error]),
      ...options,
    },
  );
  let turns = 0;
  near.open({
    message: (text) => sent.push(JSON.parse(text)),
    turn: () => void turns++,
    tooLong: () => {},
    closed: () => {},
  });
  onTestFinished(() => host.close());
  const send = (...messages: unknown[]): void => {
    for (const each of messages) near.send(typeof each === "string" ? each : JSON.stringify(each));
  };
  return { host, near, send, sent, errors };
}

const request = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });
const notification = (method: string, params?: unknown) => ({ jsonrpc: "2.0", method, params });
const refusal = (id: number | string, code: number, text = "") => ({
  jsonrpc: "2.0",
  id,
  error: expect.objectContaining({ code, message: expect.stringContaining(text) as string }) as object,
});

describe("the handshake", () => {
  test("confirms once, after the result; both sides become ready", async () => {
    const heard: string[] = [];
    const { host, view } = pair({ "ui/notifications/initialized": () => void heard.push("initialized") });
    expect(await view.request("ui/initialize", opening)).toMatchObject(described);
    await view.notify("ui/notifications/initialized", {});
    await Promise.all([view.ready, host.ready]);
    await view.request("ping");
    expect(heard).toEqual(["initialized"]);
  });

  test("that does not happen fails at the end of the channel", async () => {
    const { host, view } = pair();
    await host.close();
    expect(await failureOf(host.ready)).toMatchObject({ code: "connection-closed" });
    expect(await failureOf(view.ready)).toMatchObject({ code: "connection-closed" });
    expect(await Promise.all([host.closed, view.closed])).toEqual([undefined, undefined]);
  });
});

describe("requests", () => {
  test.each([
    ["2025-06-18", viewOverJune, hostOverJune],
    ["2025-11-25", viewTable, hostTable],
    ["2026-07-28", viewOverModern, hostOverModern],
  ] as const)("go both ways, with members that no table knows: %s", async (_, ofView, ofHost) => {
    const [near, far] = memoryChannels();
    const extra = { "x-extra": { deep: [1] } };
    const heard: unknown[] = [];
    const host = openPeer(ofHost as typeof hostTable, far, {
      "ui/initialize": () => ({ ...described, ...extra, hostContext: { ...extra, theme: "dark" } }) as never,
      "tools/call": ({ name }: { name: string }) => ({
        content: [{ type: "text", text: name, ...extra }],
        ...extra,
      }),
      "resources/read": ({ uri }: { uri: string }) => ({ contents: [{ uri, text: "a", ...extra }] }),
      "ui/update-model-context": () => ({}),
    } as unknown as HostHandlers);
    const view = openPeer(ofView as typeof viewTable, near, {
      "ui/notifications/tool-result": (params) => void heard.push(params),
      "ui/resource-teardown": () => ({ ...extra }),
    });
    onTestFinished(() => view.close());
    expect(await view.request("ui/initialize", opening)).toMatchObject({
      hostContext: { theme: "dark", ...extra },
    });
    expect(await view.request("tools/call", { name: "a", ...extra } as never)).toMatchObject({
      content: [{ text: "a" }],
    });
    expect(await view.request("resources/read", { uri: "ui://a" } as never)).toMatchObject({
      contents: [{ text: "a" }],
    });
    expect(await view.request("ui/update-model-context", { structuredContent: {}, ...extra })).toEqual({});
    await host.notify("ui/notifications/tool-result", { content: [], ...extra } as never);
    expect(await host.request("ui/resource-teardown", {})).toEqual(extra);
    expect(heard).toMatchObject([{ content: [], ...extra }]);
    expect([await view.request("ping"), await host.request("ping")]).toEqual([{}, {}]);
  });

  test("the generated functions send them", async () => {
    const { view } = pair({ "ui/open-link": ({ url }) => ({ url }) });
    expect(await mcpUiOpenLink(view, { url: "https://a.example" })).toEqual({
      url: "https://a.example",
    });
  });

  test("arrive in order with notifications", async () => {
    const heard: unknown[] = [];
    const { host } = pair(
      {},
      {
        "ui/notifications/tool-input": ({ arguments: given }) => void heard.push(given),
        "ui/notifications/host-context-changed": ({ theme }) => void heard.push(theme),
        "ui/resource-teardown": () => (heard.push("teardown"), {}),
      },
    );
    void host.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    const torn = host.request("ui/resource-teardown", {});
    void host.notify("ui/notifications/host-context-changed", { theme: "dark" });
    await torn;
    await host.request("ping");
    expect(heard).toEqual([{ a: 1 }, "teardown", "dark"]);
  });

  test("that the role does not send are refused before they leave, as are wrong ones", async () => {
    const { host, view } = pair();
    const method: string = "ui/resource-teardown";
    expect(await failureOf(view.request(method, {}))).toMatchObject({ code: "invalid-message" });
    expect(await failureOf(host.notify("ui/unknown" as string, {}))).toMatchObject({
      code: "invalid-message",
    });
    expect(await failureOf(view.request("ui/open-link", { url: 1 } as never))).toMatchObject({
      code: "invalid-message",
      message: expect.stringContaining("params.url: expected string, got 1") as string,
      data: { pointer: "/params/url" },
    });
    const cycle: Record<string, unknown> = {};
    cycle["a"] = cycle;
    for (const wrong of [cycle, { a: 1n }])
      expect(await failureOf(host.notify("ui/notifications/tool-input", { arguments: wrong }))).toMatchObject(
        {
          code: "invalid-message",
        },
      );
  });

  test("fail with the error of the other side", async () => {
    const { view, errors } = pair({
      "ui/open-link": () => {
        throw new McpError("invalid-params", "not this link", { rpcCode: -32602, data: { a: 1 } });
      },
      "ui/message": () => {
        throw new Error("a secret");
      },
      "ui/download-file": () => 1 as never,
      "ui/request-display-mode": () => ({ mode: "sideways" }) as never,
    });
    expect(await failureOf(view.request("ui/open-link", { url: "" }))).toMatchObject({
      code: "remote-error",
      rpcCode: -32602,
      message: "ui/open-link: not this link",
      data: { a: 1 },
    });
    const hidden = { code: "remote-error", rpcCode: -32603 };
    const message = await failureOf(view.request("ui/message", { role: "user", content: [] }));
    expect(message).toMatchObject({ ...hidden, message: "ui/message: the request failed" });
    expect(await failureOf(view.request("ui/download-file", { contents: [] }))).toMatchObject(hidden);
    expect(await failureOf(view.request("ui/request-display-mode", { mode: "pip" }))).toMatchObject(hidden);
    expect(await failureOf(view.request("tools/call", { name: "a" }))).toMatchObject({
      code: "method-not-found",
    });
    expect(errors).toMatchObject([
      ["ui/message", { message: "a secret" }],
      ["ui/download-file", { message: expect.stringContaining("no object") as string }],
      ["ui/request-display-mode", { code: "invalid-message", data: { pointer: "/mode" } }],
    ]);
  });

  test("fail if the result is invalid", async () => {
    const [near, far] = memoryChannels();
    const view = openPeer(viewTable, near, {});
    onTestFinished(() => view.close());
    const results = [
      undefined,
      null,
      1,
      [],
      { protocolVersion: 1 },
      JSON.parse('{"__proto__":{}}'),
    ] as unknown[];
    far.open({
      message: (text) => {
        const { id } = JSON.parse(text) as { id: number };
        far.send(JSON.stringify({ jsonrpc: "2.0", id, result: results.shift() ?? null }));
      },
      turn: () => {},
      tooLong: () => {},
      closed: () => {},
    });
    while (results.length > 0)
      expect(await failureOf(view.request("ui/initialize", opening))).toMatchObject({
        code: "invalid-result",
      });
  });

  test("are cancelled by a signal, by a timeout and by the end", async () => {
    const clock = new VirtualClock();
    const reasons: unknown[] = [];
    const { host, view, errors } = pair(
      {
        "tools/call": (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              reasons.push((signal.reason as McpError).code);
              reject(new Error("late"));
            });
          }),
      },
      {},
      { clock, timeouts: { timeout: 1000 } },
    );
    const stop = new AbortController();
    const stopped = failureOf(view.request("tools/call", { name: "a" }, { signal: stop.signal }));
    await view.request("ping");
    stop.abort();
    expect(await stopped).toMatchObject({ code: "cancelled" });
    expect(await failureOf(view.request("ping", {}, { signal: stop.signal }))).toMatchObject({
      code: "cancelled",
    });
    const timed = failureOf(view.request("tools/call", { name: "a" }));
    await view.request("ping");
    clock.advance(1000);
    expect(await timed).toMatchObject({ code: "timeout" });
    const ended = failureOf(view.request("tools/call", { name: "a" }));
    await view.request("ping");
    await host.close();
    expect(await ended).toMatchObject({ code: "connection-closed" });
    expect(await failureOf(view.request("ping"))).toMatchObject({ code: "connection-closed" });
    await view.notify("ui/notifications/size-changed", {});
    expect(reasons).toEqual(["cancelled", "cancelled", "connection-closed"]);
    expect(errors).toEqual([]);
  });

  test("report progress if it is asked for", async () => {
    const { view } = pair({
      "tools/call": async (_, { progress, meta }) => {
        progress(1, 2, "half");
        for (const less of [NaN, 1, 0.5]) progress(less);
        return { content: [], structuredContent: { token: meta["progressToken"] !== undefined } } as never;
      },
    });
    const seen: unknown[] = [];
    const asking = { onProgress: (progress: unknown) => void seen.push(progress) };
    expect(await view.request("tools/call", { name: "a" }, asking)).toMatchObject({
      structuredContent: { token: true },
    });
    expect(await view.request("tools/call", { name: "a" })).toMatchObject({
      structuredContent: { token: false },
    });
    expect(seen).toMatchObject([{ progress: 1, total: 2, message: "half" }]);
  });
});

describe("hostile messages", () => {
  test("get the errors of JSON-RPC, or nothing", async () => {
    const { send, sent, errors } = rawHost({ "ui/open-link": () => ({}), "ui/initialize": () => described });
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const links = (...params: unknown[]) =>
      params.map((each, index) => request(`l${index}`, "ui/open-link", each));
    send(
      "{",
      "1",
      [request(1, "ping")],
      {},
      request(null, "ping"),
      request(1.5, "ping"),
      request(2, 7 as never),
      ...["__proto__", "constructor", "toString", "ui/unknown", "ui/resource-teardown", ""].map((name) =>
        request(name, name),
      ),
      request(3, "ui/message", { role: "user", content: [] }),
      ...links(undefined, null, 1, [], {}, { url: 1 }, JSON.parse('{"__proto__":{"url":"a"}}')),

      `{"jsonrpc":"2.0","id":"deep","method":"ui/open-link","params":{"url":"a","more":${deep}}}`,
      request("huge", "ui/open-link", { url: "a".repeat(5_000_000) }),
      { jsonrpc: "2.0", id: 99, result: {} },
      { jsonrpc: "2.0", error: {} },
      { jsonrpc: "2.0", id: {}, result: {} },
      notification("__proto__", { a: 1 }),
      notification("ui/unknown"),
      notification("ui/notifications/size-changed", { width: "wide" }),
      notification("notifications/cancelled", { requestId: {} }),
      notification("notifications/progress", { progressToken: 5, progress: 1 }),
      request("last", "ping"),
    );
    await expect.poll(() => sent.some((each) => (each as { id?: unknown }).id === "last")).toBe(true);
    const byId = (id: unknown) => sent.filter((each) => (each as { id?: unknown }).id === id);
    expect(byId(undefined).map((each) => (each as { error: { code: number } }).error.code)).toEqual([
      -32700, -32600, -32600, -32600, -32600, -32600,
    ]);
    expect(byId(2)).toEqual([refusal(2, -32600)]);
    for (const name of ["__proto__", "constructor", "toString", "ui/unknown", "ui/resource-teardown", ""])
      expect(byId(name)).toEqual([refusal(name, -32601, name)]);
    expect(byId(3)).toEqual([refusal(3, -32601)]);
    await expect.poll(() => byId("l6").length).toBe(1);
    expect(byId("l0")).toEqual([refusal("l0", -32602, "params: expected object, got nothing")]);
    expect(byId("l5")).toEqual([refusal("l5", -32602, "params.url: expected string, got 1")]);
    for (const id of ["l1", "l2", "l3", "l4", "l6"])
      expect(byId(id)).toEqual([refusal(id, -32602, "params")]);
    expect(byId("huge")).toEqual([{ jsonrpc: "2.0", id: "huge", result: {} }]);
    expect(byId("deep")).toHaveLength(1);
    await expect
      .poll(() => errors.map((each) => (each as unknown[])[0]))
      .toEqual(["ui/notifications/size-changed", "notifications/cancelled"]);
    expect(({} as { url?: unknown }).url).toBeUndefined();
  });

  test("more than 1,000 requests, and two of one id, are refused", async () => {
    const ends: (() => void)[] = [];
    const { send, sent } = rawHost({
      "ui/open-link": () => new Promise((resolve) => ends.push(() => resolve({}))),
    });
    const ids = Array.from({ length: 1001 }, (_, index) => index + 1);
    send(...[1, ...ids].map((id) => request(id, "ui/open-link", { url: "a" })));
    await expect
      .poll(() => sent)
      .toEqual([refusal(1, -32600, "id"), refusal(1001, -32600, "more than 1000")]);
    ends.forEach((end) => end());
    await expect.poll(() => sent.length).toBe(1002);
    send(request(1001, "ping"));
    await expect.poll(() => sent.length).toBe(1003);
  });

  test("a cancelled request gets no answer, and its id can be used again", async () => {
    const ends: (() => void)[] = [];
    const { send, sent } = rawHost({
      "ui/open-link": ({ url }) => new Promise((resolve) => ends.push(() => resolve({ url }))),
    });
    send(
      request(1, "ui/open-link", { url: "a" }),
      notification("notifications/cancelled", { requestId: 1 }),
      request(1, "ui/open-link", { url: "b" }),
      request(2, "ping"),
    );
    await expect.poll(() => sent.length).toBe(1);
    ends.forEach((end) => end());
    await expect
      .poll(() => sent)
      .toEqual([
        { jsonrpc: "2.0", id: 2, result: {} },
        { jsonrpc: "2.0", id: 1, result: { url: "b" } },
      ]);
  });

  test("listeners that throw, and messages that are too long, are reported", async () => {
    const { send, errors, host } = rawHost({
      "ui/notifications/size-changed": () => {
        throw new Error("sync");
      },
      "ui/notifications/request-teardown": () => Promise.reject(new Error("async")),
    });
    send(
      notification("ui/notifications/size-changed", {}),
      notification("ui/notifications/request-teardown"),
    );
    await expect
      .poll(() => errors)
      .toMatchObject([
        ["ui/notifications/size-changed", { message: "sync" }],
        ["ui/notifications/request-teardown", { message: "async" }],
      ]);
    expect(typeof host.close).toBe("function");
  });
});

test("a result that does not serialise to an object is refused, and the channel stays open", async () => {
  const results = [{ toJSON: () => undefined }, new Date(0), { toJSON: () => [] }];
  const { send, sent, errors } = rawHost({ "ui/open-link": () => results.shift() as never });
  for (const id of [1, 2, 3]) send(request(id, "ui/open-link", { url: "https://a.example" }));
  send(request(4, "ping"));
  await expect.poll(() => sent).toHaveLength(4);
  expect(sent).toEqual(
    expect.arrayContaining([
      ...[1, 2, 3].map((id) => refusal(id, -32603)),
      { jsonrpc: "2.0", id: 4, result: {} },
    ]),
  );
  expect(errors).toMatchObject(
    ["undefined", '"1970-01-01T00:00:00.000Z"', "[]"].map((got) => [
      "ui/open-link",
      { code: "invalid-message", message: `ui/open-link: expected an object, got ${got}` },
    ]),
  );
});

test("an onError that throws or rejects breaks nothing", async () => {
  const fail = (): never => {
    throw new Error("handler");
  };
  for (const onError of [fail, () => Promise.reject(new Error("rejected"))]) {
    const { send, sent } = rawHost(
      { "ui/open-link": fail, "ui/notifications/size-changed": fail },
      { onError: onError as () => void },
    );
    send(request(1, "ui/open-link", { url: "https://a.example" }));
    send(notification("ui/notifications/size-changed", {}), request(2, "ping"));
    await expect.poll(() => sent).toHaveLength(2);
    expect(sent).toEqual(expect.arrayContaining([refusal(1, -32603), { jsonrpc: "2.0", id: 2, result: {} }]));
  }
});

describe("definitions", () => {
  const channel = (): Channel => memoryChannels()[0];
  test.each<[string, () => unknown, string]>([
    [
      "a handler of no method",
      () => openPeer(viewTable, channel(), { "ui/open-link": () => ({}) } as never),
      "the role view does not receive ui/open-link",
    ],
    [
      "a misspelt method",
      () => openPeer(viewTable, channel(), { "ui/resource-tear-down": () => ({}) } as never),
      "Did you mean ui/resource-teardown?",
    ],
    [
      "a handler that is no function",
      () => openPeer(viewTable, channel(), { ping: 1 } as never),
      "ping: expected a function",
    ],
    [
      "an option",
      () => openPeer(viewTable, channel(), {}, { onErrors: () => {} } as never),
      "Did you mean onError?",
    ],
    [
      "a value",
      () => openPeer(viewTable, channel(), {}, { timeouts: { timeout: -1 } }),
      "timeouts.timeout: expected a number from 0",
    ],
    [
      "a role without the handler that answers the handshake",
      () => openPeer(hostTable, channel(), { "ui/open-link": () => ({}) }),
      "there is no handler of ui/initialize, which opens the channel",
    ],
    [
      "a format",
      () => openPeer({ ...viewTable, format: 2 } as never as ChannelTable, channel(), {}),
      "format 2",
    ],
  ])("%s is refused", (_, open, text) => {
    expect(open).toThrowError(
      expect.objectContaining({
        code: "invalid-definition",
        message: expect.stringContaining(text) as string,
      }) as Error,
    );
  });
});
