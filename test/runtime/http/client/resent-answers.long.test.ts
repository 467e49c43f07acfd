import { expect, test } from "vitest";
import { type Incoming, connected } from "../../../support/scripted-http-server.js";

const question = {
  jsonrpc: "2.0",
  id: "q1",
  method: "elicitation/create",
  params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
};

/** A call with a question; each of `taken` handles one attempt of the client to send the answer. */
async function asked(taken: readonly ((incoming: Incoming) => void)[]) {
  let call: Incoming;
  let count = 0;
  const { server, client } = await connected(
    "2025-11-25",
    {
      "tools/call": (incoming) => void (call = incoming).event(question),
      response: (incoming) => {
        const take = taken[count++];
        if (take) return take(incoming);
        incoming.status(202);
        call.event(call.answer({ content: [] })).end();
      },
    },
    { elicit: () => ({ action: "decline" }) },
  );
  return { server, client };
}

const busy = (incoming: Incoming): void => incoming.status(503, "", { "retry-after": "0" });

test("an answer that a server refuses is sent again, unchanged", async () => {
  const { server, client } = await asked([
    (incoming) => incoming.status(503),
    (incoming) => incoming.response.destroy(),
    ...Array<typeof busy>(6).fill(busy),
  ]);
  await expect(client.callTool("x")).resolves.toMatchObject({ content: [] });
  const texts = server.of("response").map(({ text }) => text);
  expect(texts).toHaveLength(9);
  expect(new Set(texts).size).toBe(1);
  expect(JSON.parse(texts[0]!)).toMatchObject({ id: "q1", result: { action: "decline" } });
  await client.close();
});

test("an answer is not sent again after a permanent refusal", async () => {
  for (const status of [400, 404]) {
    const { server, client } = await asked([(incoming) => incoming.status(status)]);
    const call = client.callTool("x", {}, { timeout: 60_000 }).catch(() => "ended");
    await server.until("response", 1);
    // Requests that come later do not wait for the answer, and nothing is sent after it.
    await client.request("ping", {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.of("response")).toHaveLength(1);
    await client.close();
    await expect(call).resolves.toBe("ended");
  }
});
