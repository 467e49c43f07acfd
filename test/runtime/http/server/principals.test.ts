import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import type { HttpOptions } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { exchangeOf } from "./exchange-of.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An endpoint with authenticated clients; the name "" has no principal. */
function named(options: HttpOptions) {
  const clock = new VirtualClock();
  const server = createServer({ name: "principals", version: "1" }, { revisions: serverRevisions, clock });
  const authenticate: HttpOptions["authenticate"] = ({ header }) => {
    const principal = header("authorization") ?? "";
    return principal === "" ? {} : { auth: principal, principal };
  };
  const endpoint = endpointOf(server, { keepAliveMs: 0, authenticate, ...options });
  onTestFinished(() => endpoint.close());
  const send = async (method: string, principal: string, headers = {}, message?: unknown) => {
    const all = { "content-type": "application/json", authorization: principal, ...headers };
    const exchange = exchangeOf(method, all, message === undefined ? "" : JSON.stringify(message));
    endpoint.handle(exchange);
    await turn();
    return exchange;
  };
  const open = (principal: string, capabilities = {}) =>
    send(
      "POST",
      principal,
      {},
      {
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "x", version: "1" } },
      },
    );
  const ping = async (principal: string, session: string | undefined) =>
    (await send("POST", principal, { "mcp-session-id": session! }, { jsonrpc: "2.0", id: 1, method: "ping" }))
      .status;
  const listen = (principal: string, session: string) =>
    send("GET", principal, { accept: "text/event-stream", "mcp-session-id": session });
  return { clock, endpoint, open, ping, send, listen };
}

describe("sessions of principals", () => {
  test("a principal that opens as many as possible ends only its own sessions", async () => {
    const { open, ping, endpoint } = named({ limits: { sessions: 20 } });
    const ada = (await open("ada")).session;
    const nameless = (await open("")).session;
    const first = (await open("eve")).session;
    for (let count = 0; count < 50; count++) expect((await open("eve")).status).toBe(200);
    expect([await ping("ada", ada), await ping("", nameless), await ping("eve", first)]).toEqual([
      200, 200, 404,
    ]);
    expect(endpoint.kept.sessions).toBe(2 + 8);
  });

  test("if others hold all sessions, a principal without one is refused, and none is ended", async () => {
    const { open, ping, endpoint } = named({ limits: { sessions: 4 } });
    const sessions = [];
    for (const principal of ["ada", "ada", "ben", "ben"])
      sessions.push([principal, (await open(principal)).session] as const);
    expect((await open("eve")).status).toBe(503);
    for (const [principal, session] of sessions) expect(await ping(principal, session)).toBe(200);
    await endpoint.close();
  });

  test("a principal with an empty name is treated like any other", async () => {
    const { open, ping } = named({ limits: { sessions: 20 } });
    const [first, second] = [(await open("")).session, (await open("")).session];
    for (let count = 2; count < 9; count++) await open("");
    expect([await ping("", first), await ping("", second)]).toEqual([404, 200]);
  });

  test("connected sessions are kept, and the next one is refused", async () => {
    const { open, listen } = named({ limits: { sessions: 20 } });
    for (let count = 0; count < 8; count++) await listen("ada", (await open("ada")).session!);
    expect((await open("ada")).status).toBe(503);
    expect((await open("ben")).status).toBe(200);
  });

  test("each may have a tenth by default, and at least 8", async () => {
    for (const [maxSessions, each] of [
      [200, 20],
      [30, 8],
      [3, 3],
    ] as const) {
      const { open, endpoint } = named({ limits: { sessions: maxSessions } });
      for (let count = 0; count < 30; count++) await open("ada");
      expect(endpoint.kept.sessions).toBe(each);
    }
  });

  test("idle sessions of others make room when they are swept", async () => {
    const { open, clock } = named({ limits: { sessions: 2 }, sessions: { idleMs: 1000 } });
    await open("ada");
    await open("ben");
    expect((await open("eve")).status).toBe(503);
    await clock.advance(1500);
    expect((await open("eve")).status).toBe(200);
  });

  test("over HTTP+SSE, too: a principal makes room among its own", async () => {
    const { send, endpoint } = named({ sse: true, limits: { sessions: 3 } });
    const open = (principal: string) => send("GET", principal, { accept: "text/event-stream" });
    const opened = [await open("ada")];
    for (let count = 0; count < 5; count++) opened.push(await open("eve"));
    await turn();
    expect(opened.map(({ ended }) => ended)).toEqual([false, true, true, true, false, false]);
    expect(endpoint.kept.sessions).toBe(3);
  });
});
