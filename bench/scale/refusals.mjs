// Measures the cost of refusing forged ids before any command of Redis: `node bench/scale/refusals.mjs`. The
// unit is microseconds of CPU time; the bar is 10 for each.
import { randomBytes } from "node:crypto";
import { cluster } from "@mcpgen/cluster";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";

const keys = ["the first secret of the service for tests"];
const rounds = 100_000;

let commands = 0;
const counted = () => void commands++;
const none = async () => undefined;
/** A store that counts the requests to it. */
const store = {
  log: { append: none, drop: none, after: counted },
  publish: counted,
  subscribe: async () => none,
  get: counted,
  ...Object.fromEntries(["put", "take", "claim", "heartbeat", "alive"].map((name) => [name, none])),
};
const endpoint = {
  clock: { now: () => 0, schedule: () => 0, clear: () => {} },
  warn: () => {},
  end: () => {},
};
const node = cluster({ store, keys }).join(endpoint);
const { store: sealed, generateId } = sealedSessions({ keys });
const session = generateId({
  created: Date.now(),
  principal: "ada",
  revision: "2025-11-25",
  clientInfo: { name: "client", version: "1.0.0" },
  clientCapabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } },
  declared: { tools: { listChanged: true } },
  logLevel: "info",
});
const middle = session.length >> 1;
const tampered = session.slice(0, middle) + (session[middle] === "A" ? "B" : "A") + session.slice(middle + 1);
const id = node.ids.make(session, 7);
const forgedId = id.slice(0, -1) + (id.endsWith("A") ? "B" : "A");
const many = (make) => Array.from({ length: 1000 }, make);
const random = many(() => randomBytes(Math.floor((session.length * 3) / 4)).toString("base64url"));
const long = many(() => randomBytes(3072).toString("base64url"));
const megabyte = "1".repeat(1_048_576);

/** The check of an event id that `redisClusterStore` makes before it asks Redis. */
const { redisClusterStore } = await import("@mcpgen/redis");
const client = { call: async () => void commands++ };
const subscriber = { ssubscribe: none, sunsubscribe: none, on: () => {}, off: () => {}, call: client.call };
const { log } = redisClusterStore(client, subscriber);

const rows = {
  [`a random session id of ${session.length} characters`]: (at) => sealed.get(random[at % 1000]),
  "a session id with one character changed": () => sealed.get(tampered),
  "a random session id of 4,096 characters": (at) => sealed.get(long[at % 1000]),
  "an answer with a forged id": () => node.ids.nodeOf(session, forgedId),
  "an answer to another session's id": (at) => node.ids.nodeOf(random[at % 1000], id),
  "Last-Event-ID of 1 MB": () => log.after("session", megabyte),
  "Last-Event-ID of 60 characters": () => log.after("session", "9".repeat(60)),
};

for (const [name, refuse] of Object.entries(rows)) {
  const run = async (count) => {
    for (let at = 0; at < count; at++) {
      const found = refuse(at);
      if ((found instanceof Promise ? await found : found) !== undefined)
        throw new Error(`${name}: accepted`);
    }
  };
  await run(2000);
  const samples = [];
  for (let sample = 0; sample < 5; sample++) {
    const before = process.cpuUsage();
    await run(rounds / 5);
    const { user, system } = process.cpuUsage(before);
    samples.push((user + system) / (rounds / 5));
  }
  console.log(
    `${samples
      .sort((a, b) => a - b)[2]
      .toFixed(2)
      .padStart(6)} µs  ${name}`,
  );
}
console.log(`${commands} commands of the store`);
process.exit();
