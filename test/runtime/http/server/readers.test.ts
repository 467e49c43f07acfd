import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { Backlog, type Reader } from "../../../../runtime/core/http/server/limits.js";
import { Admission } from "../../../../runtime/base/admission/admission.js";
import { VirtualClock } from "@mcpgen/testing";
import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { type Adapter, serve } from "../../../support/http-adapters.js";
import { inside } from "../../../support/http-fixture.js";
import { noCounts } from "./exchange-of.js";
import { Party, textOf, messagesOf } from "../../../support/raw-http-client.js";
import { thoroughTest } from "../../../support/thorough-test.js";

const mib = 1_048_576;

describe("a stalled reader", () => {
  function readers(most: number) {
    const clock = new VirtualClock();
    const backlog = new Backlog(clock, new Admission({ bytes: most }), noCounts());
    const cut: string[] = [];
    const reader = (name: string, principal = ""): Reader => {
      const found = { principal, cut: () => (cut.push(name), backlog.wait(found, 0)) };
      return found;
    };
    return { clock, backlog, cut, reader };
  }

  test("is disconnected after the time limit; the timer ends with the last reader", async () => {
    const { clock, backlog, cut, reader } = readers(1000);
    const [a, b] = [reader("a"), reader("b")];
    backlog.wait(a, 100);
    backlog.wait(b, 100);
    await clock.advance(36_000);
    backlog.wait(a, 150);
    backlog.wait(b, 50, true);
    await clock.advance(24_000);
    expect([cut, backlog.size]).toEqual([["a"], 50]);
    await clock.advance(30_000);
    expect([cut, backlog.size]).toEqual([["a"], 50]);
    await clock.advance(30_000);
    expect([cut, backlog.size, clock.waiting]).toEqual([["a", "b"], 0, 0]);
  });

  test("is disconnected at the total limit: the one that read longest ago first, never the latest alone", () => {
    const { backlog, cut, reader } = readers(1000);
    const [a, b, c, d] = [reader("a"), reader("b"), reader("c"), reader("d")];
    backlog.wait(a, 400);
    backlog.wait(b, 400);
    backlog.wait(a, 300, true);
    backlog.wait(c, 500);
    expect([cut, backlog.size]).toEqual([["b"], 800]);
    backlog.wait(d, 5000);
    expect([cut, backlog.size]).toEqual([["b", "a", "c"], 5000]);
  });

  test("is disconnected among readers of the same principal, or of one with as large a backlog", () => {
    const { backlog, cut, reader } = readers(1000);
    const [small, a, b, large] = [
      reader("small", "ben"),
      reader("a", "ada"),
      reader("b", "ada"),
      reader("large", "cleo"),
    ];
    backlog.wait(small, 100);
    backlog.wait(a, 400);
    backlog.wait(b, 450);
    backlog.wait(b, 600, true);
    expect([cut, backlog.size]).toEqual([["a"], 700]);
    // This response is larger than the whole limit: neither the others nor the next one are cut because of it.
    backlog.wait(large, 2000);
    expect([cut, backlog.size]).toEqual([["a"], 2700]);
    backlog.wait(small, 110);
    expect([cut, backlog.size]).toEqual([["a", "b", "large"], 110]);
  });
});

/** A connection whose client sends a request, and reads nothing. */
async function unread(port: number, party: Party, message: object, accept: string): Promise<Socket> {
  const body = JSON.stringify(message);
  const headers = { ...party.headersOf(message, { accept }), "content-length": `${Buffer.byteLength(body)}` };
  const lines = Object.entries({ host: `localhost:${port}`, ...headers }).map((each) => each.join(": "));
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  return socket;
}

/** A server with a tool whose answers are long, and the responses that it cuts off. */
async function talkative(adapter: Adapter, options: ServeHttpOptions = {}) {
  const found = inside();
  found.server.tool<{ size: number; reports: number }>("long", {}, ({ size, reports = 0 }, { progress }) => {
    for (let report = 1; report <= reports; report++) progress(report, reports, "y".repeat(mib));
    return "x".repeat(size);
  });
  const target = await serve(adapter, found.server, { keepAliveMs: 0, ...options });
  let closed = 0;
  const sockets: Socket[] = [];
  target.node.on("connection", (socket: Socket) => {
    sockets.push(socket);
    socket.on("close", () => closed++);
  });
  const party = new Party(target.url, "2026-07-28");
  const call = (size: number, reports = 0) =>
    party.call("long", { size, reports }, { _meta: { progressToken: 1 } });
  return { ...found, ...target, party, call, closed: () => closed, sockets };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// On platforms with web objects, the platform itself sends whole bodies, so only streams are tested.
describe.each([
  ["node", "application/json"],
  ["node", "text/event-stream"],
  ["fetch", "text/event-stream"],
] as const)("readers that never read (%s, %s)", (adapter, accept) => {
  const reports = accept === "application/json" ? 0 : 6;

  test("are cut off in time", async () => {
    const { clock, call, port, party, closed, sockets } = await talkative(adapter);
    await unread(port, party, call(16 * mib, reports), accept);
    while (sockets.length === 0 || clock.waiting === 0) await turn();
    await clock.advance(59_999);
    expect(closed()).toBe(0);
    await clock.advance(30_001);
    while (closed() === 0) await turn();
  });

  thoroughTest(
    "have so many bytes waiting in all, and those are cut off that read nothing for longest",
    async () => {
      const options = { limits: { memory: 80 * mib } };
      const { call, port, party, closed, sockets } = await talkative(adapter, options);
      for (let count = 0; count < 6; count++) {
        await unread(port, party, call(16 * mib, reports), accept);
        while (sockets.length <= count) await turn();
      }
      while (closed() < 3) await turn();
    },
  );

  thoroughTest("buffer nothing for clients that read", async () => {
    const { call, port, party } = await talkative(adapter, { limits: { memory: 80 * mib } });
    await unread(port, party, call(16 * mib, reports), accept);
    for (let count = 0; count < 2; count++) {
      const message = call(12 * mib, 0);
      const answer = await party.post(message, { accept });
      await answer.whole();
      expect(textOf(messagesOf(answer).find(({ id }) => id === message.id)!).length).toBe(12 * mib);
    }
  });
});
