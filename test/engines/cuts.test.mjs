// Connections that Redis cuts, and a Redis that pauses: stores and buses go on by themselves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { redisNotificationBus, redisSessionStore } from "@mcpgen/redis";
import { sampleSession } from "@mcpgen/runtime/testing";
import { Redis } from "ioredis";
import { noRedis, startRedis } from "./redis.mjs";

const minute = 60_000;

/** A Redis, a connection that commands it, and a store and a bus on others. */
async function started(t) {
  const { socket, stop } = await startRedis();
  const [admin, client, reader] = [1, 2, 3].map(() => new Redis({ path: socket }));
  const bus = redisNotificationBus(client, reader);
  t.after(async () => {
    bus.close();
    for (const each of [admin, client, reader]) each.disconnect();
    await stop();
  });
  const heard = [];
  bus.subscribe(
    ({ method }) => heard.push(method),
    () => heard.push("gap"),
  );
  await until(() => heard.includes("gap"), "the bus does not begin");
  return { admin, bus, heard, store: redisSessionStore(client, { timeoutMs: 300 }) };
}

async function until(isTrue, problem) {
  for (const end = Date.now() + 30_000; !(await isTrue()); await sleep(5))
    assert.ok(Date.now() < end, problem);
}

/** Whether a command of a store succeeds. */
const works = (store, id) =>
  store.set(sampleSession(id), minute).then(
    () => true,
    () => false,
  );

test("no change is lost where Redis cuts the connections, 20 times", { skip: noRedis }, async (t) => {
  const { admin, bus, heard, store } = await started(t);
  heard.length = 0;
  for (let cut = 0; cut < 20; cut++) {
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    bus.publish({ method: `change ${cut}` });
    await until(() => works(store, `session ${cut}`), "the store does not come back");
    await until(
      () => heard.includes(`change ${cut}`) || heard.includes("gap"),
      "a change is lost, and no gap was reported",
    );
    heard.length = 0;
    assert.equal((await store.get(`session ${cut}`)).id, `session ${cut}`);
  }
});

test("while Redis pauses, the store fails, and afterwards it goes on", { skip: noRedis }, async (t) => {
  const { admin, bus, heard, store } = await started(t);
  await store.set(sampleSession("before"), minute);
  heard.length = 0;
  await admin.call("CLIENT", "PAUSE", "5000", "ALL");
  await assert.rejects(store.get("before"), /Redis did not answer within 300 ms/);
  await assert.rejects(store.get("before"), /Redis (does|did) not answer/);
  bus.publish({ method: "during" });
  await until(() => works(store, "after"), "the store does not come back");
  await until(() => heard.includes("during") || heard.includes("gap"), "a change is lost");
  assert.equal((await store.get("before")).id, "before");
});
