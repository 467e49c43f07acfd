// The memory of idle sessions on four nodes, in the heaps and in Redis. MCPGEN_SHARE=1 opens 10,000 sessions, not
// 1,000, and waits until the stored sessions expire.
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
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
const count = Number(process.env.MCPGEN_SESSIONS ?? (isThorough ? 10_000 : 1000));
/** Sessions that are opened before the measurement, so that memory that grows only once is not counted. */
const first = count;
const longest = 600_000;

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

/** Four nodes, and the sum of their heaps. */
async function started(t, env, options = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const most = 4 * count;
  // One principal may have a tenth of the sessions.
  const limits = { keepAliveMs: 0, limits: { sessions: 10 * most } };
  const settings = { SCALE_LIMITS: JSON.stringify(limits), SCALE_SESSIONS: JSON.stringify(options) };
  const nodes = new Nodes(program, { ...env, ...settings });
  t.after(async () => {
    agent.destroy();
    await nodes.end();
  });
  await nodes.start(4);
  const ports = nodes.ports();
  const heap = async () => sum((await usageOf(nodes, "collected")).map(({ heapUsed }) => heapUsed));
  const held = async () => sum((await usageOf(nodes)).map(({ gauges }) => gauges.sessions));
  /** Opens sessions, in turn at the nodes. */
  const open = async (more) => {
    const sessions = [];
    let next = 0;
    const worker = async () => {
      while (next < more) {
        const at = next++;
        sessions[at] = await openSession(ports[at % 4], "ada", agent);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    return sessions;
  };
  /** Resolves when the nodes have seen that the clients of all streams are gone. */
  const unheard = () =>
    until("no open stream", async () => (await usageOf(nodes)).every(({ gauges }) => gauges.streams === 0));
  const forgotten = async () => {
    for (const end = performance.now() + longest; (await held()) > 0; await sleep(500))
      assert.ok(performance.now() < end, "sessions are not forgotten");
  };
  const heldPorts = (await usageOf(nodes)).map(({ heldPort }) => heldPort);
  return { ports, heldPorts, agent, heap, held, open, unheard, forgotten };
}

/** Bytes for each of the sessions. */
const each = (bytes) => Math.round(bytes / count);

test(
  `sealed: ${count} idle sessions use no memory, and continue at any node`,
  { timeout: longest },
  async (t) => {
    const { ports, agent, heap, held, open, forgotten } = await started(
      t,
      {},
      isThorough ? {} : { idleMs: 4000 },
    );
    for (let round = 0; round < 2; round++) {
      await open(first);
      await forgotten();
    }
    const before = await heap();
    const sessions = await open(count);
    const kept = await held();
    const used = each((await heap()) - before);
    await forgotten();
    const idle = each((await heap()) - before);
    t.diagnostic(`${kept} held: ${used} B of heap each; idle: ${idle} B each`);
    // The heaps vary by some kilobytes, so only the sum is compared.
    assert.ok(idle * count < 1_048_576, `${idle} B each`);
    for (const [number, session] of sessions.slice(0, 40).entries()) {
      const reply = await send(ports[(number + 1) % 4], {
        token: "ada",
        session,
        agent,
        body: call(1, "echo", { key: "goes on" }),
      });
      assert.match(reply.text, /goes on/);
    }
  },
);

/**
 * Requests the GET stream of each session.
 *
 * @param ports of the endpoints, or of servers whose responses begin and do not end, to measure the cost of such a
 *   request without MCP
 * @returns a function that ends them
 */
async function listen(ports, sessions) {
  const agent = new Agent({ keepAlive: true });
  const opened = sessions.map(
    (session, number) =>
      new Promise((resolve, reject) => {
        const headers = {
          accept: "text/event-stream",
          authorization: "Bearer ada",
          "mcp-session-id": session,
          "mcp-protocol-version": "2025-11-25",
        };
        const sent = request({ port: ports[number % 4], host: "127.0.0.1", path: "/mcp", headers, agent });
        sent.on("error", reject).on("response", (response) => {
          response.resume();
          if (response.statusCode === 200) resolve();
          else reject(new Error(String(response.statusCode)));
        });
        sent.end();
      }),
  );
  await Promise.all(opened);
  return () => agent.destroy();
}

test(
  `Redis: ${count} idle sessions have no channel, and are removed after their time`,
  { skip: noRedis, timeout: longest },
  async (t) => {
    const { socket, stop } = await startRedis();
    const monitor = monitorOf(socket);
    const ttlMs = isThorough ? 120_000 : 600_000;
    const env = { ...storeEnv("ioredis", socket), SCALE_TTL: `${ttlMs}` };
    const { ports, heldPorts, heap, open, unheard, forgotten } = await started(t, env);
    t.after(async () => {
      monitor.disconnect();
      await stop();
    });
    const memory = () => figureOf(monitor, "memory", "used_memory");
    const channels = async () => (await monitor.call("PUBSUB", "SHARDCHANNELS", "*")).length;
    const early = await open(first);
    for (const each of [ports, heldPorts]) (await listen(each, early))();
    await unheard();
    const [heapBefore, before, channelsBefore] = [await heap(), await memory(), await channels()];
    const sessions = await open(count);
    const redis = each((await memory()) - before);
    const used = each((await heap()) - heapBefore);
    // Two for each node, and one for all.
    assert.deepEqual([channelsBefore, await channels()], [9, 9]);
    const heapWithout = await heap();
    const endStreams = await listen(ports, sessions);
    const listening = each((await heap()) - heapWithout);
    const more = await channels();
    const events = each((await memory()) - before);
    endStreams();
    await unheard();
    const heapSockets = await heap();
    const orphaned = each(heapSockets - heapWithout);
    const endSockets = await listen(heldPorts, sessions);
    const socketHeap = each((await heap()) - heapSockets);
    endSockets();
    const beyond = used + listening - socketHeap;
    t.diagnostic(
      `Redis ${redis} B each, ${events} B with the first event of a GET stream; heap ${used} B each, ` +
        `${used + listening} B with a GET stream, of which ${socketHeap} B for a held HTTP response: ${beyond} B beyond it; ` +
        `${orphaned} B for a stream whose connection ended`,
    );
    assert.equal(more, 9, "sessions with a stream have no channel either");
    assert.ok(redis <= 0.6 * 1024, `${redis} B of Redis`);
    // The bar is 0.8 KiB; a heap of some megabytes is not known to the kilobyte.
    assert.ok(used <= 1.5 * 1024, `${used} B of heap`);
    assert.ok(beyond <= 4 * 1024, `${beyond} B of heap beyond the connection`);
    // A stream that waits for its client holds neither its request nor its socket, which are more than 4 KiB.
    assert.ok(orphaned <= 2.5 * 1024, `${orphaned} B of heap for a stream without its connection`);
    if (!isThorough) return;
    await forgotten();
    const stored = async () => (await monitor.keys("mcpgen-session-*")).length;
    for (const end = performance.now() + longest; (await stored()) > 0; await sleep(500))
      assert.ok(performance.now() < end, "sessions are left in Redis");
    t.diagnostic(
      `after their time: 0 sessions in Redis, ${each((await heap()) - heapBefore)} B of heap each`,
    );
  },
);
