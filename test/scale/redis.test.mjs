// Four processes with a cluster store in Redis: each continues the work of another. The commands of Redis are counted.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { newFolder } from "../engines/guarded.mjs";
import { noRedis, startRedis } from "../engines/redis.mjs";
import { isThorough } from "../support/cases.mjs";
import { until } from "../support/until.mjs";
import { Nodes } from "./nodes.mjs";
import { RawSession } from "./raw-session.mjs";
import { storeEnv } from "./shared-store.mjs";

const program = fileURLToPath(new URL("programs/worker.mjs", import.meta.url));
const skip = noRedis;
const answer = { action: "accept", content: { name: "Ada" } };

let nodes;
let redis;
let monitor;
let folder;
let log;
let ports;

before(async () => {
  if (skip) return;
  redis = await startRedis();
  folder = newFolder();
  log = join(folder, "effects");
  writeFileSync(log, "");
  const { Redis } = createRequire(new URL("../engines/", import.meta.url))("ioredis");
  monitor = new Redis({ path: redis.socket });
  nodes = new Nodes(program, { SCALE_LOG: log, ...storeEnv("ioredis", redis.socket) });
  await nodes.start(4);
  ports = nodes.ports();
  // The first event of a node loads the functions.
  const session = await RawSession.open(ports[0]);
  for (const port of ports)
    await (await session.call(port, "steps", { key: "first", steps: 1 }, true)).answer();
});

