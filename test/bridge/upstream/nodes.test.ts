import { createBridge } from "@mcpgen/bridge";
import { MemoryClusterStore, cluster } from "@mcpgen/cluster";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Client, connect } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { failureOf } from "../../support/failure-of.js";
import { serverWith, sourceOf } from "../../support/served.js";
import { until } from "../../support/until.mjs";

// A call of 2026-07-28 that a server of an earlier revision asks waits at one node of a bridge; its rounds come to any node.

const modern = "2026-07-28";
const keys = ["k".repeat(32)];
const requestedSchema = { type: "object", properties: { sum: { type: "number" } } } as const;

/** Nodes of a bridge to one server of 2025-11-25, and a client of each node. */
async function nodes(count: number, isShared: boolean) {
  const speaks = serverRevisions.map(({ id }) => id).filter((id) => id < modern);
  const back = serverWith({ revisions: { known: serverRevisions, speaks } });
  back.tool("pay", {}, async (_, { ask }) => {
    const sums: number[] = [];
    for (const key of ["a", "b", "c"]) {
      const answer = await ask.elicit<{ sum: number }>(key, { message: key, requestedSchema });
      sums.push(answer.action === "accept" ? answer.content.sum : 0);
    }
    return sums.join(" ");
  });
  const store = new MemoryClusterStore();
  const source = await sourceOf(back, "HTTP");
  const all = [];
  for (let index = 0; index < count; index++) {
    const bridge = await createBridge(
      { back: { source } },
      { onEvent: () => true, state: { keys, ...(!isShared && { parking: "routed" as const }) } },
    );
    const served = await serveHttp(bridge, {
      port: 0,
      graceMs: 0,
      ...(isShared && {
        sessions: sealedSessions({ keys }),
        cluster: cluster({ store: store.connect(), keys }),
      }),
    });
    const options = { revisions: clientRevisions, revision: modern, onEvent: () => true };
    const client = await connect(served.url, {
      ...options,
      elicit: () => ({ action: "decline" }),
    });
    onTestFinished(async () => {
      await client.close();
      await served.close();
      await bridge.close();
    });
    all.push({ bridge, client });
  }
  return all;
}

type Result = Readonly<Record<string, unknown>>;

/** Sends a request of a call, and returns its result as it came. */
const send = (client: Client, more: object): Promise<Result> =>
  client.request(
    "tools/call" as string,
    { name: "pay", arguments: {}, ...more },
    { inputRequired: "return" },
  );

/** Answers what a result asks for. */
const answering = ({ requestState, inputRequests }: Result, sum: number): object => ({
  requestState,
  inputResponses: Object.fromEntries(
    Object.keys(inputRequests as object).map((key) => [key, { action: "accept", content: { sum } }]),
  ),
});

test("each round of a call at another node ends as at one node", async () => {
  const all = await nodes(3, true);
  const calls = cases(100, 20);
  const ends = await Promise.all(
    Array.from({ length: calls }, async (_, call) => {
      let turn = call;
      const next = (): Client => all[turn++ % all.length]!.client;
      let result = await send(next(), {});
      for (let round = 0; result["resultType"] === "input_required"; round++)
        result = await send(next(), answering(result, call + round));
      return result["content"];
    }),
  );
  for (const [call, content] of ends.entries())
    expect(content).toMatchObject([{ text: `${call} ${call + 1} ${call + 2}` }]);
  for (const { bridge } of all) await until("no call waits", () => bridge.stats().gauges["parked"] === 0);
});

test("without a cluster, a round at another node is lost, and says so", async () => {
  const [one, other] = await nodes(2, false);
  const asked = await send(one!.client, {});
  expect(await failureOf(send(other!.client, answering(asked, 1)))).toMatchObject({
    remote: { data: { code: "state-lost" } },
  });
  let result = asked;
  while (result["resultType"] === "input_required") result = await send(one!.client, answering(result, 2));
  expect(result["content"]).toMatchObject([{ text: "2 2 2" }]);
});
