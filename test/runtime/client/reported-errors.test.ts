// `onError` and the event `handler-error` report the same errors, at every revision.
import { type ClientEvent, McpError, userRejected } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { connected, reply } from "../../support/scripted-stdio-server.js";
import { asked, everyWay } from "./asked.js";

/** What both report, in order: errors with their methods. */
function reporting() {
  const heard: unknown[] = [];
  const events: unknown[] = [];
  const onError = (error: unknown, { method }: { readonly method: string }): void =>
    void heard.push([error, method]);
  const onEvent = (event: ClientEvent): void => {
    if (event.type === "handler-error") events.push([event.error, event.method]);
  };
  return { heard, events, options: { onError, onEvent } };
}

const sampling = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 },
};
const vendor = { method: "acme/a", params: {} };

test.each(everyWay)("what handlers throw, and wrong results (%s, %s)", async (revision, transport) => {
  const mine = new Error("mine");
  const own = new McpError("connection-closed", "a server behind this client is gone");
  const wrong = expect.objectContaining({ code: "internal-error" }) as unknown;
  const cases: readonly (readonly [object, () => unknown, unknown])[] = [
    [sampling, () => fail(mine), mine],
    [vendor, () => fail(own), own],
    [vendor, () => "no object", wrong],
    [sampling, () => fail(userRejected()), undefined],
    [sampling, () => fail(new McpError("cancelled", "no", { rpcCode: -7 })), undefined],
    [{ method: "roots/list" }, () => [], undefined],
  ];
  for (const [question, handler, error] of cases) {
    const { heard, events, options } = reporting();
    const { failure } = await asked(revision, transport, [question as typeof vendor], {
      ...options,
      sample: handler as never,
      roots: handler as never,
      prepare: (client) => void client.handle("acme/a", handler as never),
    });
    const method = (question as typeof vendor).method;
    expect(heard).toEqual(error === undefined ? [] : [[error, method]]);
    expect(events).toEqual(heard);
    // The caller gets the error as well where the question came in its result.
    if (revision < "2026") expect(failure).toBeUndefined();
  }
});

test.each(["2025-11-25", "2026-07-28"])("what listeners throw (%s)", async (revision) => {
  const { heard, events, options } = reporting();
  const warnings: string[] = [];
  const mine = new Error("mine");
  const { client, peer } = await connected(
    revision,
    {
      "tools/call": ({ params }, own) => {
        const { progressToken } = params!["_meta"] as { progressToken: number };
        own.notify("notifications/progress", { progressToken, progress: 1 });
        return reply(own, { content: [] });
      },
    },
    { ...options, onWarning: (text) => warnings.push(text), onClose: () => fail(mine) },
  );
  client.on("notifications/tools/list_changed", () => fail(mine));
  client.on("notifications/tools/list_changed", () => Promise.reject(mine) as never);
  peer.notify("notifications/tools/list_changed");
  await client.callTool("a", {}, { onProgress: () => fail(mine) });
  await client.close();
  await client.closed;
  await new Promise((resolve) => setImmediate(resolve));
  const sorted = heard.map((each) => (each as [unknown, string])[1]).sort();
  expect(sorted).toEqual([
    "notifications/progress",
    "notifications/tools/list_changed",
    "notifications/tools/list_changed",
    "onClose",
  ]);
  expect(new Set(heard.map((each) => (each as [unknown, string])[0]))).toEqual(new Set([mine]));
  expect(events).toEqual(heard);
  expect(warnings).toEqual([]);
});

test.each(["2025-11-25", "2026-07-28"])("an onError that throws breaks nothing (%s)", async (revision) => {
  const { answers, failure } = await asked(revision, "stdio", [sampling, sampling], {
    sample: () => fail(new Error("mine")),
    onError: () => Promise.reject(new Error("yours")),
  });
  if (revision > "2026") expect(failure).toMatchObject({ code: "internal-error" });
  else expect(answers.map(({ error }) => error?.["code"] as unknown)).toEqual([-32603, -32603]);
});

test("an error that a handler throws after its request was cancelled is not reported", async () => {
  const { heard, events, options } = reporting();
  const { peer, client } = await connected(
    "2025-11-25",
    {},
    {
      ...options,
      sample: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
    },
  );
  void peer.ask(sampling.method, sampling.params, "s");
  peer.notify("notifications/cancelled", { requestId: "s" });
  expect(await failureOf(client.callTool("a"))).toBeUndefined();
  await client.close();
  expect([heard, events]).toEqual([[], []]);
});

function fail(thrown: unknown): never {
  throw thrown;
}
