import { type AnswerContext, type OriginatingRequest } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { type Incoming, connected } from "../../support/scripted-http-server.js";
import { clientOf, routes, serverWith } from "../../support/served.js";

const calls = 20;
const callsOf = <T>(make: (call: number) => T): T[] => Array.from({ length: calls }, (_, call) => make(call));
const form = (call: number) => ({
  message: String(call),
  requestedSchema: { type: "object" as const, properties: {} },
});

/** A server whose tool logs, sends a notification of a vendor, and asks twice, with the number of its call. */
function asking() {
  const server = serverWith({ capabilities: { logging: {} } });
  server.tool("ask", { inputSchema: { type: "object" } }, async (args, { ask, log, notify }) => {
    const { call } = args as { call: number };
    log("info", call);
    notify("vendor/note", { call });
    await Promise.all([ask.elicit("one", form(call)), ask.elicit("two", form(call))]);
    return "done";
  });
  return server;
}

test.each(routes)(
  "%s at %s: questions and notifications of concurrent calls name their call",
  async (wire, revision) => {
    const asked: [call: number, context: AnswerContext][] = [];
    const notified: [call: unknown, request: OriginatingRequest | undefined][] = [];
    const client = await clientOf(asking(), wire, revision, {
      logLevel: "debug",
      limits: { maxQuestions: 2 * calls },
      elicit: ({ message }, context) => {
        asked.push([Number(message), context]);
        return { action: "decline" };
      },
    });
    client.on("notifications/message", ({ data }, _, request) => void notified.push([data, request]));
    client.on("vendor/note", ({ call }, _, request) => void notified.push([call, request]));
    const requests = callsOf((call) => ({
      method: "tools/call",
      params: { name: "ask", arguments: { call } },
      options: { timeout: 30_000 },
    }));
    await Promise.all(requests.map(({ method, params, options }) => client.request(method, params, options)));

    const isModern = revision > "2026";
    expect(asked).toHaveLength(2 * calls);
    for (const [call, { key, request }] of asked) {
      expect(request).toEqual(isModern || wire === "HTTP" ? requests[call] : undefined);
      expect(request?.options).toBe(request && requests[call]!.options);
      expect(["one", "two"]).toContain(isModern ? key : "one");
      expect(key === undefined).toBe(!isModern);
    }
    expect(notified).toHaveLength(2 * calls);
    for (const [call, request] of notified)
      expect(request).toEqual(wire === "HTTP" ? requests[call as number] : undefined);
  },
);

const question = { jsonrpc: "2.0", id: "q", method: "roots/list" };

/** A client of a server that sends, on the stream of a call, what `answer` writes; and where its questions came from. */
async function heardFrom(revision: string, answer: (incoming: Incoming) => void) {
  const origins: (OriginatingRequest | undefined)[] = [];
  const { client, server } = await connected(
    revision,
    {
      "tools/call": (incoming) => answer(incoming),
      response: (incoming) => (Array.isArray(incoming.message) ? answer(incoming) : incoming.status(202)),
    },
    {
      roots: ({ request }) => {
        origins.push(request);
        return [];
      },
    },
  );
  return { client, server, origins };
}

test("a question on the stream of a call that has its answer is of no call", async () => {
  const { client, server, origins } = await heardFrom("2025-11-25", (incoming) => {
    incoming.event(question).event(incoming.answer({ content: [] }));
    incoming.event({ ...question, id: "late" }).end();
  });
  await client.callTool("ask");
  await server.until("response", 2);
  expect(origins).toEqual([
    { method: "tools/call", params: { name: "ask", arguments: {} }, options: {} },
    undefined,
  ]);
});

test("a question on the stream of a batch is of no call, unless the batch has one alone", async () => {
  const { client, server, origins } = await heardFrom("2025-03-26", (incoming) => {
    const messages = incoming.message as unknown as { readonly id?: number }[];
    incoming.event(question);
    for (const { id } of messages) if (id) incoming.event({ jsonrpc: "2.0", id, result: { content: [] } });
    incoming.end();
  });
  const call = { method: "tools/call", params: { name: "ask", arguments: {} } };
  await client.batch([call, call]);
  await client.batch([call, { method: "notifications/roots/list_changed", notification: true }]);
  await server.until("response", 4);
  expect(origins).toEqual([undefined, { ...call, options: {} }]);
});
