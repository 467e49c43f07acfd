import { expect, test } from "vitest";
import { RawClient, served, textOf } from "../support/raw-stdio-client.js";
import { questionOf } from "./answers.js";
import { modern } from "./line.js";

const no = { action: "cancel" };

/** A call that two connections of one client bring on: one began it, the other has answered its first round. */
async function calledOnTwo() {
  const made = served((server) => {
    server.tool("t", {}, async (_, { ask }) => {
      await ask.elicit("first", questionOf("first", "flag").params as never);
      await ask.elicit("second", questionOf("second", "flag").params as never);
      return "done";
    });
  });
  const [before, after, next] = [0, 1, 2].map(
    () => new RawClient(made.server, modern, { elicitation: {} }, { principal: "ann" }),
  ) as [RawClient, RawClient, RawClient];
  const answer = async (client: RawClient, requestState: unknown, key: string) =>
    client.request("tools/call", { name: "t", arguments: {}, requestState, inputResponses: { [key]: no } });
  const first = await before.call("t");
  const second = await answer(after, first.result!["requestState"], "first");
  return { ...made, before, after, last: () => answer(next, second.result!["requestState"], "second") };
}

test("a call outlives the connection that began it, if another one has brought it on", async () => {
  const { before, last, server } = await calledOnTwo();
  before.hangUp();
  await expect.poll(() => server.stats().gauges.connections).toBe(2);
  expect(textOf(await last())).toBe("done");
});

test("a call ends with the connection of its last round", async () => {
  const { after, last, server } = await calledOnTwo();
  after.hangUp();
  await expect.poll(() => server.stats().gauges.parked).toBe(0);
  expect((await last()).error).toMatchObject({ data: { code: "state-lost", cause: "cancelled" } });
});
