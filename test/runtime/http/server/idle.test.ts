import { expect, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { type Inside, inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";
import { exchangeOf } from "./exchange-of.js";

const idleMs = 1000;

/** A session, and requests of it. */
function opened(found: Inside) {
  const endpoint = endpointOf(found.server, {
    keepAliveMs: 0,
    graceMs: 0,
    sessions: { idleMs },
  });
  const party = new Party("http://localhost/", "2025-11-25");
  const send = (method: string, message?: unknown) => {
    const body = message === undefined ? "" : JSON.stringify(message);
    const exchange = exchangeOf(method, party.headersOf(message), body);
    endpoint.handle(exchange);
    return exchange;
  };
  const clientInfo = { name: "x", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  party.session = send("POST", party.message("initialize", params)).session;
  return {
    endpoint,
    call: () => send("POST", party.call("gated")),
    ping: () => send("POST", party.message("ping")),
    listen: () => send("GET"),
    end: () => send("DELETE"),
  };
}

function abortOf(found: Inside): () => boolean {
  let isAborted = false;
  void found.aborted.opened.then(() => (isAborted = true));
  return () => isAborted;
}

test("abandoned work ends by itself when its session is idle", async () => {
  const found = inside();
  const { endpoint, call, ping } = opened(found);
  const isAborted = abortOf(found);
  call().gone();
  await found.clock.advance(idleMs - 1);
  expect([isAborted(), endpoint.kept.sessions]).toEqual([false, 1]);
  await found.clock.advance(1);
  expect([isAborted(), endpoint.kept.sessions, found.clock.waiting]).toEqual([true, 0, 0]);
  expect(ping().status).toBe(404);
});

test("a session lives on when its client returns, or stays connected", async () => {
  const found = inside();
  const { endpoint, call, ping, listen } = opened(found);
  const isAborted = abortOf(found);
  call().gone();
  await found.clock.advance(idleMs - 1);
  expect(ping().status).toBe(200);
  await found.clock.advance(idleMs - 1);
  const listening = listen();
  await found.clock.advance(5 * idleMs);
  expect([isAborted(), endpoint.kept.sessions]).toEqual([false, 1]);
  listening.gone();
  await found.clock.advance(idleMs - 1);
  expect(isAborted()).toBe(false);
  // It is looked at twice in that time.
  await found.clock.advance(1 + idleMs / 2);
  expect([isAborted(), endpoint.kept.sessions, found.clock.waiting]).toEqual([true, 0, 0]);
});

test("a session without work ends by itself when it is idle, and the timer with the last session", async () => {
  const found = inside();
  const { endpoint, call } = opened(found);
  call().gone();
  found.gate.open();
  await found.clock.advance(idleMs - 1);
  expect([endpoint.kept.sessions, found.clock.waiting]).toEqual([1, 1]);
  await found.clock.advance(1 + idleMs / 2);
  expect([endpoint.kept.sessions, found.clock.waiting]).toEqual([0, 0]);
});

test("a session that its client ends releases the timer", async () => {
  const found = inside();
  const { endpoint, end } = opened(found);
  expect(end().status).toBe(204);
  expect([endpoint.kept.sessions, found.clock.waiting]).toEqual([0, 0]);
});

test("an idle session ends at once when it is requested", async () => {
  const found = inside();
  const { endpoint, ping } = opened(found);
  await found.clock.advance(idleMs);
  expect([ping().status, endpoint.kept.sessions]).toEqual([404, 0]);
});

test("the timer does not keep the process alive, and closing clears it", async () => {
  let timer: NodeJS.Timeout | undefined;
  let cleared = 0;
  const clock = {
    now: () => 0,
    schedule: (callback: () => void, delay: number) => (timer = setTimeout(callback, delay)),
    clear: (given: unknown) => {
      if (given !== undefined && given === timer) cleared++;
      clearTimeout(given as NodeJS.Timeout);
    },
  };
  const found = { ...inside({ clock }) };
  const { endpoint, call } = opened(found);
  call().gone();
  expect(timer?.hasRef()).toBe(false);
  await endpoint.close();
  expect([cleared, endpoint.kept.sessions]).toEqual([1, 0]);
});
