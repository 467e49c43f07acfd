import { once } from "node:events";
import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { McpError } from "@mcpgen/runtime";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime/all";
import { type OpenWebSocketOptions, openWebSocket } from "../../examples/websocket/client.js";
import { type ServeWebSocketOptions, serveWebSocket } from "../../examples/websocket/server.js";
import { fixture } from "../portability/suite/fixture.mjs";

/** The URL of a server that runs until the test ends. */
export async function served(
  options: ServeWebSocketOptions = {},
  server = fixture({ onEvent: () => true }),
): Promise<string> {
  const service = await serveWebSocket(server, options);
  onTestFinished(() => service.close());
  return service.url;
}

/** A client that keeps its one connection. */
export async function clientOf(
  url: string,
  options: Partial<ConnectOptions> = {},
  socket: OpenWebSocketOptions = {},
): Promise<Client> {
  const client = await connect(await openWebSocket(url, socket), options);
  onTestFinished(() => client.close());
  return client;
}

/** A raw client after its handshake, which can stop reading and can be cut. */
export async function raw(
  url: string,
): Promise<{ readonly socket: WebSocket; call(id: number, text: string): void }> {
  const socket = new WebSocket(url, "mcp");
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  const send = (message: object): void => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  send({ id: 0, method: "initialize", params });
  await once(socket, "message");
  send({ method: "notifications/initialized" });
  const call = (id: number, text: string): void =>
    send({ id, method: "tools/call", params: { name: "echo", arguments: { text } } });
  return { socket, call };
}

export const failureOf = (promise: Promise<unknown>): Promise<McpError> =>
  promise.then(
    () => expect.unreachable("it did not fail"),
    (error: McpError) => error,
  );
