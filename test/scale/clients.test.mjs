// The requests of third-party clients and of ours go to four nodes in turn: through our test proxy, and through HAProxy
// with the configuration of examples/deploy. The nodes share a cluster store, so that an answer reaches the node that
// asked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { noRedis, startRedis } from "../engines/redis.mjs";
import { noHaproxy, startHaproxy } from "./haproxy.mjs";
import { Nodes } from "./nodes.mjs";
import { startProxy } from "./proxy.mjs";
import { storeEnv } from "./shared-store.mjs";

const program = fileURLToPath(new URL("programs/worker.mjs", import.meta.url));
const legacy = ["2025-03-26", "2025-06-18", "2025-11-25"];
const modern = "2026-07-28";
const clients = {
  ours: [...legacy, modern],
  "sdk-v1": legacy,
  "sdk-v2": [...legacy, modern],
};
const proxies = {
  "a proxy of ours": { start: ({ ports }) => startProxy({ ports }) },
  HAProxy: { start: ({ ports }) => startHaproxy(ports()), skip: noHaproxy },
};

let redis;
let nodes;
const started = {};

before(async () => {
  if (noRedis) return;
  redis = await startRedis();
  nodes = new Nodes(program, storeEnv("ioredis", redis.socket));
  await nodes.start(4);
  for (const [name, { start, skip }] of Object.entries(proxies))
    if (!skip) started[name] = await start(nodes);
});

after(async () => {
  if (noRedis) return;
  await Promise.all(Object.values(started).map((proxy) => proxy.close()));
  await nodes.end();
  await redis.stop();
});

const textOf = ({ content }) => content[0].text;
const numbers = (most) => Array.from({ length: most }, (_, index) => index + 1);

for (const [proxy, { skip }] of Object.entries(proxies))
  for (const [name, revisions] of Object.entries(clients))
    for (const revision of revisions)
      test(`${name} at ${revision}, through ${proxy}`, { skip: noRedis ?? skip }, async (t) => {
        const { connect } = await import(`../interop/clients/${name}.mjs`);
        const client = await connect(new URL(started[proxy].url), revision);
        t.after(() => client.close());
        assert.equal(client.revision(), revision);
        const tools = (await client.tools()).map((tool) => tool.name);
        assert.deepEqual(tools.toSorted(), ["apart", "ask", "hold", "pay", "steps", "work"]);

        const seen = [];
        const onProgress = ({ progress }) => void seen.push(progress);
        const steps = await client.call("steps", { key: name, steps: 8, ms: 2 }, { onProgress });
        assert.equal(textOf(steps), `done ${name}`);
        // Clients of the official SDK drop progress that they read together with the answer.
        assert.deepEqual(seen, numbers(name === "ours" ? 8 : seen.length));

        // Elicitation came with 2025-06-18.
        if (revision >= "2025-06-18") {
          const asked = [];
          client.user.elicit = ({ message }) => {
            asked.push(message);
            return { action: "accept", content: { name: `Ada ${asked.length}` } };
          };
          const answer = textOf(await client.call("ask", { key: name, steps: 3 }));
          assert.equal(answer, "accept Ada 1, accept Ada 2, accept Ada 3");
          assert.equal(asked.length, 3);
        }

        const many = numbers(12).map((at) => client.call("work", { key: `${name} ${at}` }));
        assert.deepEqual(
          (await Promise.all(many)).map(textOf),
          numbers(12).map((at) => `done ${name} ${at}`),
        );
      });
