// Two processes with the same keys and no cluster, behind a load balancer that keeps no client at one of them.
import { createServer } from "@mcpgen/runtime";
import { serverRevisions } from "@mcpgen/protocol";
import { expect, test } from "vitest";
import { serve } from "../../../support/http-adapters.js";
import { type Members, type Wired, Party, textOf } from "../../../support/raw-http-client.js";

const keys = ["k".repeat(32)];
const asked = { message: "Pay?", requestedSchema: { type: "object", properties: {} } } as const;

// A call whose answer went astray waits until it expires: the bounds are raised.
const parking = { calls: 4000, perPrincipal: 4000 };

/** Two servers that are said to be routed, whose effects a list gets. */
async function routed(effects: string[]): Promise<readonly Party[]> {
  return Promise.all(
    ["a", "b"].map(async (name) => {
      const options = { revisions: serverRevisions, state: { keys, parking } } as const;
      const server = createServer({ name, version: "1.0.0" }, options);
      server.tool<{ key: string }>("pay", {}, async ({ key }, { ask }) => {
        effects.push(`${key} begins`);
        for (const at of [1, 2]) {
          await ask.elicit(`pay ${at}`, asked);
          effects.push(`${key} pays ${at}`);
        }
        return "paid";
      });
      const { url } = await serve("node", server);
      return new Party(url, "2026-07-28", {}, { elicitation: {} });
    }),
  );
}

/** A call, each of whose requests goes to the process whose turn it is. */
async function pay(turn: () => Party, key: string): Promise<Wired> {
  let rounds: Members = {};
  for (;;) {
    const reply = await turn().request("tools/call", { name: "pay", arguments: { key }, ...rounds });
    const { resultType, inputRequests, requestState } = reply.result ?? {};
    if (resultType !== "input_required") return reply;
    const answers = Object.keys(inputRequests!).map((each) => [each, { action: "accept", content: {} }]);
    rounds = { requestState, inputResponses: Object.fromEntries(answers) };
  }
}

test("strict round-robin: no effect comes twice, and every failure is state-lost with its cause", async () => {
  const effects: string[] = [];
  const parties = await routed(effects);
  let turns = 0;
  const turn = (): Party => parties[turns++ % parties.length]!;
  const calls = Array.from({ length: 1000 }, (_, index) => `c${index}`);
  const replies: Wired[] = [];
  // Where several calls run, some rounds meet the process of their call.
  for (let at = 0; at < calls.length; at += 25)
    replies.push(...(await Promise.all(calls.slice(at, at + 25).map((key) => pay(turn, key)))));
  const failed = replies.filter(({ error }) => error);
  expect(failed.length).toBeGreaterThan(100);
  for (const { error } of failed)
    expect(error).toEqual({
      code: -32602,
      message: expect.stringContaining("nothing was repeated, and the tool may be called again"),
      data: { code: "state-lost", cause: "not-here" },
    });
  const paid = replies.filter(({ error }) => !error).map(textOf);
  expect(new Set([...paid, "paid"])).toEqual(new Set(["paid"]));
  expect(new Set(effects).size).toBe(effects.length);
  // A client that is kept at one process loses no call.
  for (const party of parties) expect(textOf(await pay(() => party, `kept ${party.url}`))).toBe("paid");
});