after(async () => {
  if (skip) return;
  monitor.disconnect();
  await nodes.end();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The calls of each command of Redis since its start. */
async function calls() {
  const text = await monitor.info("commandstats");
  const found = [...text.matchAll(/^cmdstat_([\w|]+):calls=(\d+)/gm)];
  return new Map(found.map(([, name, count]) => [name, Number(count)]));
}

/**
 * The commands that `work` costs: functions, messages and reads. A function that appends an event publishes one message
 * itself. Left out are signs of life: each node sends SET once a second, whatever it does.
 */
async function costOf(work) {
  const first = await calls();
  await work();
  const last = await calls();
  const more = (name) => (last.get(name) ?? 0) - (first.get(name) ?? 0);
  // RPUSH stands in the function that appends, once for each of its events.
  return { fcall: more("fcall"), spublish: more("spublish") - more("rpush"), get: more("get") };
}

/** A session that all nodes know. */
async function known() {
  const session = await RawSession.open(ports[0]);
  for (const port of ports) await (await session.call(port, "work", { key: "known" })).answer();
  return session;
}

const textOf = ({ result }) => result?.content[0].text;
const asks = ({ message }) => message?.method === "elicitation/create";

/**
 * Calls a tool at one node that asks, and answers at another one.
 *
 * @returns milliseconds from the last answer to the result
 */
async function ask(session, at, answerAt, steps = 1) {
  const call = await session.call(at, "ask", { key: "ask", steps });
  const seen = new Set();
  let took = 0;
  for (let step = 1; step <= steps; step++) {
    const { message } = await call.until((event) => asks(event) && !seen.has(event.message.id));
    seen.add(message.id);
    const begun = performance.now();
    const answering = session.answer(answerAt, message.id, answer);
    if (step === steps) await call.answer();
    took = performance.now() - begun;
    assert.equal((await answering).status, 202);
  }
  assert.equal(textOf(await call.answer()), Array(steps).fill("accept Ada").join(", "));
  return took;
}

test("a call needs no command if the node knows the session", { skip }, async (t) => {
  const session = await known();
  const cost = await costOf(async () => {
    for (let count = 0; count < 50; count++)
      for (const port of ports) {
        const reply = await session.call(port, "work", { key: "plain" });
        assert.equal(textOf(await reply.answer()), "done plain");
      }
  });
  t.diagnostic(`200 calls: ${JSON.stringify(cost)}`);
  assert.deepEqual(cost, { fcall: 0, spublish: 0, get: 0 });
});

test("a call reports progress before its node knows that the client is initialized", { skip }, async () => {
  const session = await RawSession.begin(ports[0]);
  const reply = await session.call(ports[0], "steps", { key: "early", steps: 3 }, true);
  assert.equal(textOf(await reply.answer()), "done early");
  const reported = reply.events.flatMap(({ message }) => message?.params?.message ?? []);
  assert.deepEqual(reported, ["early 1", "early 2", "early 3"]);
  await session.notify(ports[1], "notifications/initialized");
});

test("an answer reaches the node that asked, by one message", { skip }, async (t) => {
  const session = await known();
  const rounds = isThorough ? 10_000 : 200;
  const took = { same: [], other: [] };
  const play = async (round) => {
    const [at, other] = [ports[round % 4], ports[(round + 1 + (round % 3)) % 4]];
    took.other.push(await ask(session, at, other));
    took.same.push(await ask(session, at, at));
  };
  for (let round = 0; round < 20; round++) await play(round);
  for (const times of Object.values(took)) times.length = 0;
  const cost = await costOf(async () => {
    for (let round = 0; round < rounds; round++) await play(round);
  });
  for (const [name, times] of Object.entries(took)) {
    times.sort((one, other) => one - other);
    const at = (part) => times[Math.floor(times.length * part)].toFixed(2);
    t.diagnostic(`answer to result, ${name} node: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
  t.diagnostic(`${rounds} answers at the same node, ${rounds} at another one: ${JSON.stringify(cost)}`);
  assert.deepEqual([cost.spublish, cost.get], [rounds, 0]);
});

test(
  "a question to the client needs two commands in addition to the commands of its call",
  { skip },
  async (t) => {
    const session = await known();
    const [one, four] = [
      await costOf(() => ask(session, ports[0], ports[1])),
      await costOf(() => ask(session, ports[0], ports[1], 4)),
    ];
    t.diagnostic(`a call with 1 question: ${JSON.stringify(one)}, with 4: ${JSON.stringify(four)}`);
    assert.deepEqual([four.fcall - one.fcall, four.spublish - one.spublish, four.get], [3, 3, 0]);
    // One function appends the question and the event before it, which is empty; another one appends the result.
    assert.ok(one.fcall + one.spublish <= 3, JSON.stringify(one));
  },
);

test("a notification on a resumable stream needs one function call", { skip }, async (t) => {
  const session = await known();
  const costWith = (steps) =>
    costOf(async () => {
      const reply = await session.call(ports[0], "steps", { key: "cost", steps, ms: 1 }, true);
      assert.equal(textOf(await reply.answer()), "done cost");
    });
  const [few, many] = [await costWith(10), await costWith(60)];
  t.diagnostic(`10 steps: ${JSON.stringify(few)}, 60 steps: ${JSON.stringify(many)}`);
  assert.ok(many.fcall - few.fcall <= 50);
  assert.ok(many.fcall > few.fcall);
  assert.deepEqual([many.spublish, many.get], [0, 0]);
});

test("streams are resumed at other nodes, with each event exactly once", { skip }, async () => {
  const session = await known();
  const steps = 60;
  let reply = await session.call(ports[0], "steps", { key: "resumed", steps, ms: 10 }, true);
  const seen = [];
  for (let cut = 1; cut <= 4; cut++) {
    const { id } = await reply.until(({ message }) => message?.params?.progress >= cut * 10);
    reply.cut();
    // The client loses the rest of the stream after this event.
    seen.push(...reply.events.slice(0, reply.events.findIndex((event) => event.id === id) + 1));
    reply = await session.resume(ports[cut % 4], id);
    assert.equal(reply.status, 200);
  }
  assert.equal(textOf(await reply.answer()), "done resumed");
  const texts = [...seen, ...reply.events].flatMap(({ message }) => message?.params?.message ?? []);
  assert.deepEqual(
    texts,
    Array.from({ length: steps }, (_, index) => `resumed ${index + 1}`),
  );
});

test(
  "messages that belong to no request reach the GET stream at another node, also after it has moved",
  { skip },
  async (t) => {
    const session = await RawSession.open(ports[0], "apart");
    let listening = await session.listen(ports[1]);
    await listening.until(({ id }) => id);
    for (let round = 0; round < 3; round++) {
      const [from, other] = [ports[(round + 2) % 4], ports[(round + 3) % 4]];
      const seen = listening.events.length;
      const later = (isIt) => (event) => listening.events.indexOf(event) >= seen && isIt(event);
      const data = (text) => later(({ message }) => message?.params?.data === text);
      assert.equal(textOf(await (await session.call(from, "apart", { key: "apart" })).answer()), "sent");
      await listening.until(data("apart"));
      const { message } = await listening.until(later(asks));
      assert.equal((await session.answer(other, message.id, answer)).status, 202);
      const { id } = await listening.until(data("apart is Ada"));
      assert.equal(listening.events.length, seen + 3, JSON.stringify(listening.events));
      listening.cut();
      listening = await session.resume(ports[(round + 2) % 4], id);
      assert.equal(listening.status, 200);
    }
    // A log message costs its event, the lookup of the node at which the client listens, and the message to that node.
    const cost = await costOf(async () => {
      await (await session.call(ports[1], "apart", { key: "apart" })).answer();
      await listening.until(asks);
    });
    t.diagnostic(`a log and a question: ${JSON.stringify(cost)}`);
    // Both events share a function if they arrive at the listening node together.
    assert.ok(cost.fcall >= 1 && cost.fcall <= 2, JSON.stringify(cost));
    assert.deepEqual([cost.spublish, cost.get], [2, 2]);
    const { message } = await listening.until(asks);
    await session.answer(ports[2], message.id, answer);
    await listening.until((event) => event.message?.params?.data === "apart is Ada");
    listening.cut();
  },
);

test("a request is cancelled from another node", { skip }, async () => {
  const session = await known();
  const reply = await session.call(ports[0], "hold", { key: "far" }, true);
  const requestId = session.lastId;
  await reply.until(({ message }) => message?.method === "notifications/progress");
  const { status } = await session.notify(ports[3], "notifications/cancelled", { requestId });
  assert.equal(status, 202);
  await until("the end of the call", () => readFileSync(log, "utf8").includes("cancelled far"));
  reply.cut();
});

test("DELETE at one node ends the session at all", { skip }, async () => {
  const session = await known();
  assert.equal((await session.delete(ports[2])).status, 204);
  for (const port of ports)
    await until(`the end of the session at ${port}`, async () => {
      const reply = await session.call(port, "work", { key: "deleted" });
      await reply.end();
      return reply.status === 404;
    });
});

test(
  "a stream of a killed node ends with node-lost at the node where it was resumed",
  { skip },
  async (t) => {
    const session = await known();
    const reply = await session.call(ports[3], "hold", { key: "lost" }, true);
    const requestId = session.lastId;
    const { id } = await reply.until(({ message }) => message?.method === "notifications/progress");
    reply.cut();
    const resumed = await session.resume(ports[0], id);
    assert.equal(resumed.status, 200);
    const waiting = await session.call(ports[3], "ask", { key: "ask" });
    const question = await waiting.until(asks);
    const begun = performance.now();
    await nodes.kill(nodes.ports().indexOf(ports[3]));
    const { id: answered, error } = await resumed.answer();
    await resumed.end();
    t.diagnostic(`node-lost came ${Math.round(performance.now() - begun)} ms after the kill`);
    assert.deepEqual([answered, error.code, error.data.code], [requestId, -32603, "node-lost"]);
    // The answer to a question of that node.
    const late = await session.answer(ports[1], question.message.id, answer);
    assert.deepEqual([late.status, late.events[0].message.error.data.code], [503, "node-lost"]);
    // The session goes on.
    const next = await session.call(ports[1], "work", { key: "next" });
    assert.equal(textOf(await next.answer()), "done next");
  },
);

/** The headers and the `_meta` of a call at 2026-07-28. */
const revision = "2026-07-28";
const headers = {
  accept: "application/json",
  "content-type": "application/json",
  "mcp-protocol-version": revision,
  "mcp-method": "tools/call",
  "mcp-name": "pay",
};
const meta = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};

/** One round of a call of `pay`. @param earlier the answer to the round before */
async function round(port, args, earlier) {
  const { requestState, inputRequests = {} } = earlier?.result ?? {};
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
  const carried = earlier && { requestState, inputResponses };
  const params = { name: "pay", arguments: args, ...carried, _meta: meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return (await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body })).json();
}

/** The effects of a call, in order. */
const effectsOf = (key) =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.startsWith(`${key} `))
    .map((line) => line.slice(key.length + 1));

test(
  "rounds reach the node where the handler waits, by two messages: no failure, no effect twice",
  { skip },
  async (t) => {
    const living = nodes.ports();
    const calls = isThorough ? 1000 : 100;
    let turn = 0;
    const next = () => living[turn++ % living.length];
    const cost = await costOf(async () => {
      for (let call = 0; call < calls; call++) {
        const args = { key: `round${call}`, steps: 2 };
        let reply = await round(next(), args);
        for (let step = 1; step <= 2; step++) reply = await round(next(), args, reply);
        assert.equal(textOf(reply), "paid", JSON.stringify(reply));
        assert.deepEqual(effectsOf(args.key), ["begins", "pays 1", "pays 2"]);
      }
    });
    t.diagnostic(`${calls} calls of 2 questions: ${JSON.stringify(cost)}`);
    assert.deepEqual([cost.fcall, cost.spublish], [0, 4 * calls]);
  },
);

test("a round of a call at a killed node is lost within 5 s, and runs nothing", { skip }, async (t) => {
  const [holder, other] = nodes.ports();
  const asked = await round(holder, { key: "killed" });
  await nodes.kill(0);
  const begun = performance.now();
  const { error } = await round(other, { key: "killed" }, asked);
  const took = performance.now() - begun;
  t.diagnostic(`state-lost came ${Math.round(took)} ms after the kill`);
  assert.deepEqual(error.data, { code: "state-lost", cause: "not-here" });
  assert.ok(took < 5000, `${took} ms`);
  assert.deepEqual(effectsOf("killed"), ["begins"]);
});
