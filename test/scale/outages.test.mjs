// Four nodes whose Redis is killed and comes back (an append-only file, written each second), loses its connections, does not
// answer, or gives way to its replica. Plain calls go on without an error. Questions to the client and resumed streams end with
// a result or a coded error. MCPGEN_SEED draws the moments; MCPGEN_SHARE=1 kills Redis 100 times.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { randomFrom } from "../engines/cluster.mjs";
import { noRedis } from "../engines/redis.mjs";
import { isThorough, seed } from "../support/cases.mjs";
import { hang } from "../support/until.mjs";
import { FaultyRedis, WatchedRedis } from "./faulty-redis.mjs";
import { Nodes } from "./nodes.mjs";
import { openClusterStore } from "./programs/redis-store.mjs";
import { RawSession } from "./raw-session.mjs";

const program = fileURLToPath(new URL("programs/worker.mjs", import.meta.url));
const kills = Number(process.env.MCPGEN_KILLS ?? (isThorough ? 100 : 2));
const skip = noRedis;
const timeout = isThorough ? 7_200_000 : 600_000;
const answer = { action: "accept", content: { name: "Ada" } };
const asks = ({ message }) => message?.method === "elicitation/create";
const resultOf = ({ result, error }) => (error ? codeOf(error) : result.content[0].text);
const codeOf = (error) => `${error.code} ${error.data?.code ?? error.message}`;

/** Sends until the status is not 503. A lasting refusal is an outcome, too. */
async function insist(send) {
  for (const end = performance.now() + hang; ; await sleep(100)) {
    const reply = await send();
    if (reply.status !== 503 || performance.now() > end) return reply;
    await reply.end();
  }
}

/** Asks at one node, and answers at another one. @returns the result, or a code */
async function ask(session, at, other) {
  const call = await session.call(at, "ask", { key: "ask" });
  const { message } = await call.until(asks);
  const taken = await insist(() => session.answer(other, message.id, answer));
  if (taken.status !== 202) {
    call.cut();
    return `answer refused: ${taken.status} ${codeOf(taken.events[0].message.error)}`;
  }
  return resultOf(await call.answer());
}

/** Loses the stream of a call in the middle, and resumes it at another node. @returns the result, or a code */
async function resume(session, at, other, key) {
  let reply = await session.call(at, "steps", { key, steps: 20, ms: 10 }, true);
  const texts = [];
  for (let node = other; ; node = node === at ? other : at) {
    await reply.until(({ message }) => message?.params?.progress >= 10).catch(() => {});
    reply.cut();
    await reply.end();
    // An event without an id, from a time without the store, comes again.
    const reached = reply.events.findLastIndex(({ id }) => id !== undefined);
    if (reached < 0) return "no event with an id";
    const last = reply.events[reached].id;
    texts.push(
      ...reply.events.slice(0, reached + 1).flatMap(({ message }) => message?.params?.message ?? []),
    );
    const from = node;
    reply = await insist(() => session.resume(from, last));
    if (reply.status !== 200) return `${reply.status} ${codeOf(reply.events[0].message.error)}`;
    const found = await reply.answer().catch(() => undefined);
    if (!found) continue;
    texts.push(...reply.events.flatMap(({ message }) => message?.params?.message ?? []));
    const numbers = texts.map((text) => Number(text.slice(key.length)));
    assert.deepEqual(
      numbers,
      [...numbers].sort((one, two) => one - two),
      "the order of the events",
    );
    return resultOf(found);
  }
}

