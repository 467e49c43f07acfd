import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Channel, Receiver } from "@mcpgen/runtime";
import { connect, createServer } from "@mcpgen/runtime/all";
import { WebSocketChannel } from "../../examples/websocket/channel.js";
import { openWebSocket } from "../../examples/websocket/client.js";
import { serveWebSocket } from "../../examples/websocket/server.js";
import { fixture } from "../portability/suite/fixture.mjs";
import { until } from "../support/until.mjs";
import { clientOf, failureOf, raw, served } from "./websocket.js";

const eras = ["2025-11-25", "2026-07-28"];

describe("limits", () => {
  test("a message that is too long for the server ends the connection, and is not sent again", async () => {
    const url = await served({ limit: 10_000 });
    let opened = 0;
    const client = await connect(() => (opened++, openWebSocket(url)));
    onTestFinished(() => client.close());
    const failed = await failureOf(client.request("tools/list", { cursor: "x".repeat(10_000) }));
    expect(failed).toMatchObject({
      code: "message-too-long",
      message: "the other side takes no message as long as one that was sent",
    });
    expect(opened).toBe(1);
    expect((await client.callTool("length", { text: "short" })).content).toMatchObject([{ text: "5" }]);
    expect(opened).toBe(2);
  });

  test("a message that is too long for the client makes the waiting requests fail", async () => {
    const client = await clientOf(await served(), {}, { limit: 10_000 });
    expect(await failureOf(client.callTool("echo", { text: "x".repeat(10_000) }))).toMatchObject({
      code: "message-too-long",
      message: "a message of the server was longer than 10000 bytes",
    });
    expect(await failureOf(client.listTools())).toMatchObject({ code: "message-too-long" });
  });

  /** A server that counts the calls it has taken. */
  function counting(): { readonly server: ReturnType<typeof createServer>; calls: number } {
    const counted = { server: createServer({ name: "counting", version: "1.0.0" }), calls: 0 };
    counted.server.tool("echo", {}, ({ text }) => (counted.calls++, text as string));
    return counted;
  }

  test("the server does not read from a client that does not read, until it reads again", async () => {
    const counted = counting();
    const { socket, call } = await raw(await served({ backlog: 1_000_000 }, counted.server));
    socket.pause();
    const text = "x".repeat(100_000);
    const count = 400;
    for (let id = 1; id <= count; id++) call(id, text);
    await until(
      "the client has nothing more to write, or the server reads no more",
      () => counted.calls > 10,
    );
    let before = -1;
    while (before !== counted.calls) {
      before = counted.calls;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(counted.calls).toBeLessThan(count);
    const answered = new Set<unknown>();
    socket.on("message", (data: RawData) => answered.add((JSON.parse(String(data)) as { id: unknown }).id));
    socket.resume();
    await until("all is answered", () => answered.size === count);
  });

  test("a client is disconnected when it reads nothing, or leaves too many bytes unread", async () => {
    for (const options of [{ keepAliveMs: 100 }, { backlog: Infinity, waitingLimit: 1_000_000 }]) {
      const counted = counting();
      const aborted: unknown[] = [];
      counted.server.tool("wait", {}, async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborted.push((signal.reason as Error).message);
        return "";
      });
      const { socket, call } = await raw(await served(options, counted.server));
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: -1, method: "tools/call", params: { name: "wait" } }));
      socket.pause();
      for (let id = 1; id <= 200; id++) call(id, "x".repeat(100_000));
      await until("its requests are aborted", () => aborted.length > 0);
      expect(aborted).toEqual(["the client is gone"]);
    }
  });
});

