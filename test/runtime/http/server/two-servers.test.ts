import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { type NodeHandler, createNodeHandler } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { loopback } from "../../../support/listen.js";
import { Party, messagesOf } from "../../../support/raw-http-client.js";

const requestedSchema = { type: "object" as const, properties: { ok: { type: "boolean" as const } } };

/** A server whose tool of the same name says which server it is, and one that asks. */
function named(name: string) {
  const server = createServer({ name, version: "1" }, { revisions: serverRevisions, onEvent: () => true });
  server.tool("who", {}, () => name);
  server.tool(
    "ask",
    {},
    async (_, { ask }) => (await ask.elicit("k", { message: "?", requestedSchema })).action,
  );
  server.resource("x://r", {}, () => name);
  return server;
}

/** Two servers at two paths of one port. */
async function pair() {
  const servers = { one: named("one"), two: named("two") };
  const handlers: { readonly [path: string]: NodeHandler } = {
    "/one": createNodeHandler(servers.one, { keepAliveMs: 0, graceMs: 0 }),
    "/two": createNodeHandler(servers.two, { keepAliveMs: 0, graceMs: 0 }),
  };
  const origin = await loopback((request, response) => handlers[request.url!]!(request, response));
  onTestFinished(async () => {
    await Promise.all(Object.values(handlers).map((each) => each.close()));
  });
  return { ...servers, handlers, origin };
}

test("two servers of one process at two paths share no session, no change, no counter", async () => {
  const { one, two, handlers, origin } = await pair();
  const first = await new Party(`${origin}/one`, "2025-11-25").open();
  const second = await new Party(`${origin}/two`, "2025-11-25").open();
  expect(await first.tool("who")).toMatchObject({ content: [{ text: "one" }] });
  expect(await second.tool("who")).toMatchObject({ content: [{ text: "two" }] });

  const stranger = new Party(`${origin}/two`, "2025-11-25");
  stranger.session = first.session;
  expect((await stranger.post(stranger.call("who"))).status).toBe(404);
  expect([...handlers["/two"]!.sessions].map(({ id }) => id)).toEqual([second.session]);

  await second.request("resources/subscribe", { uri: "x://r" });
  const stream = await second.get();
  one.tool("added", {}, () => "");
  one.resourceUpdated("x://r");
  await first.request("tools/list");
  two.resourceUpdated("x://r");
  await stream.until((answer) => messagesOf(answer).some(({ method }) => method?.includes("updated")));
  expect(messagesOf(stream).map(({ method }) => method)).toEqual(["notifications/resources/updated"]);
  expect((await second.request("tools/list")).result!["tools"]).toHaveLength(2);
  expect(one.stats().gauges.sessions).toBe(1);

  await handlers["/one"]!.close();
  expect((await first.post(first.call("who"))).status).toBe(503);
  expect(await second.tool("who")).toMatchObject({ content: [{ text: "two" }] });
});

test("two servers of one process share no state of rounds and no subscription", async () => {
  const { one, two, origin } = await pair();
  const capabilities = { elicitation: { form: {} } };
  const first = new Party(`${origin}/one`, "2026-07-28", {}, capabilities);
  const second = new Party(`${origin}/two`, "2026-07-28", {}, capabilities);
  const { requestState, inputRequests } = await first.tool("ask");
  const [key] = Object.keys(inputRequests as object);
  const inputResponses = { [key!]: { action: "accept", content: { ok: true } } };
  const retry = { name: "ask", arguments: {}, requestState, inputResponses };
  expect((await second.request("tools/call", retry)).error).toMatchObject({ code: -32602 });
  expect((await first.request("tools/call", retry)).result).toMatchObject({ content: [{ text: "accept" }] });

  const listening = second.message("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const stream = await second.post(listening);
  await stream.until((answer) => messagesOf(answer).length === 1);
  one.tool("added", {}, () => "");
  await first.request("tools/list");
  two.tool("other", {}, () => "");
  await stream.until((answer) => messagesOf(answer).length === 2);
  expect(messagesOf(stream)).toHaveLength(2);
});
