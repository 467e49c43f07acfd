// Four nodes with principals (`programs/tenants.mjs`) that share Redis, for the tests of one file.
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { noRedis, startRedis } from "../engines/redis.mjs";
import { Nodes } from "./nodes.mjs";
import { storeEnv } from "./shared-store.mjs";
import { monitorOf } from "./usage.mjs";

export const tenantProgram = fileURLToPath(new URL("programs/tenants.mjs", import.meta.url));

/** Starts them before the tests and ends them after. The members are there once the tests run, and where Redis is installed. */
export function tenants() {
  const found = {};
  before(async () => {
    if (noRedis) return;
    found.redis = await startRedis();
    found.monitor = monitorOf(found.redis.socket);
    found.nodes = new Nodes(tenantProgram, storeEnv("ioredis", found.redis.socket));
    await found.nodes.start(4);
    found.ports = found.nodes.ports();
  });
  after(async () => {
    if (noRedis) return;
    found.monitor.disconnect();
    await found.nodes.end();
    await found.redis.stop();
  });
  return found;
}
