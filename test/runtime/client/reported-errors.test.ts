// The event `handler-error` reports the errors of the application, at every revision.
import { McpError, userRejected } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { heard } from "../../support/heard.mjs";
import { connected, reply } from "../../support/scripted-stdio-server.js";
import { asked, everyWay } from "../../support/asked-client.js";

/** What is reported, in order: errors with their methods, and warnings. */
function reporting() {
  const errors: (readonly [error: unknown, method: string])[] = [];
  const warnings: string[] = [];
  const onEvent = heard({
    handlerError: (error, { method }) => errors.push([error, method]),
    warning: (text) => warnings.push(text),
  });
  return { errors, warnings, options: { onEvent } };
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
    const { errors, options } = reporting();
    const { failure } = await asked(revision, transport, [question as typeof vendor], {
      ...options,
      sample: handler as never,
      roots: handler as never,
      prepare: (client) => void client.handle("acme/a", handler as never),
    });
    const method = (question as typeof vendor).method;
    expect(errors).toEqual(error === undefined ? [] : [[error, method]]);
    // The caller gets the error as well where the question came in its result.
    if (revision < "2026") expect(failure).toBeUndefined();
  }
});

test.each(["2025-11-25", "2026-07-28"])("what listeners throw (%s)", async (revision) => {
  const { errors, warnings, options } = reporting();
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
    { ...options, onClose: () => fail(mine) },
  );
  client.on("notifications/tools/list_changed", () => fail(mine));
  client.on("notifications/tools/list_changed", () => Promise.reject(mine) as never);
  peer.notify("notifications/tools/list_changed");
  await client.callTool("a", {}, { onProgress: () => fail(mine) });
  await client.close();
  await client.closed;
  await new Promise((resolve) => setImmediate(resolve));
  const sorted = errors.map(([, method]) => method).toSorted();
  expect(sorted).toEqual([
    "notifications/progress",
    "notifications/tools/list_changed",
    "notifications/tools/list_changed",
    "onClose",
  ]);
  expect(new Set(errors.map(([error]) => error))).toEqual(new Set([mine]));
  expect(warnings).toEqual([]);
});

test.each(["2025-11-25", "2026-07-28"])("a listener that rejects breaks nothing (%s)", async (revision) => {
  const { answers, failure } = await asked(revision, "stdio", [sampling, sampling], {
    sample: () => fail(new Error("mine")),
    onEvent: ({ type }) => (type === "handler-error" ? Promise.reject(new Error("yours")) : true),
  });
  if (revision > "2026") expect(failure).toMatchObject({ code: "internal-error" });
  else expect(answers.map(({ error }) => error?.["code"] as unknown)).toEqual([-32603, -32603]);
});

test("an error that a handler throws after its request was cancelled is not reported", async () => {
  const { errors, options } = reporting();
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
  expect(errors).toEqual([]);
});

function fail(thrown: unknown): never {
  throw thrown;
}
