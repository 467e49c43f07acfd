// A closed handler serves nothing.
import { type RequestListener, createServer } from "node:http";
import { createHttpHandler, createNodeHandler } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { adapters } from "../../../support/http-adapters.js";
import { Gate, http, inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";
import { RawConnection, postText } from "../../../support/raw-connection.js";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { exchangeOf } from "./exchange-of.js";
import { listen } from "../../../support/listen.js";

const modern = "2026-07-28";
const legacy = "2025-11-25";

/** Requests that would begin a session, a stream or a call. */
function beginnings(party: Party): readonly unknown[] {
  return [
    new Party(party.url, legacy).message("initialize", {
      protocolVersion: legacy,
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    }),
    party.message("subscriptions/listen", { notifications: {} }),
    party.message("tools/list"),
  ];
}

describe.each(adapters)("%s", (adapter) => {
  test("a page can read the error that the session of its request was ended", async () => {
    const { party, began, gate } = await http(adapter, legacy);
    const origin = "http://localhost:5173";
    const answering = party.post(party.call("gated"), { origin });
    await began.opened;
    expect((await party.delete()).status).toBe(204);
    const { status, headers } = await answering;
    expect([status, headers["access-control-allow-origin"]]).toEqual([503, origin]);
    gate.open();
  });
});

test("a closed handler starts no requests, and the server in which it is mounted can close", async () => {
  const { server, clock } = inside();
  const handle = createNodeHandler(server);
  const party = new Party("http://localhost/", modern);
  for (const message of beginnings(party)) {
    const node = createServer(handle as RequestListener);
    const port = await listen(node);
    onTestFinished(() => node.closeAllConnections());
    const connection = new RawConnection(port, "");
    await new Promise((resolve) => node.once("connection", resolve));
    await handle.close();
    const closed = new Promise((resolve) => node.close(resolve));
    connection.write(postText(party, message));
    await closed;
    await connection.closed;
    expect(connection.statuses).toEqual([503]);
    expect(connection.heard.toLowerCase()).toContain("connection: close");
  }
  expect(clock.waiting).toBe(0);
});

test("a closed handler for fetch starts no requests", async () => {
  const { server, clock } = inside();
  const { fetch, close } = createHttpHandler(server, { sse: true });
  await close();
  const party = new Party("http://localhost/mcp", modern);
  for (const message of beginnings(party)) {
    const init = { method: "POST", headers: party.headersOf(message), body: JSON.stringify(message) };
    expect((await fetch(new Request(party.url, init))).status).toBe(503);
  }
  const headers = { accept: "text/event-stream" };
  const all = [{}, { "mcp-session-id": "any" }].flatMap((more) =>
    ["GET", "DELETE", "PUT"].map((method) => ({ method, headers: { ...headers, ...more } })),
  );
  for (const init of all) expect((await fetch(new Request(party.url, init))).status).toBe(503);
  expect(clock.waiting).toBe(0);
});

test("requests that are still being read when a handler closes are refused", async () => {
  const { server } = inside();
  const party = new Party("http://localhost/", modern);
  for (const message of beginnings(party)) {
    const text = JSON.stringify(message);
    // The authentication or the body ends only after the close.
    const gate = new Gate();
    const asking = endpointOf(server, { authenticate: () => gate.opened.then(() => ({})) });
    const first = exchangeOf("POST", party.headersOf(message), text);
    asking.handle(first);
    await asking.close();
    gate.open();
    await new Promise((resolve) => setImmediate(resolve));
    const reading = endpointOf(server);
    const second = exchangeOf("POST", party.headersOf(message), text);
    let arrive!: () => void;
    second.readBody = (_reading, done) => void (arrive = () => done(text));
    reading.handle(second);
    await reading.close();
    arrive();
    expect([first.status, second.status]).toEqual([503, 503]);
    for (const { kept } of [asking, reading])
      expect(kept).toMatchObject({ sessions: 0, streams: 0, requests: 0, bodies: 0 });
  }
  const gate = new Gate();
  const older = endpointOf(server, { sse: true, authenticate: () => gate.opened.then(() => ({})) });
  const opening = exchangeOf("GET", { accept: "text/event-stream" });
  const replied = new Promise((resolve) => (opening.reply = resolve));
  older.handle(opening);
  await older.close();
  gate.open();
  expect([await replied, older.kept.sessions]).toEqual([503, 0]);
});
