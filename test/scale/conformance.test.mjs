// The server scenarios of the public conformance suite on four nodes behind a proxy without affinity: the same results as
// on one node. With sealed sessions, which need no store, these scenarios of 2025-11-25 need one: they ask the client, or
// look for a stream or an ended session on another node. MCPGEN_SHARE=1 runs them, too; each waits for 30 s. With a
// cluster store in Redis, none differs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noRedis, startRedis } from "../engines/redis.mjs";
import { isThorough } from "../support/cases.mjs";
import { checksWith, differences } from "./conformance.mjs";
import { storeEnv } from "./shared-store.mjs";

/**
 * @param except scenarios whose results differ
 * @param env of the nodes
 */
async function compare(t, revision, except = [], env = {}) {
  const one = await checksWith(1, revision, env);
  assert.deepEqual(
    Object.entries(one.statuses).filter(([, status]) => status !== "SUCCESS"),
    [],
  );
  const four = await checksWith(4, revision, env);
  // Strictly in turn.
  assert.equal(four.requests.length, 4);
  assert.ok(Math.max(...four.requests) - Math.min(...four.requests) <= 1, String(four.requests));
  const differing = differences(one.statuses, four.statuses);
  t.diagnostic(`${Object.keys(one.statuses).length} checks, ${differing.length} differ`);
  const unexpected = differing.filter(([key]) => !except.some((scenario) => key.startsWith(`${scenario}: `)));
  assert.deepEqual(unexpected, []);
  // A scenario that passes now belongs in no list.
  const seen = new Set(differing.map(([key]) => key.slice(0, key.indexOf(": "))));
  assert.deepEqual(
    except.filter((scenario) => !seen.has(scenario)),
    [],
  );
}

test("sealed sessions, 2026-07-28: four nodes as one", (t) => compare(t, "2026-07-28"));

test(
  "sealed sessions, 2025-11-25: all scenarios except those that need a store",
  { skip: !isThorough && "each scenario waits for 30 s: MCPGEN_SHARE=1 runs them" },
  (t) =>
    compare(t, "2025-11-25", [
      "elicitation-sep1034-defaults",
      "elicitation-sep1330-enums",
      "server-session-lifecycle",
      "server-sse-polling",
      "tools-call-elicitation",
      "tools-call-sampling",
    ]),
);

test("a cluster store in Redis, 2025-11-25: four nodes as one", { skip: noRedis }, async (t) => {
  const { socket, stop } = await startRedis();
  t.after(stop);
  await compare(t, "2025-11-25", [], storeEnv("ioredis", socket));
});
