// Another program publishes and writes junk in the database of a store: no process ends, and valid messages still
// arrive.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  createClusterTables,
  createTaskTable,
  postgresClusterStore,
  postgresTaskStore,
} from "@mcpgen/postgres";
import { redisClusterStore, redisNotificationBus, redisTaskStore } from "@mcpgen/redis";
import { Redis } from "ioredis";
import pg from "pg";
import { mutationsOf, strangeTexts } from "../support/mutations.mjs";
import { until } from "../support/until.mjs";
import { noPostgres, startPostgres } from "./postgres.mjs";
import { noRedis, startRedis } from "./redis.mjs";

/** Errors that nothing caught: they would end a process. */
function watchProcess(t) {
  const uncaught = [];
  const note = (error) => uncaught.push(error);
  process.on("uncaughtException", note).on("unhandledRejection", note);
  t.after(() => process.off("uncaughtException", note).off("unhandledRejection", note));
  return uncaught;
}

const junk = [
  ...strangeTexts.filter((text) => !text.includes("\u0000")),
  ...[
    "m",
    "e",
    "o",
    "o9",
    "o99999999999999999999",
    "e1 2 x 3 999999 ",
    "e1 2 x 3 4 abcd",
    "mnull",
    'm{"session":7}',
  ],
  ...[...mutationsOf({ session: "s", follows: { stream: "a", from: "b" }, text: "x" })].map(
    ([, value]) => `m${JSON.stringify(value)}`,
  ),
].map((text) => text.slice(0, 7000));

test("Redis: junk on a channel ends no process; the next message arrives", { skip: noRedis }, async (t) => {
  const { socket, stop } = await startRedis();
  const clients = Array.from({ length: 3 }, () => new Redis({ path: socket }));
  t.after(async () => {
    for (const client of clients) client.disconnect();
    await stop();
  });
  const uncaught = watchProcess(t);
  const store = redisClusterStore(clients[0], clients[1]);
  t.after(() => store.close());
  const heard = [];
  await store.subscribe("node:one", (text) => {
    heard.push(text);
    // Listeners parse: none may end the connection.
    JSON.parse(text);
  });
  const [channel] = await clients[2].pubsub("SHARDCHANNELS");
  for (const text of junk) await clients[2].spublish(channel, text);
  await store.publish("node:one", '"the end"');
  await until("the last message comes", () => heard.at(-1) === '"the end"');
  assert.deepEqual(uncaught, []);
});

test(
  "Redis: junk in the stream of changes is reported as a gap, and the next change arrives",
  { skip: noRedis },
  async (t) => {
    const { socket, stop } = await startRedis();
    const clients = Array.from({ length: 3 }, () => new Redis({ path: socket }));
    t.after(async () => {
      for (const client of clients) client.disconnect();
      await stop();
    });
    const uncaught = watchProcess(t);
    const bus = redisNotificationBus(clients[0], clients[1]);
    t.after(() => bus.close());
    const heard = [];
    let gaps = 0;
    bus.subscribe(
      (change) => heard.push(change),
      () => gaps++,
    );
    await until("the bus begins", () => gaps > 0);
    const change = { method: "notifications/tasks", params: { taskId: "a", status: "working" } };
    for (const [, value] of mutationsOf(change))
      await clients[2].xadd("mcpgen-changes-v1", "*", "change", JSON.stringify(value));
    for (const text of junk.slice(0, 30)) await clients[2].xadd("mcpgen-changes-v1", "*", "change", text);
    bus.publish({ method: "the end" });
    await until("the last change comes", () => heard.at(-1)?.method === "the end");
    for (const { method, params = {} } of heard) {
      assert.ok(typeof method === "string" && method !== "");
      assert.ok(typeof params === "object" && params !== null && !Array.isArray(params));
    }
    assert.deepEqual(uncaught, []);
  },
);

test(
  "PostgreSQL: junk on a channel ends no process; the next message arrives",
  { skip: noPostgres },
  async (t) => {
    const { stop, ...options } = await startPostgres();
    const pool = new pg.Pool({ ...options, max: 4 });
    pool.on("error", () => {});
    t.after(async () => {
      await pool.end();
      await stop();
    });
    const uncaught = watchProcess(t);
    await createClusterTables(pool);
    const store = postgresClusterStore(pool, async () => {
      const client = new pg.Client(options);
      await client.connect();
      return client;
    });
    t.after(() => store.close());
    const heard = [];
    await store.subscribe("node:one", (text) => {
      heard.push(text);
      JSON.parse(text);
    });
    const { rows } = await pool.query("SELECT DISTINCT channel FROM mcpgen_cluster_v1_listeners");
    for (const text of junk)
      await pool.query("SELECT pg_notify($1, $2)", [rows[0].channel, text.replaceAll("\ud800", "")]);
    await store.publish("node:one", '"the end"');
    await until("the last message comes", () => heard.at(-1) === '"the end"');
    assert.deepEqual(uncaught, []);
  },
);

test(
  "records that are not JSON do not stop the check for due tasks",
  { skip: noRedis ?? noPostgres },
  async (t) => {
    const task = (id, dueAt) => ({
      ...{ id, owner: "ann", version: 1, status: "completed", createdAt: 1, updatedAt: 1, dueAt, tool: "x" },
      ...{ limits: { keepMs: 1, waitMs: 1, pollMs: 1 }, onRestart: "fail", result: {} },
    });
    const redis = await startRedis();
    const client = new Redis({ path: redis.socket });
    const { stop, ...options } = await startPostgres();
    const pool = new pg.Pool(options);
    t.after(async () => {
      client.disconnect();
      await pool.end();
      await Promise.all([redis.stop(), stop()]);
    });
    await createTaskTable(pool);
    const stores = [
      [redisTaskStore(client), (id, text) => client.hset("{mcpgen-tasks-v1}:records", id, text)],
      [
        postgresTaskStore(pool),
        (id, text) => pool.query("UPDATE mcpgen_tasks_v1 SET record = $2 WHERE id = $1", [id, text]),
      ],
    ];
    for (const [store, write] of stores) {
      const texts = junk.slice(0, 12).map((text) => text.replaceAll("\ud800", ""));
      for (const [index, text] of texts.entries()) {
        const id = `${index} ${randomUUID()}`;
        await store.create(task(id, 1));
        await write(id, text);
      }
      await store.create(task("good", 2));
      const due = await store.due(10, 100);
      assert.equal(due.length, texts.length + 1);
      assert.deepEqual(due.at(-1), task("good", 2));
    }
  },
);
