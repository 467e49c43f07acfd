// Floods of forged requests at four nodes that share Redis: the check of the seal fails first, and nothing is stored.
// The work that a client with a session can cause is limited. `node bench/scale/refusals.mjs` prints the cost of each
// refusal.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { after, test } from "node:test";
import { noRedis } from "../engines/redis.mjs";
import { isThorough } from "../support/cases.mjs";
import { until } from "../support/until.mjs";
import { Nodes } from "./nodes.mjs";
import { call, openSession, send } from "./raw-requests.mjs";
import { tenantProgram, tenants } from "./tenants.mjs";
import { commandsDuring, usageOf } from "./usage.mjs";

const options = { skip: noRedis, timeout: 600_000 };
const mebibyte = 1_048_576;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

const four = tenants();
after(() => agent.destroy());

/** Does `work` with 0 to `count` - 1, 32 at a time. */
async function atOnce(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** A call that reports its progress: its answer is an event stream. */
const reporting = (id) =>
  call(id, "flood", { key: "reports", steps: 1, size: 1 }, { _meta: { progressToken: id } });

/** Bytes of the heaps of all nodes. */
const heap = async () =>
  (await usageOf(four.nodes, "collected")).reduce((sum, { heapUsed }) => sum + heapUsed, 0);
const gaugesOf = async (some) => (await usageOf(some)).map((usage) => usage.gauges);

/** Ids that no node has sealed. */
function bogusIds(real) {
  const place = Math.floor(real.length / 2);
  const other = real[place] === "A" ? "B" : "A";
  return [
    () => randomBytes(175).toString("base64url"),
    () => real.slice(0, place) + other + real.slice(place + 1),
    () => real.slice(0, -4),
    () => randomBytes(3000).toString("base64url"),
    () => "x",
    () => `${real}=`,
    () => real.repeat(2),
  ];
}

test("bogus session ids do not cause Redis commands or use memory", options, async (t) => {
  const real = await openSession(four.ports[0], "ada", agent);
  const makers = bogusIds(real);
  const count = isThorough ? 100_000 : 1500;
  const flood = (each) =>
    atOnce(each, async (turn) => {
      const session = makers[turn % makers.length]();
      const method = ["POST", "GET", "DELETE"][turn % 3];
      const body = method === "POST" ? call(turn, "echo", { key: "bogus" }) : undefined;
      const reply = await send(four.ports[turn % 4], { token: "ada", session, method, body, agent });
      assert.equal(reply.status, 404);
    });
  await flood(500);
  const before = await heap();
  const commands = await commandsDuring(four.monitor, () => flood(count));
  const more = (await heap()) - before;
  t.diagnostic(`${count} bogus ids: ${JSON.stringify(commands)}, heaps ${(more / 1024).toFixed(0)} KiB`);
  assert.deepEqual(commands, []);
  assert.ok(more < 4 * mebibyte, `the heaps grew by ${more} bytes`);
  const sessions = (await gaugesOf(four.nodes)).map((each) => each.sessions);
  assert.deepEqual(sessions, [1, 0, 0, 0]);
});

/** The status of a request that is written as text. */
async function statusOf(port, head) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(head);
  const [first] = await once(socket, "data");
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(first))[1]);
}

test("long values of Last-Event-ID do not cause Redis commands", options, async () => {
  const session = await openSession(four.ports[0], "ada", agent);
  await send(four.ports[1], { token: "ada", session, body: call(1, "echo", { key: "known" }), agent });
  const values = [
    "x".repeat(10_000),
    "1.1.abcdefgh".padEnd(10_000, "0"),
    "9".repeat(15) + "." + "9".repeat(16) + ".abcdefgh",
    "-1.1.abcdefgh",
    "1.1.",
    "../../1",
  ];
  const commands = await commandsDuring(four.monitor, async () => {
    for (const last of values)
      for (const port of four.ports.slice(0, 2)) {
        const { status } = await send(port, { token: "ada", session, method: "GET", last, agent });
        assert.equal(status, 400, last);
      }
    // A header without an end: the HTTP server refuses it before it has come whole. A longer one would still be on its way
    // when the server closes the connection, and the write would fail before the response is read.
    for (let count = 0; count < 20; count++) {
      const head = `GET /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-session-id: ${session}\r\nlast-event-id: `;
      assert.equal(await statusOf(four.ports[count % 4], `${head}${"1".repeat(32_768)}`), 431);
    }
  });
  assert.deepEqual(commands, []);
});

