import { serverRevisions } from "@mcpgen/protocol";
import type { NotificationBus } from "@mcpgen/runtime";
import { expect } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { http, inside } from "../../support/http-fixture.js";
import { Party, messagesOf, textOf } from "../../support/raw-http-client.js";
import { serverRow } from "./rows.js";
import { type WireAnswer, send, sendOff } from "../../support/http-wire.js";

const subscriptionId = "io.modelcontextprotocol/subscriptionId";

serverRow("HTTP-09", "GET is a stream, or 405", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const stream = await party.get();
  expect([stream.status, stream.type]).toEqual([200, "text/event-stream"]);
  const alone = await send(target.url, "GET", { accept: "text/event-stream" });
  expect(alone.status).toBe(405);
  const wrong = await party.get({ accept: "application/json" });
  expect(wrong.status).toBe(406);
});

serverRow(
  "HTTP-10",
  "a server of this era alone answers GET and DELETE with 405",
  async (revision, adapter) => {
    const { server } = inside({ revisions: { known: serverRevisions, speaks: [revision] } });
    const { url } = await serve(adapter, server);
    for (const method of ["GET", "DELETE", "PUT", "PATCH", "HEAD"]) {
      const answer = await send(url, method, { accept: "text/event-stream", "mcp-session-id": "x" });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, "POST"]);
    }
  },
);

serverRow("HTTP-22", "work ends when the client closes the stream", async (revision, adapter) => {
  const { party, gate, aborted } = await http(adapter, revision);
  const answer = await party.post(party.call("gated", { steps: 1 }, { _meta: { progressToken: 1 } }));
  await answer.until(({ events }) => events.length === 1);
  answer.cut();
  await aborted.opened;
  gate.open();
  await party.request("tools/list");
  expect(answer.events).toHaveLength(1);
  // The same if the server has not sent anything yet.
  const silent = await http(adapter, revision);
  const call = silent.party.call("gated");
  const cut = sendOff(silent.target.url, "POST", silent.party.headersOf(call), JSON.stringify(call));
  await silent.began.opened;
  cut();
  await silent.aborted.opened;
});

serverRow("HTTP-24", "a header asks proxies not to buffer events", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const stepped = await party.post(party.call("steps", { count: 1 }, { _meta: { progressToken: 1 } }));
  const listening = await party.post(party.message("subscriptions/listen", { notifications: {} }));
  const eventsOnly = await party.post(party.message("tools/list"), { accept: "text/event-stream" });
  for (const answer of [stepped, listening, eventsOnly])
    expect([answer.type, answer.headers["x-accel-buffering"]]).toEqual(["text/event-stream", "no"]);
});

serverRow("HTTP-26", "the stream of a POST ends after its answer, not before", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const answer = await party.post(party.call("gated", { steps: 1 }, { _meta: { progressToken: 1 } }));
  await answer.until((each) => messagesOf(each).length === 1);
  gate.open();
  await answer.whole();
  expect(answer.complete).toBe(true);
  expect(textOf(messagesOf(answer).at(-1)!)).toBe("done");
});

serverRow("HTTP-27", "a GET stream carries no answers", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const stream = await party.get();
  for (const count of [0, 1, 2]) await party.tool("steps", { count });
  await party.tool("change");
  await stream.until((each) => messagesOf(each).length > 0);
  expect(messagesOf(stream).map(({ method }) => method)).toEqual(["notifications/tools/list_changed"]);
});

serverRow("HTTP-28", "one message goes to one stream", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const gets = [await party.get(), await party.get()];
  const posts = await Promise.all(
    [1, 2].map((progressToken) =>
      party.post(party.call("gated", { steps: 1 }, { _meta: { progressToken } })),
    ),
  );
  await party.tool("change");
  gate.open();
  for (const post of posts) await post.whole();
  await party.tool("change");
  const seen = (): string[] => gets.flatMap(messagesOf).map(({ method }) => method!);
  await gets[1]!.until(() => seen().length >= 2);
  expect(seen()).toEqual(Array(2).fill("notifications/tools/list_changed"));
  for (const [index, post] of posts.entries())
    expect(messagesOf(post).map(({ params }) => params?.["progressToken"] as unknown)).toEqual([
      index + 1,
      index + 1,
      undefined,
    ]);
});

serverRow("HTTP-32", "a stream carries messages of its request only", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const posts = await Promise.all(
    ["a", "b"].map((progressToken) =>
      party.post(party.call("gated", { steps: 2 }, { _meta: { progressToken } })),
    ),
  );
  for (const post of posts) await post.until(({ events }) => events.length === 2);
  await party.tool("change");
  gate.open();
  for (const [index, post] of posts.entries()) {
    await post.whole();
    const tokens = messagesOf(post).map(({ params }) => params?.["progressToken"] as unknown);
    expect(tokens).toEqual([...Array<string>(4).fill("ab"[index]!), undefined]);
  }
});

