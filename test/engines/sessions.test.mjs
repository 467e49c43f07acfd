// Stores of sessions: their cost, and their behaviour while the database is not available.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createSessionTable, postgresSessionStore } from "@mcpgen/postgres";
import { serverRevisions } from "@mcpgen/protocol";
import { redisSessionStore } from "@mcpgen/redis";
import { createServer } from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { sampleSession } from "../support/store-rules/session-store-rules.mjs";
import { Redis } from "ioredis";
import { Redis as Valkey } from "iovalkey";
import pg from "pg";
import { createClient } from "redis";
import { until } from "../support/until.mjs";
import { newFolder } from "./guarded.mjs";
import { noPostgres, startPostgres } from "./postgres.mjs";
import { noRedis, startRedis } from "./redis.mjs";

const minute = 60_000;

/** An empty Redis, and a connection to it. */
async function started(t) {
  const { socket, stop } = await startRedis();
  const client = new Redis({ path: socket });
  t.after(async () => {
    await client.quit();
    await stop();
  });
  return client;
}

/** How often clients sent commands since the last `CONFIG RESETSTAT`, without those of the test. */
async function commandsOf(client) {
  const info = await client.info("commandstats");
  const counts = [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, calls]) => [
    name,
    +calls,
  ]);
  return Object.fromEntries(counts.filter(([name]) => !/^(info|config|select|client|ping)/.test(name)));
}

/** A server of one tool, as one of the processes that share a store. */
function processWith(store) {
  const server = createServer({ name: "adder", version: "1.0.0" }, { revisions: serverRevisions });
  server.tool("add", { inputSchema: { type: "object" } }, () => "3");
  return createHttpHandler(server, { sessions: { store } });
}

/** Sends a message to a process, in a session. */
async function post({ fetch }, body, session) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session ? { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" } : {}),
  };
  const message = JSON.stringify({ jsonrpc: "2.0", ...body });
  const response = await fetch(
    new Request("http://localhost/mcp", { method: "POST", headers, body: message }),
  );
  const [id, retryAfter] = ["mcp-session-id", "retry-after"].map((name) => response.headers.get(name));
  return { status: response.status, id, retryAfter, text: await response.text() };
}

/** Makes a session at a process. @returns its id */
async function opened(process) {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "client", version: "1.0.0" },
  };
  const { id, status } = await post(process, { id: 1, method: "initialize", params });
  assert.equal(status, 200);
  await post(process, { method: "notifications/initialized" }, id);
  return id;
}

const call = { id: 2, method: "tools/call", params: { name: "add", arguments: {} } };

test("each function of a store in Redis needs one command", { skip: noRedis }, async (t) => {
  const client = await started(t);
  const store = redisSessionStore(client);
  await client.config("RESETSTAT");
  await store.set(sampleSession("a"), minute);
  await store.get("a");
  await store.touch("a", minute);
  await store.delete("a");
  assert.deepEqual(await commandsOf(client), { set: 1, get: 1, pexpire: 1, del: 1 });
});

test(
  "a handshake and a move need one Redis command each, and calls need none",
  { skip: noRedis },
  async (t) => {
    const client = await started(t);
    const processes = [1, 2].map(() => processWith(redisSessionStore(client)));
    await client.config("RESETSTAT");
    const session = await opened(processes[0]);
    assert.deepEqual(await commandsOf(client), { set: 1 });
    for (let count = 0; count < 50; count++)
      for (const process of processes) assert.match((await post(process, call, session)).text, /"3"/);
    assert.deepEqual(await commandsOf(client), { set: 1, get: 1 });
    await Promise.all(processes.map((process) => process.close()));
  },
);

test(
  "each of 10,000 sessions takes at most 0.6 KiB of Redis, and all are removed after their time",
  {
    skip: noRedis,
  },
  async (t) => {
    const client = await started(t);
    const store = redisSessionStore(client);
    const used = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))[1]);
    await store.set(sampleSession("first"), minute);
    const before = await used();
    const count = 10_000;
    for (let first = 0; first < count; first += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, index) =>
          store.set(sampleSession(`session ${first + index}`), minute),
        ),
      );
    const each = ((await used()) - before) / count;
    t.diagnostic(`${Math.round(each)} bytes a session`);
    assert.ok(each <= 0.6 * 1024, `${each} bytes a session`);
    const keys = await client.keys("*");
    assert.equal(keys.length, count + 1);
    for (const ttl of await Promise.all(keys.slice(0, 100).map((key) => client.pttl(key))))
      assert.ok(ttl > 0 && ttl <= minute);
    for (let first = 0; first < count; first += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, index) => store.touch(`session ${first + index}`, 1)),
      );
    await store.touch("first", 1);
    await until("the end of the sessions", async () => (await client.dbsize()) === 0);
  },
);

