import { expect, test, vi } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import * as http from "../../support/scripted-http-server.js";
import {
  type Members,
  type Reply,
  type Wired,
  connected,
  reply,
} from "../../support/scripted-stdio-server.js";

const modern = "2026-07-28";
const inputRequests = {
  who: {
    method: "elicitation/create",
    params: { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } },
  },
  where: { method: "roots/list" },
};
const round = { resultType: "input_required", inputRequests, requestState: "s1", _meta: { "a.b/c": 1 } };
const inputResponses = { who: { action: "decline" }, where: { roots: [] } };

/** The requests that may ask, and their params. */
const asking: readonly (readonly [string, Members])[] = [
  ["tools/call", { name: "n", arguments: { a: 1 } }],
  ["prompts/get", { name: "n", arguments: { a: "1" } }],
  ["resources/read", { uri: "a://b" }],
];
const plain: Members = { content: [], messages: [], contents: [] };
const elicit = () => expect.fail("a handler was called");

const withoutMeta = ({ params: { _meta, ...rest } = {} }: Wired): Members => rest as Members;

test.each(asking)(
  "%s returns a result that asks as it was sent, and takes up its round",
  async (method, params) => {
    const answer = ({ params: given }: Wired, own: Parameters<typeof reply>[0]): Reply =>
      given?.["requestState"] ? reply(own, plain) : { result: round };
    const { client, peer } = await connected(modern, { [method]: answer }, { elicit });
    const options = { inputRequired: "return" } as const;
    const asked = await client.request<Members, string>(method, params, options);
    expect(asked).toEqual(round);
    const retry = { ...params, inputResponses, requestState: "s1" };
    expect(await client.request(method, retry, options)).toMatchObject({ resultType: "complete" });
    const sent = peer.received.filter((each) => each.method === method);
    expect(sent.map(withoutMeta)).toEqual([params, retry]);
  },
);

test("over HTTP, too; callTool does not judge it by the output schema", async () => {
  const tool = {
    name: "n",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", required: ["x"] },
  };
  const { client } = await http.connected(
    modern,
    {
      "tools/list": (incoming, server) => incoming.reply(server.result({ tools: [tool] })),
      "tools/call": (incoming) => incoming.reply(round),
    },
    { elicit },
  );
  await client.listTools();
  expect(await client.callTool("n", {}, { inputRequired: "return" })).toEqual(round);
});

test("middleware sees the round, and the cache neither keeps nor gives one", async () => {
  const cached = { contents: [], ttlMs: 60_000, cacheScope: "public" };
  let isAsking = false;
  const { client, peer } = await connected(modern, {
    "resources/read": (_, own) =>
      isAsking ? { result: { ...round, ttlMs: 60_000, cacheScope: "public" } } : reply(own, cached),
  });
  const seen = vi.fn();
  client.use(async (_, next) => {
    const result = await next();
    seen((result as Members)["resultType"]);
    return result;
  });
  await client.readResource("a://b");
  isAsking = true;
  expect(await client.readResource("a://b", { inputRequired: "return" })).toMatchObject({
    requestState: "s1",
  });
  expect(await client.readResource("a://b")).toMatchObject({ resultType: "complete" });
  expect(seen.mock.calls.flat()).toEqual(["complete", "input_required", "complete"]);
  expect(peer.received.filter(({ method }) => method === "resources/read")).toHaveLength(2);
});

test("a client that takes up a round and answers the next one sends no state of the former", async () => {
  const second = { resultType: "input_required", inputRequests: { who: inputRequests.who } };
  const script = ({ params }: Wired, own: Parameters<typeof reply>[0]): Reply =>
    params?.["requestState"] ? { result: second } : reply(own, plain);
  const { client, peer } = await connected(
    modern,
    { "tools/call": script },
    { elicit: () => ({ action: "cancel" }) },
  );
  await client.request<Members, string>("tools/call", { name: "n", inputResponses, requestState: "s1" });
  const last = withoutMeta(peer.received.findLast(({ method }) => method === "tools/call")!);
  expect(last).toEqual({ name: "n", inputResponses: { who: { action: "cancel" } } });
});

test.each([
  ["an unknown result type", { resultType: "later" }, 'its resultType "later" is unknown'],
  ["input requests that are none", { resultType: "input_required", inputRequests: 5 }, "inputRequests"],
])("%s fails the request", async (_, result, text) => {
  const { client } = await connected(modern, { "tools/call": () => ({ result }) });
  const failure = await failureOf(client.callTool("n", {}, { inputRequired: "return" }));
  expect(failure).toMatchObject({ code: "invalid-result", message: expect.stringContaining(text) as string });
});

test("at 2025-11-25 the option changes nothing", async () => {
  const { client } = await connected(
    "2025-11-25",
    {
      "tools/call": async (_, own) => {
        const { result } = await own.ask("roots/list");
        return reply(own, { content: [{ type: "text", text: JSON.stringify(result) }] });
      },
    },
    { roots: [] },
  );
  const { content } = await client.callTool("n", {}, { inputRequired: "return" });
  expect(content).toEqual([{ type: "text", text: '{"roots":[]}' }]);
});
