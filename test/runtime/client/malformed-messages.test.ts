// Messages of a server that are not those of JSON-RPC 2.0.
import type { ClientEvent } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { type Incoming, connected as overHttp } from "../../support/scripted-http-server.js";
import { connected as overPipe } from "../../support/scripted-stdio-server.js";

const revisions = ["2025-11-25", "2026-07-28"] as const;
const content = [{ type: "text", text: "ok" }];

function watching(): { readonly warnings: ClientEvent[]; readonly onEvent: (event: ClientEvent) => void } {
  const warnings: ClientEvent[] = [];
  return { warnings, onEvent: (event) => void (event.type === "protocol-warning" && warnings.push(event)) };
}

/** Answers that fail their request, by the words that the error has. */
const wrong: Record<string, readonly [answer: object, words: string]> = {
  "without jsonrpc": [{ result: { content } }, "not a JSON-RPC 2.0 message"],
  "of another version": [{ jsonrpc: "1.0", result: { content } }, "not a JSON-RPC 2.0 message"],
  "an error without jsonrpc": [{ error: { code: 1, message: "no" } }, "not a JSON-RPC 2.0 message"],
  "neither result nor error": [{ jsonrpc: "2.0" }, "neither a request, a notification nor a response"],
};

describe.each(Object.keys(wrong))("an answer that is no message fails its request: %s", (kind) => {
  const [answer, words] = wrong[kind]!;
  const failure = { code: "invalid-result", message: expect.stringContaining(words) as string };

  test.each(revisions)("over pipes (%s)", async (revision) => {
    const { client, peer } = await overPipe(revision, { "tools/call": () => undefined });
    const call = failureOf(client.callTool("x"));
    const { id } = await peer.until("tools/call");
    peer.send({ ...answer, id });
    expect(await call).toMatchObject(failure);
  });

  const forms: Record<string, (incoming: Incoming, message: object) => void> = {
    JSON: (incoming, message) => incoming.json(message),
    "a stream": (incoming, message) => incoming.event(message).end(),
  };
  const each = revisions.flatMap((revision) => Object.keys(forms).map((form) => [revision, form] as const));

  test.each(each)("over HTTP (%s, in %s)", async (revision, form) => {
    const { client } = await overHttp(revision, {
      "tools/call": (incoming) => forms[form]!(incoming, { ...answer, id: incoming.message!.id }),
    });
    expect(await failureOf(client.callTool("x"))).toMatchObject(failure);
  });
});

test.each(revisions)("a request that is no message reaches no handler (%s)", async (revision) => {
  let asked = 0;
  const roots = () => (asked++, []);
  const { client, peer } = await overPipe(revision, {}, { roots });
  peer.write('{"jsonrpc":"1.0","id":"a","method":"roots/list"}\n{"id":"b","method":"roots/list"}\n');
  await client.listTools();
  const answers = peer.received.filter(({ method }) => method === undefined);
  const error = { code: -32600, message: "not a JSON-RPC 2.0 message" };
  // Servers of the modern era send no requests: the client does not answer them.
  expect(answers).toMatchObject(revision < "2026" ? ["a", "b"].map((id) => ({ id, error })) : []);
  expect(asked).toBe(0);
});

test.each(revisions)(
  "a notification that is no message is reported, and not heard (%s)",
  async (revision) => {
    const { warnings, onEvent } = watching();
    const { client, peer } = await overPipe(revision, {}, { onEvent });
    const heard: string[] = [];
    client.on("*", (_, method) => void heard.push(method));
    peer.write('{"method":"notifications/tools/list_changed"}\n');
    await client.listTools();
    expect(heard).toEqual([]);
    expect(warnings).toMatchObject([{ reason: "stray-output" }]);
  },
);

test.each(revisions)(
  "a line of a log that has the id of a request ends no request (%s)",
  async (revision) => {
    const { warnings, onEvent } = watching();
    const { client, peer } = await overPipe(revision, { "tools/call": () => undefined }, { onEvent });
    const call = client.callTool("x");
    const { id } = await peer.until("tools/call");
    peer.send({ level: "info", id, text: "begun" });
    peer.send({ jsonrpc: "2.0", id, result: { resultType: "complete", content } });
    expect((await call).content).toEqual(content);
    expect(warnings).toMatchObject([{ reason: "stray-output" }]);
  },
);

test.each(revisions)("an answer whose method is null is an answer (%s)", async (revision) => {
  const answer = { jsonrpc: "2.0", method: null, result: { resultType: "complete", content } };
  const { client, peer } = await overPipe(revision, { "tools/call": () => undefined });
  const call = client.callTool("x");
  peer.send({ ...answer, id: (await peer.until("tools/call")).id });
  expect((await call).content).toEqual(content);
  const { client: other } = await overHttp(revision, {
    "tools/call": (incoming) => incoming.json({ ...answer, id: incoming.message!.id }),
  });
  expect((await other.callTool("x")).content).toEqual(content);
});

test("a batch inside a batch is reported, and the rest of the batch is read", async () => {
  const { warnings, onEvent } = watching();
  const { client, peer } = await overPipe("2025-11-25", { "tools/call": () => undefined }, { onEvent });
  const call = client.callTool("x");
  const { id } = await peer.until("tools/call");
  peer.send([[{ jsonrpc: "2.0", id, result: { content: [] } }], { jsonrpc: "2.0", id, result: { content } }]);
  expect((await call).content).toEqual(content);
  expect(warnings).toMatchObject([{ reason: "stray-output" }]);
});
