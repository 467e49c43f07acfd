// A service of four nodes and Redis under load and faults, for a set time.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { randomFrom } from "../../engines/cluster.mjs";
import { newFolder } from "../../engines/guarded.mjs";
import { Nodes } from "../nodes.mjs";
import { startProxy } from "../proxy.mjs";
import { faults, injectFaults, lasting } from "./faults.mjs";
import { startLoad } from "./load.mjs";
import { Record } from "./record.mjs";
import { RestartableRedis } from "./redis.mjs";
import { slopeOf, verdictOn } from "./slope.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Milliseconds after which growth decides: before it, a slope says little. */
const shortestJudged = 30 * 60_000;

/** Milliseconds in which the process of a new node fills its caches, at most. */
const longestWarmUp = 30 * 60_000;

/**
 * Runs the service.
 *
 * @param options.ms how long at least
 * @param options.pauseMs milliseconds between two calls of a client, in the mean
 * @param options.everyMs milliseconds between two faults, in the mean
 * @param options.hangMs milliseconds that a call may take
 * @returns `record`: what it has shown, as data; `growth`: of the memory of nodes; `redis`: its version
 */
export async function soak({ ms, seed, pauseMs, everyMs, hangMs, log = () => {} }) {
  const folder = newFolder();
  const effects = join(folder, "effects");
  writeFileSync(effects, "");
  const redis = new RestartableRedis();
  const nodes = new Nodes(here("../programs/soak-node.mjs"), {
    SCALE_LOG: effects,
    SCALE_STORES: here("store.mjs"),
    SCALE_DRIVER: "ioredis",
    SCALE_ADDRESS: redis.socket,
  });
  const streams = new Set();
  const over = new AbortController();
  let proxy;
  try {
    await redis.start();
    await nodes.start(4);
    proxy = await startProxy({ ports: nodes.ports, cut: kept(streams) });
    const record = new Record(hangMs);
    const load = await startLoad({
      url: proxy.url,
      random: randomFrom(seed),
      pauseMs,
      over: over.signal,
      ended: record.call,
    });
    record.begin();
    const system = { nodes, redis, streams, url: proxy.url };
    const began = (fault) => {
      record.fault(fault);
      log(`${Math.round(record.since(fault.at) / 1000)} s: ${fault.name}`);
    };
    const random = randomFrom(seed + 1);
    const injecting = injectFaults({ ...system, everyMs, over: over.signal, random, began });
    await watch({ ms, record, nodes, redis });
    over.abort();
    await injecting;
    await ended(load, record, hangMs);
    judgeEffects(record, readFileSync(effects, "utf8"));
    if (proxy.refused > 0) record.break(`${proxy.refused} requests found no node`);
    const growth = judgeGrowth(record, ms);
    return { record: record.data, growth, redis: await redis.version() };
  } finally {
    over.abort();
    await proxy?.close();
    await nodes.end();
    await redis.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Keeps each stream while it is open. */
const kept = (streams) => (stream) => {
  streams.add(stream);
  stream.on("close", () => streams.delete(stream));
};

/** Looks at calls and memory about 240 times, and on until each fault was there. */
async function watch({ ms, record, nodes, redis }) {
  const everyMs = Math.max(1000, ms / 240);
  const end = performance.now() + ms;
  while (performance.now() < end || record.faults.length < Object.keys(faults).length) {
    await sleep(everyMs);
    record.endInterval();
    const [members, bytes] = await Promise.all([
      Promise.all(nodes.members.map(memoryOf)),
      within(1000, redis.memory()),
    ]);
    record.sample(members.filter(Boolean), bytes);
  }
}

/** The memory of a node; `undefined` if it ends meanwhile. */
async function memoryOf({ child, ended }, slot) {
  if (!child.connected) return undefined;
  const reply = new Promise((resolve) => {
    const hear = ({ memory }) => {
      if (!memory) return;
      child.off("message", hear);
      resolve({ slot, pid: child.pid, ...memory });
    };
    child.on("message", hear);
  });
  child.send({ wants: "memory" }, () => {});
  return within(5000, Promise.race([reply, ended.then(() => undefined)]));
}

/** A value; `undefined` if it takes too long or fails. */
async function within(ms, promise) {
  const stop = new AbortController();
  const late = sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  const value = await Promise.race([promise.catch(() => undefined), late]);
  stop.abort();
  return value;
}

/** Waits until all calls have ended, as long as a call may take. */
async function ended({ running, done }, record, hangMs) {
  await within(hangMs, done);
  for (const key of running) record.break(`${key} has not ended`);
}

/** Each effect has its key on a line. */
function judgeEffects(record, text) {
  const seen = new Set();
  for (const key of text.split("\n").slice(0, -1)) {
    if (seen.has(key)) record.break(`the effect of ${key} came twice`);
    seen.add(key);
  }
}

/** How the memory of each lasting node grows, in megabytes an hour. */
function judgeGrowth(record, ms) {
  const warmUp = Math.min(longestWarmUp, ms / 4);
  const isJudged = ms - warmUp >= shortestJudged;
  const nodes = Array.from({ length: lasting }, (_, slot) => {
    const after = record.samples.filter(({ at }) => at >= warmUp);
    const slope = (member) =>
      slopeOf(
        after.flatMap(({ at, nodes: all }) =>
          all.filter((node) => node.slot === slot).map((node) => [at / 3_600_000, node[member] / 2 ** 20]),
        ),
      );
    const [rss, heap] = [slope("rss"), slope("heap")];
    const verdict = verdictOn(rss);
    if (isJudged && verdict === "grows")
      record.break(`node ${slot + 1} grows by ${rss.slope.toFixed(2)} MB/h`);
    return { slot, rss, heap, verdict };
  });
  return { warmUp, isJudged, nodes };
}
