// Requests of sessions continue when their client has lost its connection.
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { exchangeOf } from "./exchange-of.js";

const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "x", version: "1" } };

/** An endpoint with a tool that ends when its request is aborted, or when `end` is called. */
function served() {
  const server = createServer({ name: "forsaken", version: "1" }, { revisions: serverRevisions });
  let running = 0;
  const ends = new Set<() => void>();
  server.tool("held", {}, async (_, { signal }) => {
    running++;
    await new Promise<void>((resolve) => {
      ends.add(resolve);
      signal.addEventListener("abort", () => resolve());
    });
    running--;
    return "held";
  });
  const authenticate = ({ header }: { header(name: string): string | undefined }) => ({
    auth: 1,
    principal: header("x-principal")!,
  });
  const endpoint = endpointOf(server, { keepAliveMs: 0, limits: { work: 10 }, graceMs: 0, authenticate });
  onTestFinished(() => endpoint.close());
  const post = async (headers: Record<string, string>, message: unknown) => {
    const exchange = exchangeOf(
      "POST",
      { "content-type": "application/json", ...headers },
      JSON.stringify(message),
    );
    endpoint.handle(exchange);
    await new Promise((resolve) => setImmediate(resolve));
    return exchange;
  };
  const open = async (principal: string) => {
    const headers = { "x-principal": principal };
    const { session } = await post(headers, { jsonrpc: "2.0", id: "i", method: "initialize", params });
    return { ...headers, "mcp-session-id": session! };
  };
  const calls = (count: number) =>
    Array.from({ length: count }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "held" },
    }));
  /** Posts calls, and loses the connection. */
  const forsake = async (session: Record<string, string>, count = 5) => {
    const exchange = await post(session, calls(count));
    exchange.gone();
    return exchange.status;
  };
  const ping = async (session: Record<string, string>) =>
    (await post(session, { jsonrpc: "2.0", id: "p", method: "ping" })).status;
  const end = () => ends.forEach((each) => each());
  return { endpoint, open, forsake, ping, end, running: () => running };
}

test("abandoned requests are limited, and the session abandoned longest makes room", async () => {
  const { open, forsake, ping, running, endpoint } = served();
  const sessions = [];
  for (let count = 0; count < 8; count++) {
    sessions.push(await open("ada"));
    await forsake(sessions.at(-1)!);
    expect(running()).toBe(5);
  }
  expect(endpoint.kept).toMatchObject({ sessions: 1, requests: 0 });
  expect(await ping(sessions[0]!)).toBe(404);
});

test("one principal never ends the requests of another, and is not shut out by them", async () => {
  const { open, forsake, ping, end, running } = served();
  const [ada, bob] = [await open("ada"), await open("bob")];
  await forsake(ada);
  expect([await ping(ada), await ping(bob), running()]).toEqual([503, 200, 5]);
  expect([await forsake(bob, 2), await ping(bob), await ping(await open("cleo"))]).toEqual([0, 503, 200]);
  end();
  await new Promise((resolve) => setImmediate(resolve));
  expect([await ping(bob), await ping(ada), running()]).toEqual([200, 200, 0]);
});
