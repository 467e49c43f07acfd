import { expect, test } from "vitest";
import { raw } from "../support/raw-stdio-client.js";
import { questionOf } from "./answers.js";
import { modern } from "./line.js";

test("of a handler that runs again, no `once` starts after its client has cancelled the request", async () => {
  const effects: string[] = [];
  let go = (): void => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  let ended = false;
  const { client } = await raw(
    modern,
    (server) =>
      void server.tool("t", { replay: true }, async (_, { once, signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        void once("pay", () => void effects.push("paid"));
        ended = true;
        go();
        return "";
      }),
    { elicitation: {} },
    { state: { parking: false } },
  );
  const id = client.startCall("t");
  await client.settled();
  client.cancel(id);
  await held;
  await client.settled();
  expect([ended, effects]).toEqual([true, []]);
});

test("of a handler that runs again, a repeated state runs nothing, also without a store", async () => {
  const effects: string[] = [];
  const { client } = await raw(
    modern,
    (server) =>
      void server.tool("t", { replay: true }, async (_, { ask, once }) => {
        await ask.elicit("k", questionOf("k", "flag").params as never);
        await once("pay", () => void effects.push("paid"));
        return "paid";
      }),
    { elicitation: {} },
    { state: { parking: false } },
  );
  const requestState = (await client.call("t")).result!["requestState"] as string;
  const inputResponses = { k: { action: "cancel" } };
  for (let time = 0; time < 2; time++)
    await client.request("tools/call", { name: "t", arguments: {}, requestState, inputResponses });
  expect(effects).toEqual(["paid"]);
});