test("floods of notifications: at most one message each, which is not stored", options, async (t) => {
  const session = await openSession(four.ports[0], "ada", agent);
  for (const port of four.ports)
    await send(port, { token: "ada", session, body: call(1, "echo", { key: "known" }), agent });
  const count = isThorough ? 40_000 : 1000;
  const flood = (each, bodyOf) =>
    atOnce(each, async (turn) => {
      const reply = await send(four.ports[turn % 4], { token: "ada", session, body: bodyOf(turn), agent });
      assert.equal(reply.status, 202);
    });
  // Progress of requests that no node sent.
  const progress = (turn) => ({
    method: "notifications/progress",
    params: { progressToken: `node.${turn}.${"x".repeat(12)}`, progress: turn },
  });
  assert.deepEqual(await commandsDuring(four.monitor, () => flood(count, progress)), []);
  // The request may run anywhere: all nodes hear of it.
  const cancelled = (turn) => ({ method: "notifications/cancelled", params: { requestId: `gone ${turn}` } });
  await flood(300, cancelled);
  const before = await heap();
  const commands = await commandsDuring(four.monitor, () => flood(count, cancelled));
  const more = (await heap()) - before;
  t.diagnostic(`${count} cancellations: ${JSON.stringify(commands)}, heaps ${(more / 1024).toFixed(0)} KiB`);
  assert.deepEqual(commands, [["spublish", count]]);
  assert.ok(more < 4 * mebibyte, `the heaps grew by ${more} bytes`);
});

test(
  "a flood while Redis pauses is refused, calls continue, and no command waits afterwards",
  options,
  async (t) => {
    const others = new Nodes(tenantProgram, {
      SCALE_STORES: new URL("programs/redis-store.mjs", import.meta.url).href,
      SCALE_ADDRESS: four.redis.socket,
    });
    t.after(() => others.end());
    await others.start(4);
    const at = (turn) => others.ports()[turn % 4];
    const session = await openSession(at(0), "ada", agent);
    const one = (turn, key) =>
      send(at(turn), { token: "ada", session, body: call(turn, "echo", { key }), agent });
    for (let turn = 0; turn < 4; turn++) await one(turn, "known");
    await four.monitor.call("CLIENT", "PAUSE", "600000", "WRITE");
    const statuses = new Map();
    const calls = [];
    const count = isThorough ? 20_000 : 1000;
    await atOnce(count, async (turn) => {
      const body = { method: "notifications/cancelled", params: { requestId: `gone ${turn}` } };
      const { status } = await send(at(turn), { token: "ada", session, body, agent });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (turn % 50 === 0) calls.push((await one(turn, "goes on")).status);
    });
    const gauges = await gaugesOf(others);
    await four.monitor.call("CLIENT", "UNPAUSE");
    const begun = performance.now();
    // The store is back when an event has an id.
    let turn = 100;
    await until("the store is back", async () => {
      const { text } = await send(at(++turn), { token: "ada", session, body: reporting(turn), agent });
      return /^id: /m.test(text);
    });
    const back = Math.round(performance.now() - begun);
    t.diagnostic(
      `${count} cancellations: ${JSON.stringify([...statuses])}; the store was back after ${back} ms`,
    );
    assert.deepEqual([...new Set(calls)], [200]);
    assert.deepEqual([...statuses.keys()], [503]);
    for (const { requests, bodies, bodyBytes } of gauges)
      assert.deepEqual([requests, bodies, bodyBytes], [0, 0, 0]);
  },
);
