// Redis cuts connections or pauses: stores and buses recover without help.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redisNotificationBus, redisSessionStore } from "@mcpgen/redis";
import { sampleSession } from "../support/store-rules/session-store-rules.mjs";
import { Redis } from "ioredis";
import { until } from "../support/until.mjs";
import { noRedis, startRedis } from "./redis.mjs";

const ttlMs = 600_000;

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
  await until("the bus begins", () => heard.includes("gap"));
  return { admin, bus, heard, store: redisSessionStore(client) };
}

/** Whether a command of a store succeeds. A store gives up after 2 seconds, which a loaded machine may need for a command. */
const works = (store, id) =>
  store.set(sampleSession(id), ttlMs).then(
    () => true,
    () => false,
  );

/** The id of a stored session. */
const idOf = (store, name) =>
  until("the store answers", () =>
    store.get(name).then(
      ({ id }) => id,
      () => undefined,
    ),
  );

test("no change is lost when Redis cuts the connections 20 times", { skip: noRedis }, async (t) => {
  const { admin, bus, heard, store } = await started(t);
  heard.length = 0;
  for (let cut = 0; cut < 20; cut++) {
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    bus.publish({ method: `change ${cut}` });
    await until("the store is back", () => works(store, `session ${cut}`));
    await until("the change or a gap", () => heard.includes(`change ${cut}`) || heard.includes("gap"));
    heard.length = 0;
    assert.equal(await idOf(store, `session ${cut}`), `session ${cut}`);
  }
});

test("while Redis pauses, the store fails, and afterwards it works again", { skip: noRedis }, async (t) => {
  const { admin, bus, heard, store } = await started(t);
  await until("a session", () => works(store, "before"));
  heard.length = 0;
  // All commands that write wait until the end of the pause.
  await admin.call("CLIENT", "PAUSE", "600000", "WRITE");
  const write = () => store.set(sampleSession("during"), ttlMs);
  await assert.rejects(write(), /Redis did not answer within 2000 ms/);
  await assert.rejects(write(), /Redis (does|did) not answer/);
  bus.publish({ method: "during" });
  await admin.call("CLIENT", "UNPAUSE");
  await until("the store is back", () => works(store, "after"));
  await until("the change or a gap", () => heard.includes("during") || heard.includes("gap"));
  assert.equal(await idOf(store, "before"), "before");
});
