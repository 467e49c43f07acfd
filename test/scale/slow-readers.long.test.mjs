// Readers of 1 KB a second under producers of 1 MB a second each, on four nodes that share Redis: each is cut where 8 MiB wait for it, and memory stays
// bounded. MCPGEN_SHARE=1 has 100 readers, not 8.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { noRedis, startRedis } from "../engines/redis.mjs";
import { isThorough } from "../support/cases.mjs";
import { until } from "../support/until.mjs";
import { Nodes } from "./nodes.mjs";
import { call, openSession, send } from "./raw-requests.mjs";
import { storeEnv } from "./shared-store.mjs";
import { figureOf, monitorOf, usageOf } from "./usage.mjs";

const program = fileURLToPath(new URL("programs/tenants.mjs", import.meta.url));
const count = Number(process.env.MCPGEN_READERS ?? (isThorough ? 100 : 8));
const mebibyte = 1_048_576;
/** Bytes that may wait for one reader. */
const bound = 8 * mebibyte;
/** Bytes of one message, and milliseconds between two: a mebibyte a second for each reader. */
const [size, ms] = [65_536, 62];

/** A client that reads a kibibyte a second. */
class SlowReader {
  bytes = 0;
  isOver = false;
  #last = "";
  #socket;
  #timer;

  constructor(port, session, body) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...body });
    const headers = [
      "POST /mcp HTTP/1.1",
      "host: localhost",
      "accept: application/json, text/event-stream",
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(text)}`,
      "authorization: Bearer ada",
      `mcp-session-id: ${session}`,
      "mcp-protocol-version: 2025-11-25",
    ];
    // The client reads only as much from its socket as `read` requests, and the socket buffers little more.
    this.#socket = connect({ port, host: "127.0.0.1", highWaterMark: 1024 });
    this.#socket.on("error", () => {}).on("close", () => (this.isOver = true));
    this.#socket.write(`${headers.join("\r\n")}\r\n\r\n${text}`);
    this.#timer = setInterval(() => this.#read(1024), 1000);
  }

  #read(bytes) {
    const part = this.#socket.read(bytes) ?? this.#socket.read();
    if (!part) return;
    this.bytes += part.length;
    this.#last = (this.#last + part.toString("latin1")).slice(-16);
  }

  /** Reads the rest. @returns whether the response came to its end */
  async rest() {
    clearInterval(this.#timer);
    this.#socket.on("readable", () => this.#read());
    this.#read();
    await until("the connection is cut", () => this.isOver, 10);
    return this.#last.endsWith("0\r\n\r\n");
  }

  end() {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
const inMebibytes = (bytes) => `${(bytes / mebibyte).toFixed(0)} MiB`;

test(
  `${count} slow readers are cut, and memory is bounded`,
  { skip: noRedis, timeout: 900_000 },
  async (t) => {
    const redis = await startRedis();
    const monitor = monitorOf(redis.socket);
    // The limit for all readers of a node, half of its memory, is larger than the sum of the limits of its readers.
    const limits = { limits: { memory: 4 * count * bound, work: 10 * count } };
    const env = { ...storeEnv("ioredis", redis.socket), SCALE_LIMITS: JSON.stringify(limits) };
    const nodes = new Nodes(program, env);
    const readers = [];
    t.after(async () => {
      for (const reader of readers) reader.end();
      monitor.disconnect();
      await nodes.end();
      await redis.stop();
    });
    await nodes.start(4);
    const ports = nodes.ports();
    const sessions = [];
    for (let number = 0; number < count; number++) sessions.push(await openSession(ports[number % 4], "ada"));
    const base = await usageOf(nodes, "collected");
    const baseRedis = await figureOf(monitor, "memory", "used_memory");

    for (const [number, session] of sessions.entries()) {
      const meta = { _meta: { progressToken: number } };
      const body = call(number, "flood", { key: "flood", steps: 100_000, size, ms }, meta);
      readers.push(new SlowReader(ports[number % 4], session, body));
    }
    const most = { rss: 0, redis: 0, waiting: 0 };
    let cut = 0;
    const begun = performance.now();
    while (cut < count) {
      assert.ok(performance.now() - begun < 600_000, `${cut} readers were cut`);
      await sleep(100);
      const usage = await usageOf(nodes);
      cut = sum(usage.map(({ counters }) => counters.limits["limits.memory"] ?? 0));
      const rss = sum(usage.map((each, index) => each.rss - base[index].rss));
      const waiting = sum(usage.map(({ gauges }) => gauges.waitingBytes));
      const used = (await figureOf(monitor, "memory", "used_memory")) - baseRedis;
      most.rss = Math.max(most.rss, rss);
      most.redis = Math.max(most.redis, used);
      most.waiting = Math.max(most.waiting, waiting);
    }
    const seconds = (performance.now() - begun) / 1000;
    for (const { child } of nodes.members) child.send({ flood: false });
    // Readers that are cut received less than was sent to them, and their responses have no end.
    const ends = await Promise.all(readers.map((reader) => reader.rest()));
    assert.deepEqual([...new Set(ends)], [false]);
    const got = readers.map(({ bytes }) => bytes);
    // The sessions go on, and no bytes wait.
    for (const [number, session] of sessions.entries()) {
      const body = call(`after ${number}`, "echo", { key: "goes on" });
      const reply = await send(ports[number % 4], { token: "ada", session, body });
      assert.match(reply.text, /goes on/);
    }
    const left = await usageOf(nodes, "collected");
    t.diagnostic(
      `cut in ${seconds.toFixed(1)} s; nodes at most +${inMebibytes(most.rss)} in all, ${inMebibytes(most.waiting)} waiting; ` +
        `Redis at most +${inMebibytes(most.redis)}; the kernel took ${inMebibytes(sum(got))} for the readers`,
    );
    for (const { gauges } of left) assert.equal(gauges.waitingBytes, 0);
    // The last message may exceed the bound, and so may the one being written.
    assert.ok(most.waiting <= count * (bound + 4 * size), inMebibytes(most.waiting));
    assert.ok(most.redis <= count * 1.25 * mebibyte + 32 * mebibyte, inMebibytes(most.redis));
    // The waiting bytes, and the other memory of a busy process.
    assert.ok(most.rss <= count * bound + 4 * 128 * mebibyte, inMebibytes(most.rss));
  },
);
