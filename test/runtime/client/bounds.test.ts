import type { AnswerContext } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { type Connected, connected } from "../../checklist/scripted-peer.js";

const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
const inputRequests = {
  who: { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema } },
};

/** What a call fails with: heard from now on, whenever it fails. */
function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

interface Asked extends Connected {
  /** The signal that the one who asks the user was given, once the user is asked. */
  readonly asked: Promise<AbortSignal>;
}

/** A client whose server asks in the course of a call, and whose user never answers. */
async function unanswered(): Promise<Asked> {
  let tell: (signal: AbortSignal) => void = () => {};
  const asked = new Promise<AbortSignal>((resolve) => (tell = resolve));
  const elicit = (_: unknown, { signal }: AnswerContext): Promise<never> => {
    tell(signal);
    return new Promise(() => {});
  };
  const script = { "tools/call": () => ({ result: { resultType: "input_required", inputRequests } }) };
  return { ...(await connected("2026-07-28", script, { elicit })), asked };
}

test("an abort ends a call whose user is being asked, and the asking", async () => {
  const { client, asked } = await unanswered();
  const controller = new AbortController();
  const outcome = failureOf(client.callTool("ask", {}, { signal: controller.signal }));
  const signal = await asked;
  controller.abort("enough");
  expect(await outcome).toMatchObject({ name: "McpError", code: "cancelled", cause: "enough" });
  expect(signal.aborted).toBe(true);
});

test("the total timeout holds while a user is asked; the one without progress does not", async () => {
  const { client, clock, asked } = await unanswered();
  const call = client.callTool("ask", {}, { timeout: 200, totalTimeout: 300 });
  let over = false;
  const outcome = failureOf(call.finally(() => (over = true)));
  const signal = await asked;
  await clock.advance(299);
  expect(over).toBe(false);
  await clock.advance(1);
  expect(await outcome).toMatchObject({ code: "timeout", data: { timer: "totalTimeout", limit: 300 } });
  expect(signal.aborted).toBe(true);
});

test("the total timeout holds over all rounds", async () => {
  const { client, clock, peer } = await connected(
    "2026-07-28",
    {
      "tools/call": ({ params }) =>
        params!["inputResponses"]
          ? undefined
          : { result: { resultType: "input_required", inputRequests, requestState: "s" } },
    },
    {
      elicit: async () => {
        await clock.advance(250);
        return { action: "decline" };
      },
    },
  );
  const outcome = failureOf(client.callTool("ask", {}, { totalTimeout: 300 }));
  const { id } = await peer.until("tools/call", 2);
  await clock.advance(50);
  expect(await outcome).toMatchObject({
    code: "timeout",
    data: { timer: "totalTimeout", limit: 300, elapsed: 300 },
  });
  expect((await peer.until("notifications/cancelled")).params!["requestId"]).toBe(id);
});

test("closing ends a call whose user is being asked", async () => {
  const { client, asked } = await unanswered();
  const outcome = failureOf(client.callTool("ask"));
  const signal = await asked;
  await client.close();
  expect(await outcome).toMatchObject({ code: "connection-closed" });
  expect(signal.aborted).toBe(true);
});