describe("ends", () => {
  /** The messages and events that a receiver gets. */
  function received(channel: Channel): unknown[] {
    const seen: unknown[] = [];
    const receiver: Receiver = {
      message: (text) => seen.push(text),
      turn: () => {},
      tooLong: (limit) => seen.push(limit),
      closed: (reason) => seen.push(reason ?? "in order"),
    };
    channel.open(receiver);
    return seen;
  }

  /** Connects a client to a scripted server that calls `act` for the connection. */
  async function against(act: (socket: WebSocket, raw: Socket) => void): Promise<unknown[]> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => void server.close());
    await once(server, "listening");
    server.on("connection", (socket, { socket: raw }) => act(socket, raw));
    const { port } = server.address() as { port: number };
    const channel = await openWebSocket(`ws://127.0.0.1:${port}`);
    onTestFinished(() => channel.close());
    const seen = received(channel);
    await channel.closed;
    await channel.close();
    return seen;
  }

  test.each([1000, 1001])("in order: %i", async (code) => {
    const seen = await against((socket) => {
      socket.send("first");
      socket.send("last");
      socket.close(code);
    });
    expect(seen).toEqual(["first", "last", "in order"]);
  });

  test.each([
    ["a socket that is destroyed", (_: WebSocket, raw: Socket) => raw.destroy(), "the socket was cut"],
    ["a socket that is reset", (_: WebSocket, raw: Socket) => raw.resetAndDestroy(), "the socket was cut"],
    [
      "a socket that is ended without a close frame",
      (_: WebSocket, raw: Socket) => raw.end(),
      "the socket was cut",
    ],
    [
      "an error of the server",
      (socket: WebSocket) => socket.close(1011, "out of memory"),
      "the WebSocket was closed with 1011: out of memory",
    ],
    [
      "bytes that are no frame",
      (_: WebSocket, raw: Socket) => raw.write("HTTP/1.1 200 OK\r\n\r\n"),
      "the other side sent what is no WebSocket: Invalid WebSocket frame: RSV1 must be clear",
    ],
    [
      "text that is not UTF-8",
      (_: WebSocket, raw: Socket) => raw.write(Buffer.from([0x81, 1, 0xff])),
      "the other side sent what is no WebSocket: Invalid WebSocket frame: invalid UTF-8 sequence",
    ],
    [
      "a binary message",
      (socket: WebSocket) => socket.send(Buffer.from("{}")),
      "the other side sent a binary message; messages are text",
    ],
  ])("not in order: %s", async (_, act, message) => {
    const seen = await against((socket, raw) => {
      socket.on("error", () => {});
      act(socket, raw);
    });
    expect(seen).toMatchObject([{ code: "connection-closed", message, data: { interrupted: true } }]);
  });

  test("an interrupted read is sent again, an interrupted tool call is not", async () => {
    const http = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => void http.close());
    await once(http, "listening");
    let socket!: WebSocket;
    let left = 1;
    const server = createServer({ name: "cutting", version: "1.0.0" });
    const cut = async (): Promise<string> => {
      if (left-- > 0) socket.terminate();
      return "done";
    };
    server.tool("cut", {}, cut);
    server.resource("note://cut", { name: "cut" }, cut);
    const limits = { limit: 1000, backlog: 1000, waitingLimit: 1000, keepAliveMs: 60_000 };
    http.on("connection", (each) => server.connect(new WebSocketChannel((socket = each), limits)));
    const { port } = http.address() as { port: number };
    const client = await connect(() => openWebSocket(`ws://127.0.0.1:${port}`));
    onTestFinished(() => client.close());
    expect((await client.readResource("note://cut")).contents).toMatchObject([{ text: "done" }]);
    expect(left).toBe(-1);
    left = 1;
    expect(await failureOf(client.callTool("cut"))).toMatchObject({ data: { interrupted: true } });
    expect((await client.callTool("cut")).content).toMatchObject([{ text: "done" }]);
  });

  test("the client disconnects from a silent server", async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", autoPong: false });
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const channel = await openWebSocket(`ws://127.0.0.1:${port}`, { keepAliveMs: 50 });
    const seen = received(channel);
    await channel.closed;
    expect(seen).toMatchObject([{ message: "the other side was silent for 50 ms" }]);
  });

  test("closing a client aborts its requests", async () => {
    const url = await served();
    const watcher = await clientOf(url);
    const client = await clientOf(url);
    const held = failureOf(client.callTool("hold", { name: "closed" }));
    await watcher.callTool("seen", { name: "closed", what: "began" });
    await client.close();
    expect(await held).toMatchObject({ code: "connection-closed" });
    await watcher.callTool("seen", { name: "closed", what: "aborted" });
  });

  test("a lost connection aborts the requests of its client", async () => {
    const url = await served();
    const watcher = await clientOf(url);
    const { socket } = await raw(url);
    const params = { name: "hold", arguments: { name: "cut" } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    await watcher.callTool("seen", { name: "cut", what: "began" });
    socket.terminate();
    await watcher.callTool("seen", { name: "cut", what: "aborted" });
  });

  test.each(eras)(
    "a server that closes answers its requests first, and refuses later connections: %s",
    async (revision) => {
      const service = await serveWebSocket(fixture());
      const client = await clientOf(service.url, { revision });
      const opener = await clientOf(service.url, { revision });
      const held = client.callTool("hold", { name: "closing" });
      await opener.callTool("seen", { name: "closing", what: "began" });
      const closed = service.close();
      await expect(openWebSocket(service.url)).rejects.toMatchObject({ code: "connection-closed" });
      await opener.callTool("open", { name: "closing" });
      expect((await held).content).toMatchObject([{ text: "held" }]);
      await closed;
      expect(await failureOf(client.callTool("hold"))).toMatchObject({
        code: "connection-closed",
        message: "the connection is closed",
      });
      await service.close();
    },
  );

  test("closing twice has one effect, and later messages are not sent", async () => {
    const channel = await openWebSocket(await served());
    const seen = received(channel);
    const closing = channel.close();
    expect(channel.close()).toBe(closing);
    channel.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    await closing;
    expect(seen).toEqual(["in order"]);
  });
});
