// Changes that travel between processes over Redis.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { redisNotificationBus } from "@mcpgen/redis";
import { connect, createServer, memoryChannels } from "@mcpgen/runtime";
import { Cluster, Redis } from "ioredis";
import { Redis as Valkey } from "iovalkey";
import { createClient } from "redis";
import { newFolder } from "./guarded.mjs";
import { until } from "../support/until.mjs";
import { noRedis, startRedis, startRedisCluster } from "./redis.mjs";

/** Clients of one Redis, by driver. Each has the options of its driver, without any of the caller's. */
const connections = {
  ioredis: async (path) => quiet(new Redis({ path }), (client) => client.disconnect()),
  iovalkey: async (path) => quiet(new Valkey({ path }), (client) => client.disconnect()),
  redis: async (path) =>
    quiet(
      await createClient({ socket: { path } })
        .on("error", () => {})
        .connect(),
      (client) => client.destroy(),
    ),
};

function quiet(client, end) {
  client.on("error", () => {});
  return { client, end: () => end(client) };
}

/** Opens buses, as processes do, and notes what each hears. */
function opener(t, connection, address) {
  const ends = [];
  t.after(() => ends.forEach((end) => end()));
  return async (wrap = (client) => client) => {
    const [one, other] = [await connection(address), await connection(address)];
    const heard = [];
    const errors = [];
    const bus = redisNotificationBus(one.client, wrap(other.client), {
      onError: (error) => errors.push(error),
    });
    ends.push(() => bus.close(), one.end, other.end);
    bus.subscribe(
      ({ method }) => heard.push(method),
      () => heard.push("gap"),
    );
    // The bus has read where the stream ends: it reports that it knows nothing of before.
    await until("the bus begins", () => heard.splice(0).length > 0);
    return { bus, heard, errors };
  };
}

const numbered = (count, first = 0) => Array.from({ length: count }, (_, index) => `change ${first + index}`);

for (const [name, connection] of Object.entries(connections)) {
  test(`${name}: each process gets all changes, in order`, { skip: noRedis }, async (t) => {
    const { socket, stop } = await startRedis();
    t.after(stop);
    const open = opener(t, connection, socket);
    const buses = [await open(), await open(), await open()];
    for (const method of numbered(1000)) buses[0].bus.publish({ method });
    for (const { heard } of buses) await until("all changes", () => heard.length >= 1000);
    for (const { heard, errors } of buses) {
      assert.deepEqual(heard, numbered(1000));
      assert.deepEqual(errors, []);
    }
  });

  test(
    `${name}: changes that were cut off, and a stream that was lost, are a gap`,
    {
      skip: noRedis,
    },
    async (t) => {
      const { socket, stop } = await startRedis();
      t.after(stop);
      const open = opener(t, connection, socket);
      const writer = await open();
      let gate = Promise.resolve();
      let release;
      const slow = await open((client) =>
        client.call
          ? { call: async (...args) => (await gate, client.call(...args)) }
          : { sendCommand: async (args) => (await gate, client.sendCommand(args)) },
      );
      writer.bus.publish({ method: "first" });
      await until("the first change", () => slow.heard.length > 0);
      gate = new Promise((resolve) => (release = resolve));
      // The read that waits takes one of these; the next one begins after the gate. The stream keeps 10,000.
      for (let first = 0; first < 20_000; first += 1000) {
        for (const method of numbered(1000, first)) writer.bus.publish({ method });
        await until("the writer's own changes", () => writer.heard.includes(`change ${first + 999}`));
      }
      release();
      await until("the last change", () => slow.heard.includes("change 19999"));
      assert.ok(slow.heard.includes("gap"), "no gap was reported");
      const { client, end } = await connection(socket);
      for (const { heard } of [writer, slow]) heard.length = 0;
      await (client.call ? client.call("FLUSHALL") : client.sendCommand(["FLUSHALL"]));
      writer.bus.publish({ method: "last" });
      for (const { heard } of [writer, slow]) {
        await until("the change after the loss", () => heard.includes("last"));
        assert.equal(heard[0], "gap");
      }
      end();
    },
  );

  test(`${name}: a restart of Redis is a gap, and changes travel again`, { skip: noRedis }, async (t) => {
    const folder = newFolder();
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const unixsocket = join(folder, "redis.sock");
    const { stop } = await startRedis({ unixsocket });
    const open = opener(t, connection, unixsocket);
    const [one, other] = [await open(), await open()];
    one.bus.publish({ method: "before" });
    await until("the first change", () => other.heard.includes("before"));
    await stop();
    for (const method of numbered(2000)) one.bus.publish({ method });
    await until("the errors", () => one.errors.length >= 2000 - 1024);
    for (const { heard } of [one, other]) heard.length = 0;
    const { stop: stopAgain } = await startRedis({ unixsocket });
    t.after(stopAgain);
    const back = Date.now();
    for (const { heard } of [one, other]) await until("the report of a gap", () => heard.includes("gap"));
    t.diagnostic(`gap reported ${Date.now() - back} ms after the start`);
    let count = 0;
    await until("changes travel again", () => {
      one.bus.publish({ method: `after ${count++}` });
      return other.heard.some((method) => method.startsWith("after"));
    });
  });
}

