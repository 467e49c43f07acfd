// Events that a process appends to a session in one turn are one command; a command that is sent again has one effect.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../support/until.mjs";
import { openClusterStore } from "./cluster-stores.mjs";
import { noPostgres, startPostgres } from "./postgres.mjs";
import { noRedis, startRedis } from "./redis.mjs";

let redis;

before(async () => {
  if (!noRedis) redis = await startRedis();
});
after(() => redis?.stop());

/** A store whose client counts its functions. @param copies how often it sends each of them */
async function counted(t, name, copies = 1) {
  const { redisClusterStore } = await import("@mcpgen/redis");
  const opened = await openClusterStore("ioredis", redis.socket, name);
  t.after(opened.close);
  let functions = 0;
  const client = {
    call: async (command, ...args) => {
      if (command !== "FCALL") return opened.client.call(command, ...args);
      functions++;
      const answers = await Promise.all(
        Array.from({ length: copies }, () => opened.client.call(command, ...args)),
      );
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      return answers.at(-1);
    },
  };
  const store = redisClusterStore(client, opened.subscriber, { prefix: name });
  t.after(() => store.close());
  const spent = async (work) => {
    const first = functions;
    await work();
    return functions - first;
  };
  return { store, log: store.log, spent };
}

/** Appends events at once. @returns their ids */
const append = (log, texts, session = "a") =>
  Promise.all(texts.map((text) => log.append(session, "s", text, 60_000, "events:{a}")));

const numbered = (count) => Array.from({ length: count }, (_, index) => `"${index}"`);
const dataAfter = async (log, event) => (await log.after("a", event))?.events.map(({ data }) => data);

test(
  "events of one turn need one function call; events of two turns, sessions or channels need two",
  { skip: noRedis },
  async (t) => {
    const { log, spent } = await counted(t, "turns");
    const [first] = await append(log, [""]);
    assert.equal(await spent(() => append(log, ["", '"1"'])), 1);
    assert.equal(
      await spent(async () => {
        await append(log, ['"2"']);
        await append(log, ['"3"']);
      }),
      2,
    );
    assert.equal(await spent(() => Promise.all([append(log, ['"4"']), append(log, ['"5"'], "b")])), 2);
    assert.equal(
      await spent(() => Promise.all([append(log, ['"6"']), log.append("a", "s", '"7"', 60_000)])),
      2,
    );
    assert.deepEqual(await dataAfter(log, first), ['"1"', '"2"', '"3"', '"4"', '"6"', '"7"']);
    // A batch has 64 events at most, so that no function keeps Redis for long.
    assert.equal(await spent(() => append(log, numbered(200))), 4);
  },
);

test(
  "PostgreSQL: events of one turn need one statement, even if only some fit into a notification",
  { skip: noPostgres },
  async (t) => {
    const { postgresClusterStore } = await import("@mcpgen/postgres");
    const { host, stop } = await startPostgres();
    const opened = await openClusterStore("pg", host, "batches");
    let statements = 0;
    const client = {
      query: (...args) => {
        statements++;
        return opened.client.query(...args);
      },
    };
    const { log, close } = postgresClusterStore(client, () => assert.fail("it does not subscribe"), {
      table: "batches",
    });
    t.after(async () => {
      await close();
      await opened.close();
      await stop();
    });
    const heard = [];
    await opened.store.subscribe("events:{a}", (message) => heard.push(JSON.parse(message)));
    const [first] = await append(log, [""]);
    const texts = ['"1"', `"${"x".repeat(9000)}"`, '"2"', `"${"é".repeat(5000)}"`, '"3"'];
    const spent = statements;
    const ids = await append(log, texts);
    assert.equal(statements - spent, 1);
    await until("six messages", () => heard.length >= 6);
    assert.deepEqual(
      heard.slice(1),
      texts.map((data, index) => ({ id: ids[index], stream: "s", data })),
    );
    assert.deepEqual(await dataAfter(log, first), texts);
    await append(log, numbered(200));
    assert.equal(statements - spent, 1 + 1 + 4);
  },
);

test("events are appended before the commands that follow in the same turn", { skip: noRedis }, async (t) => {
  const { store, log } = await counted(t, "order");
  const [first] = await append(log, [""]);
  const event = append(log, ['"1"']);
  assert.deepEqual(await dataAfter(log, first), ['"1"']);
  await event;
  const heard = [];
  await store.subscribe("events:{a}", (message) => heard.push(message));
  const [, count] = await Promise.all([append(log, ['"2"']), store.publish("events:{a}", "end")]);
  await until("both messages", () => heard.length >= 2);
  assert.deepEqual([count, JSON.parse(heard[0]).data, heard[1]], [1, '"2"', "end"]);
});

test("a function that the client sends again appends its events once", { skip: noRedis }, async (t) => {
  const { log } = await counted(t, "copies", 2);
  const [first] = await append(log, [""]);
  const ids = [];
  for (const count of [2, 1, 3]) ids.push(...(await append(log, numbered(count))));
  assert.deepEqual(await dataAfter(log, first), ['"0"', '"1"', '"0"', '"0"', '"1"', '"2"']);
  assert.deepEqual(
    (await log.after("a", first)).events.map(({ id }) => id),
    ids,
  );
  // These are two batches: the second one drops the first.
  await append(log, [`"${"x".repeat(600_000)}"`, `"${"y".repeat(400_000)}"`, `"${"z".repeat(300_000)}"`]);
  const [last] = await append(log, [""]);
  assert.deepEqual(await dataAfter(log, last), []);
  assert.equal(await log.after("a", first), undefined);
});
