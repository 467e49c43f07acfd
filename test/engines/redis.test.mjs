// Behaviour that only the store in Redis has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redisTaskStore } from "@mcpgen/redis";
import { sampleTask } from "../support/store-rules/task-store-rules.mjs";
import { Redis } from "ioredis";
import { noRedis, startRedis } from "./redis.mjs";

/** An empty Redis, a connection to it, and a store whose commands are counted. */
async function started(t, prefix) {
  const { socket, stop } = await startRedis();
  const client = new Redis({ path: socket });
  t.after(async () => {
    await client.quit();
    await stop();
  });
  const commands = [];
  const call = (command, ...args) => {
    commands.push(command);
    return client.call(command, ...args);
  };
  return { client, commands, store: redisTaskStore({ call }, { prefix }) };
}

/** Calls each function of a store once. @returns the version that was read last */
async function tour(store) {
  await store.create(sampleTask("a", { size: 3 }));
  await store.replace(sampleTask("a", { version: 2, size: 5 }), 1);
  const task = await store.read("a");
  await store.due(9000, 9);
  await store.list("ann", undefined, 9);
  await store.usage("ann");
  await store.remove("a", 2);
  return task.version;
}

test("each function needs one command once the server knows the scripts", { skip: noRedis }, async (t) => {
  const { client, commands, store } = await started(t);
  const sha = "EVALSHA";
  const first = [
    ...[sha, "EVAL"],
    sha,
    "HGET",
    ...[sha, "EVAL"],
    ...[sha, "EVAL"],
    ...[sha, "EVAL"],
    ...[sha, "EVAL"],
  ];
  await tour(store);
  assert.deepEqual(commands.splice(0), first);
  await tour(store);
  assert.deepEqual(commands.splice(0), [sha, sha, "HGET", sha, sha, sha, sha]);
  // The server has forgotten the scripts, as after a restart.
  await client.script("FLUSH");
  await tour(store);
  assert.deepEqual(commands, first);
});

test(
  "keys have the prefix in braces, do not expire, and are all removed at the end",
  { skip: noRedis },
  async (t) => {
    const { client, store } = await started(t, "reports");
    await store.create(sampleTask("a", { size: 3 }));
    const keys = await client.keys("*");
    assert.deepEqual(
      keys.toSorted(),
      ["bytes", "due", "owners", "records", "versions"].map((name) => `{reports}:${name}`),
    );
    for (const key of keys) assert.equal(await client.ttl(key), -1);
    await store.remove("a", 1);
    assert.deepEqual(await client.keys("*"), []);
  },
);

test("errors of Redis reach the caller", { skip: noRedis }, async (t) => {
  const { client, store } = await started(t);
  await client.set("{mcpgen-tasks-v1}:versions", "no hash");
  await assert.rejects(store.create(sampleTask("a")), /WRONGTYPE/);
});

test("a prefix whose keys a cluster would spread over nodes is refused", () => {
  for (const prefix of ["", "}a"])
    assert.throws(() => redisTaskStore({ call: () => {} }, { prefix }), /prefix: expected/);
});
