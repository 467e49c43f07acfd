import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Admission } from "../../../../runtime/base/admission/admission.js";
import { BodyReading } from "../../../../runtime/core/http/server/endpoint.js";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { isThorough } from "../../../support/cases.mjs";
import { adapters, serve } from "../../../support/http-adapters.js";
import { inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";
import { heap } from "../../../support/heap.js";
import { exchangeOf } from "./exchange-of.js";

const mib = 1_048_576;

afterEach(() => void vi.restoreAllMocks());

/** The reading of one body that no limit stops. */
function unlimited(): BodyReading {
  const bodies = new Admission({});
  bodies.take("", 0);
  return new BodyReading(bodies, "", Infinity);
}

describe("a body in pieces", () => {
  test.each([[[]], [[1]], [[1, 1, 1, 1]], [[1000, 24, 1, 5000, 3]], [[5000, 1]]])(
    "of %j bytes is put together",
    (sizes) => {
      const bytes = unlimited();
      const whole = Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index + 1)));
      let at = 0;
      for (const size of sizes) bytes.take(whole.subarray(at, (at += size)));
      expect(Buffer.from(bytes.whole)).toEqual(whole);
    },
  );

  test("of one byte each takes at most twice its length, and is copied once for each doubling", async () => {
    const length = isThorough ? 4 * mib : mib / 4;
    const before = (await heap()) + process.memoryUsage().arrayBuffers;
    // From here to the count nothing is awaited: other work of the process would be counted too.
    const copies = vi.spyOn(Uint8Array.prototype, "subarray");
    const bytes = unlimited();
    const piece = new Uint8Array([65]);
    for (let count = 0; count < length; count++) bytes.take(piece);
    expect(copies.mock.calls.length).toBeLessThan(15);
    copies.mockRestore();
    expect((await heap()) + process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * length + mib / 2);
    expect(bytes.whole.length).toBe(length);
  });
});

describe.each(adapters)("over a connection (%s)", (adapter) => {
  test("a body in chunks of one byte costs a small multiple of its length", async () => {
    const size = isThorough ? mib : mib / 32;
    const { server } = inside();
    const { port, url, node } = await serve(adapter, server, { keepAliveMs: 0 });
    const party = new Party(url, "2026-07-28");
    const call = party.call("echo", { text: "x".repeat(size) });
    const text = JSON.stringify(call);
    const head = Object.entries({
      ...party.headersOf(call),
      host: `localhost:${port}`,
      "transfer-encoding": "chunked",
    });
    const connection = once(node, "connection") as Promise<[Socket]>;
    const socket = connect(port, "127.0.0.1");
    const [peer] = await connection;
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
    );
    const chunks = text.replace(/./gs, "1\r\n$&\r\n");
    await heap();
    const before = process.memoryUsage();
    // Only the end is missing: the received part is kept.
    const last = chunks.length - 6;
    if (!socket.write(chunks.slice(0, last))) await once(socket, "drain");
    while (peer.bytesRead < last) await new Promise((resolve) => setImmediate(resolve));
    const used = (await heap()) - before.heapUsed + process.memoryUsage().arrayBuffers - before.arrayBuffers;
    expect(used).toBeLessThan(isThorough ? 12 * size : 4 * mib);
    socket.write(`${chunks.slice(last)}0\r\n\r\n`);
    let answer = "";
    for await (const data of socket.setEncoding("utf8"))
      if ((answer += data as string).includes("\r\n\r\n")) break;
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  test("bodies above the total limit are refused, and free the memory that they held", async () => {
    const found = inside();
    const target = await serve(adapter, found.server, { keepAliveMs: 0, limits: { memory: 40_000 } });
    const party = new Party(target.url, "2026-07-28");
    const echo = (length: number) => party.post(party.call("echo", { text: "x".repeat(length) }));
    expect((await echo(9000)).status).toBe(200);
    // It could never fit.
    expect((await echo(11_000)).status).toBe(413);
    const held = connect(target.port, "127.0.0.1").on("error", () => undefined);
    const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    held.write(`${head}Content-Length: 9000\r\n\r\n${"x".repeat(5000)}`);
    await expect.poll(() => target.stats().gauges.bodyBytes).toBe(5000);
    const refused = await echo(9000);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    held.destroy();
    await expect.poll(() => target.stats().gauges.bodyBytes).toBe(0);
    expect((await echo(9000)).status).toBe(200);
  });
});

test("a body that is too long is answered although cancelling its source never ends", async () => {
  const handler = createHttpHandler(inside().server, { bodyLimit: 1000 });
  onTestFinished(() => handler.close());
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(2000)),
    cancel: () => {
      isCancelled = true;
      return new Promise<void>(() => undefined);
    },
  });
  const headers = { "content-type": "application/json", accept: "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  const { status } = await handler.fetch(new Request("http://localhost/mcp", init));
  expect([status, isCancelled]).toEqual([413, true]);
});

describe("the body of a pending request", () => {
  const json = { "content-type": "application/json" };

  test.each(["2025-11-25", "2026-07-28"])("counts until the response is sent (%s)", async (revision) => {
    const { server, gate, clock } = inside();
    const endpoint = endpointOf(server, { keepAliveMs: 0, limits: { memory: 40_000 } });
    onTestFinished(() => endpoint.close());
    const party = new Party("http://localhost/", revision);
    const post = (message: object) => {
      const exchange = exchangeOf("POST", { ...json, ...party.headersOf(message) }, JSON.stringify(message));
      endpoint.handle(exchange);
      return exchange;
    };
    if (!party.isModern) {
      const clientInfo = { name: "x", version: "1" };
      const params = { protocolVersion: revision, capabilities: {}, clientInfo };
      party.session = post(party.message("initialize", params)).session;
    }
    const call = (): object => party.call("gated", { steps: 0, more: "x".repeat(4000) });
    const [first, second, third] = [post(call()), post(call()), post(call())];
    expect([first.status, second.status, third.status]).toEqual([0, 0, 503]);
    expect(endpoint.kept.held).toBeGreaterThan(8000);
    gate.open();
    await clock.advance(0);
    expect([first.status, second.status, endpoint.kept.held]).toEqual([200, 200, 0]);
    expect(post(call()).status).not.toBe(503);
  });
});