/** Four nodes at work while `faults` run. @returns how often each outcome came, by kind of work */
async function underLoad(t, address, faults) {
  const SCALE_STORES = fileURLToPath(new URL("programs/redis-store.mjs", import.meta.url));
  const env = { SCALE_STORES, SCALE_DRIVER: "ioredis", SCALE_ADDRESS: address };
  const nodes = new Nodes(program, env);
  t.after(() => nodes.end());
  await nodes.start(4);
  const ports = nodes.ports();
  const outcomes = {};
  const over = new AbortController();
  const repeat = async (kind, work) => {
    const session = await RawSession.open(ports[0]);
    for (let count = 0; !over.signal.aborted; count++) {
      const [at, other] = [ports[count % 4], ports[(count + 1 + (count % 3)) % 4]];
      const outcome = await work(session, at, other, `${kind} ${count} `);
      const found = (outcomes[kind] ??= {});
      found[outcome] = (found[outcome] ?? 0) + 1;
    }
  };
  const working = [
    repeat("plain", async (session, at) => {
      const reply = await session.call(at, "work", { key: "plain" });
      return reply.status === 200 ? resultOf(await reply.answer()) : reply.status;
    }),
    repeat("ask", ask),
    repeat("resume", (session, at, other, key) =>
      resume(session, at, other, key).then((outcome) => (outcome === `done ${key}` ? "done" : outcome)),
    ),
  ];
  /** Milliseconds until an answer crosses nodes again. */
  const recovered = async () => {
    const begun = performance.now();
    const session = await RawSession.open(ports[0]);
    for (const port of ports) await ask(session, port, ports[(ports.indexOf(port) + 1) % 4]);
    return Math.round(performance.now() - begun);
  };
  try {
    await faults(recovered);
  } finally {
    over.abort();
  }
  await Promise.all(working);
  for (const [kind, found] of Object.entries(outcomes)) t.diagnostic(`${kind}: ${JSON.stringify(found)}`);
  assert.deepEqual(Object.keys(outcomes.plain), ["done plain"]);
  assert.ok(outcomes.ask["accept Ada"] > 0 && outcomes.resume.done > 0, JSON.stringify(outcomes));
}

test(
  `Redis is killed ${kills} times, cut off and stopped: every request ends`,
  { skip, timeout },
  async (t) => {
    const random = randomFrom(seed);
    const redis = new FaultyRedis();
    t.after(() => redis.end());
    await redis.start();
    await underLoad(t, redis.socket, async (recovered) => {
      const took = [];
      for (let kill = 0; kill < kills; kill++) {
        await sleep(500 + random() * 500);
        await redis.kill();
        await sleep(random() * 500);
        await redis.start();
        took.push(await recovered());
      }
      t.diagnostic(
        `answers crossed nodes ${took.sort((one, two) => one - two).join(", ")} ms after each restart`,
      );
      await redis.send("CLIENT KILL TYPE normal");
      await redis.send("CLIENT KILL TYPE pubsub");
      t.diagnostic(`and ${await recovered()} ms after CLIENT KILL`);
      await redis.send("DEBUG SLEEP 3");
      t.diagnostic(`and ${await recovered()} ms after DEBUG SLEEP 3`);
    });
  },
);

test("a replica replaces Redis, and every request ends", { skip, timeout }, async (t) => {
  const redis = new WatchedRedis();
  t.after(() => redis.end());
  await redis.start();
  await underLoad(t, redis.sentinel, async (recovered) => {
    await sleep(1000);
    const took = Math.round(await redis.failOver());
    t.diagnostic(
      `the replica was there after ${took} ms, answers crossed nodes ${await recovered()} ms later`,
    );
    await sleep(500);
  });
});

test("events that a replica does not have are reported as a gap", { skip, timeout }, async (t) => {
  const redis = new FaultyRedis();
  t.after(() => redis.end());
  await redis.start();
  const [one, other] = [await openClusterStore("", redis.socket), await openClusterStore("", redis.socket)];
  const { Redis } = createRequire(new URL("../engines/", import.meta.url))("ioredis");
  const direct = new Redis({ path: redis.socket });
  t.after(async () => {
    for (const { store, close } of [one, other]) {
      await store.close();
      close();
    }
    direct.disconnect();
  });
  const append = (data, { store } = one) => store.log.append("session", "stream", data, 60_000);
  const ids = [];
  for (const data of ["1", "2", "3"]) ids.push(await append(data));
  // The state of a replica that has only the first event.
  const [key] = await direct.keys("*log*");
  const kept = await direct.lrange(key, 0, 1);
  const lose = async () => {
    await direct.del(key);
    await direct.rpush(key, kept[0].replace(/^\d+/, "1"), kept[1]);
  };
  await lose();
  assert.deepEqual((await one.store.log.after("session", ids[0])).events, []);
  const fourth = await append("4");
  assert.equal(await one.store.log.after("session", ids[0]), undefined);
  assert.deepEqual((await one.store.log.after("session", fourth)).events, []);
  // This is also true if another node has written as many events since.
  const [fifth, sixth] = [await append("5"), await append("6")];
  assert.deepEqual(
    (await other.store.log.after("session", fifth)).events.map(({ data }) => data),
    ["6"],
  );
  await direct.rpop(key);
  const head = await direct.lindex(key, 0);
  await direct.lset(
    key,
    0,
    head.replace(/^\d+/, (number) => `${number - 1}`),
  );
  await append("of the other node", other);
  await append("7");
  assert.equal(await one.store.log.after("session", fifth), undefined);
  assert.equal(await one.store.log.after("session", sixth), undefined);
});