test("neither database contains the id of a session", { skip: noRedis ?? noPostgres }, async (t) => {
  const client = await started(t);
  const { stop, ...address } = await startPostgres();
  const pool = new pg.Pool(address);
  t.after(async () => {
    await pool.end();
    await stop();
  });
  const session = sampleSession("secret-id-of-a-session");
  await redisSessionStore(client).set(session, minute);
  const [key] = await client.keys("*");
  assert.match(key, /^mcpgen-session-v1:\{[\w-]{43}\}$/);
  await createSessionTable(pool);
  await postgresSessionStore(pool).set(session, minute);
  const { rows } = await pool.query("SELECT * FROM mcpgen_sessions_v1");
  assert.ok(!`${await client.get(key)} ${JSON.stringify(rows)}`.includes(session.id));
});

test(
  "PostgreSQL removes expired sessions when new ones arrive, with one statement each",
  {
    skip: noPostgres,
  },
  async (t) => {
    const { stop, ...address } = await startPostgres();
    const pool = new pg.Pool(address);
    t.after(async () => {
      await pool.end();
      await stop();
    });
    await Promise.all(Array.from({ length: 8 }, () => createSessionTable(pool, { table: "public.own" })));
    let statements = 0;
    const query = (...args) => {
      statements++;
      return pool.query(...args);
    };
    const store = postgresSessionStore({ query }, { table: "public.own" });
    const count = async () => Number((await pool.query("SELECT count(*) FROM own")).rows[0].count);
    for (let index = 0; index < 32; index++) await store.set(sampleSession(`short ${index}`), 60_000);
    await pool.query("UPDATE own SET due_at = 0");
    // Two processes write at the same time, while the session of one has expired.
    await Promise.all([
      store.set(sampleSession("short 0"), minute),
      store.set(sampleSession("long"), minute),
    ]);
    assert.ok((await count()) <= 33 - 16);
    await store.set(sampleSession("long"), minute);
    await store.set(sampleSession("long"), minute);
    assert.equal(await count(), 2);
    assert.equal(await store.touch("short 1", minute), false);
    await store.delete("long");
    assert.equal(statements, 38);
  },
);

/** Clients with the options that they have without any of the caller's. */
const clients = {
  ioredis: async (path) => {
    const client = new Redis({ path });
    return [client, () => client.disconnect()];
  },
  iovalkey: async (path) => {
    const client = new Valkey({ path });
    return [client, () => client.disconnect()];
  },
  redis: async (path) => {
    const client = createClient({ socket: { path } });
    client.on("error", () => {});
    await client.connect();
    return [client, () => client.destroy()];
  },
};

for (const [name, connect] of Object.entries(clients))
  test(
    `${name} while Redis is down: functions fail, few wait, and all work again afterwards`,
    {
      skip: noRedis,
    },
    async (t) => {
      const folder = newFolder();
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const unixsocket = join(folder, "redis.sock");
      const { stop } = await startRedis({ unixsocket });
      const [client, disconnect] = await connect(unixsocket);
      t.after(disconnect);
      client.on("error", () => {});
      let [sent, waiting, mostWaiting] = [0, 0, 0];
      const counted = async (send) => {
        sent++;
        mostWaiting = Math.max(mostWaiting, ++waiting);
        return send().finally(() => waiting--);
      };
      const store = redisSessionStore(
        client.call
          ? { call: (...args) => counted(() => client.call(...args)) }
          : { sendCommand: (args) => counted(() => client.sendCommand(args)) },
      );
      await store.set(sampleSession("before"), 10 * minute);
      // The process knows the session, so its calls continue.
      const server = processWith(store);
      const session = await opened(server);
      await stop();

      sent = 0;
      const failures = await Promise.allSettled(Array.from({ length: 5000 }, () => store.get("before")));
      assert.ok(failures.every(({ status }) => status === "rejected"));
      assert.ok(mostWaiting <= 1024, `${mostWaiting} commands wait`);
      assert.ok(sent <= 1024 + 100, `${sent} commands were sent`);
      assert.equal((await post(server, call, session)).status, 200);
      const other = await post(server, call, "unknown");
      assert.equal(other.status, 503);
      assert.equal(other.retryAfter, "1");

      const { stop: stopAgain } = await startRedis({ unixsocket });
      t.after(stopAgain);
      const back = Date.now();
      await until("the store is back", () =>
        store.set(sampleSession("after"), minute).then(
          () => true,
          () => false,
        ),
      );
      t.diagnostic(`back after ${Date.now() - back} ms`);
      assert.equal((await store.get("after")).id, "after");
      await server.close();
    },
  );

test("sessions move between processes over PostgreSQL", { skip: noPostgres }, async (t) => {
  const { stop, ...address } = await startPostgres();
  const pool = new pg.Pool(address);
  t.after(async () => {
    await pool.end();
    await stop();
  });
  await createSessionTable(pool);
  const processes = [1, 2].map(() => processWith(postgresSessionStore(pool)));
  const session = await opened(processes[0]);
  for (const process of processes) assert.match((await post(process, call, session)).text, /"3"/);
  await Promise.all(processes.map((process) => process.close()));
  // After a restart.
  const next = processWith(postgresSessionStore(pool));
  assert.match((await post(next, call, session)).text, /"3"/);
  await next.close();
});