serverRow(
  "SUB-01",
  "the first message acknowledges the part of the filter that the server supports",
  async (revision, adapter) => {
    const { server } = inside();
    const { url } = await serve(adapter, server);
    const party = new Party(url, revision);
    const filter = {
      toolsListChanged: true,
      resourcesListChanged: false,
      resourceSubscriptions: ["note://one"],
    };
    const { answer } = await listen(party, filter);
    expect(messagesOf(answer)[0]).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["note://one"] } },
    });
  },
);

async function listen(
  party: Party,
  notifications: object,
  id?: unknown,
): Promise<{ answer: WireAnswer; id: unknown }> {
  const message = party.message("subscriptions/listen", { notifications }, id);
  const answer = await party.post(message);
  expect([answer.status, answer.type]).toEqual([200, "text/event-stream"]);
  await answer.until((each) => messagesOf(each).length > 0);
  return { answer, id: message.id };
}

serverRow(
  "SUB-02",
  "the subscription id is the id of the request, with its JSON type",
  async (revision, adapter) => {
    const { party } = await http(adapter, revision);
    for (const id of [7, "7", "abc"]) {
      const { answer } = await listen(party, { toolsListChanged: true }, id);
      await party.tool("change");
      const change = await answer.until((each) => messagesOf(each)[1]);
      expect(change.params!["_meta"]).toEqual({ [subscriptionId]: id });
      answer.cut();
    }
  },
);

serverRow("SUB-03", "changes of a resource go to their subscribers", async (revision, adapter) => {
  const { party, server } = await http(adapter, revision);
  const { answer } = await listen(party, { resourceSubscriptions: ["note://one"] });
  server.resourceUpdated("note://zwei/für");
  server.resourceUpdated("note://one");
  const updated = await answer.until((each) => messagesOf(each)[1]);
  expect(updated.params!["uri"]).toBe("note://one");
});

serverRow("SUB-04", "a server that closes answers its subscriptions first", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const { answer, id } = await listen(party, { toolsListChanged: true });
  await target.close();
  await answer.whole();
  expect(answer.complete).toBe(true);
  expect(messagesOf(answer).at(-1)).toMatchObject({
    id,
    result: { resultType: "complete", _meta: { [subscriptionId]: id } },
  });
});

serverRow("SUB-05", "a closed stream ends its subscription", async (revision, adapter) => {
  let listeners = 0;
  let change!: Parameters<NotificationBus["subscribe"]>[0];
  const bus = inside({
    changes: {
      publish: () => undefined,
      subscribe: (listener) => {
        listeners++;
        change = listener;
        return () => void listeners--;
      },
    },
  });
  const { url, close } = await serve(adapter, bus.server, { limits: { sessions: 1 } });
  const party = new Party(url, revision);
  const filter = { notifications: { toolsListChanged: true } };
  const { answer } = await listen(party, { toolsListChanged: true });
  expect([(await party.post(party.message("subscriptions/listen", filter))).status, listeners]).toEqual([
    503, 1,
  ]);
  answer.cut();
  // It was the only stream that `limits.sessions` allows.
  let next = answer;
  do next = await party.post(party.message("subscriptions/listen", filter));
  while (next.status === 503);
  await next.until((each) => messagesOf(each).length > 0);
  change({ method: "notifications/tools/list_changed" });
  await next.until((each) => messagesOf(each).length > 1);
  expect([messagesOf(answer).length, messagesOf(next).length]).toEqual([1, 2]);
  await close();
  expect(listeners).toBe(0);
});

serverRow("SUB-06", "subscriptions do not depend on each other", async (revision, adapter) => {
  const { party, server } = await http(adapter, revision);
  const tools = await listen(party, { toolsListChanged: true });
  const notes = await listen(party, { resourceSubscriptions: ["note://one"] });
  const both = await listen(party, { toolsListChanged: true, resourceSubscriptions: ["note://one"] });
  await party.tool("change");
  await both.answer.until((each) => messagesOf(each).length === 3);
  await tools.answer.until((each) => messagesOf(each).length === 2);
  tools.answer.cut();
  server.resourceUpdated("note://one");
  await both.answer.until((each) => messagesOf(each).length === 4);
  const methods = (answer: WireAnswer): string[] => messagesOf(answer).map(({ method }) => method!.slice(14));
  expect(methods(tools.answer)).toEqual(["subscriptions/acknowledged", "tools/list_changed"]);
  expect(methods(notes.answer)).toEqual([
    "subscriptions/acknowledged",
    "resources/updated",
    "resources/updated",
  ]);
});

serverRow("SUB-07", "a subscription gets no progress and no logs", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const { answer } = await listen(party, { toolsListChanged: true });
  await party.request("tools/call", {
    name: "steps",
    arguments: { count: 3 },
    _meta: { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" },
  });
  await party.tool("change");
  await answer.until((each) => messagesOf(each).length === 2);
  expect(messagesOf(answer)[1]!.method).toBe("notifications/tools/list_changed");
});