test("a bus works on a cluster of three nodes", { skip: noRedis }, async (t) => {
  const { address, stop } = await startRedisCluster();
  t.after(stop);
  const [host, port] = address.split(":");
  const connection = async () =>
    quiet(new Cluster([{ host, port: Number(port) }]), (client) => client.disconnect());
  const open = opener(t, connection);
  const [one, other] = [await open(), await open()];
  for (const method of numbered(100)) one.bus.publish({ method });
  await until("all changes", () => other.heard.length >= 100);
  assert.deepEqual(other.heard, numbered(100));
});

test("a change is one command, and a reader takes two for each batch", { skip: noRedis }, async (t) => {
  const { socket, stop } = await startRedis();
  t.after(stop);
  const open = opener(t, connections.ioredis, socket);
  const { bus, heard } = await open();
  const counts = async () => {
    const client = new Redis({ path: socket });
    const info = await client.info("commandstats");
    client.disconnect();
    const count = (name) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
    return { xadd: count("xadd"), xread: count("xread"), xrange: count("xrange") };
  };
  for (const method of numbered(50)) {
    bus.publish({ method });
    await until(method, () => heard.includes(method));
  }
  const { xadd, xread, xrange } = await counts();
  assert.equal(xadd, 50);
  // One read waits; reads that found nothing in their time are counted, too.
  assert.ok(xread >= 50 && xrange >= 49 && xrange <= xread, `${xread} XREAD, ${xrange} XRANGE`);
});

test(
  "a client is notified of a change in another process, and of all after a loss",
  {
    skip: noRedis,
  },
  async (t) => {
    const { socket, stop } = await startRedis();
    t.after(stop);
    const open = opener(t, connections.ioredis, socket);
    const [one, other] = [await open(), await open()];
    const serverWith = ({ bus }) =>
      createServer({ name: "node", version: "1.0.0" }, { revisions: serverRevisions, changes: bus });
    const [here, there] = [serverWith(one), serverWith(other)];
    for (const server of [here, there]) {
      server.tool("first", {}, () => "1");
      server.resource("note://one", {}, () => "one");
    }
    const [near, far] = memoryChannels();
    here.connect(far);
    const client = await connect(near, { revisions: clientRevisions });
    t.after(() => client.close());
    const notified = [];
    const changes = await client.subscribe({ tools: true, uris: ["note://one"] });
    const read = async () => {
      for await (const { method, uri } of changes) notified.push(uri ?? method);
    };
    // The end of the test closes the connection.
    read().catch(() => {});
    there.resourceUpdated("note://one");
    await until("the change of the other process", () => notified.includes("note://one"));
    notified.length = 0;
    const redis = new Redis({ path: socket });
    await redis.flushall();
    redis.disconnect();
    there.resourceUpdated("note://none");
    await until(
      "the report of the loss",
      () => notified.includes("note://one") && notified.includes("notifications/tools/list_changed"),
    );
  },
);
