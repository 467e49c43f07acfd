// Bytes in content leave as base64.
import { runInNewContext } from "node:vm";
import { serverRevisions } from "@mcpgen/protocol";
import { type Ask, createServer } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { RawClient } from "../../support/raw-stdio-client.js";

const newest = serverRevisions.at(-1)!.id;
const revisions = serverRevisions.map(({ id }) => id);

const kinds = {
  "a Uint8Array": (bytes: number[]) => new Uint8Array(bytes),
  "a part of a buffer": (bytes: number[]) => new Uint8Array([9, ...bytes, 9]).subarray(1, bytes.length + 1),
  "a Buffer": (bytes: number[]) => Buffer.from(bytes),
  "an ArrayBuffer": (bytes: number[]) => new Uint8Array(bytes).buffer,
  "an array of another context": (bytes: number[]) =>
    runInNewContext(`new Uint8Array([${bytes.join()}])`) as Uint8Array,
  "a buffer of another context": (bytes: number[]) =>
    runInNewContext(`new Uint8Array([${bytes.join()}]).buffer`) as ArrayBuffer,
  "shared memory": (bytes: number[]) => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    return shared;
  },
  "a Blob": (bytes: number[]) => new Blob([new Uint8Array(bytes)]),
};

const samples = [
  [],
  [0],
  [255, 254],
  [0, 1, 2],
  Array.from({ length: 300 }, (_, index) => index % 256),
  Array.from({ length: 20_000 }, (_, index) => index % 251),
];

function serving(data: Uint8Array | ArrayBuffer | Blob) {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  server.tool("list", {}, () => [{ type: "image", data, mimeType: "image/png" }]);
  server.tool("result", {}, async () => ({
    content: [
      { type: "text", text: "a" },
      { type: "audio", data, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "x://1", blob: data } },
    ],
    structuredContent: { data: [1] },
  }));
  server.prompt("p", {}, () => ({
    messages: [{ role: "user", content: { type: "image", data, mimeType: "image/png" } }],
  }));
  server.resource("x://1", {}, (uri) => ({
    contents: [
      { uri, blob: data },
      { uri, text: "a" },
    ],
  }));
  return server;
}

test.each(Object.entries(kinds))("%s becomes base64 in every place of content", async (_, make) => {
  for (const bytes of samples) {
    const text = Buffer.from(bytes).toString("base64");
    const client = new RawClient(serving(make(bytes)), newest);
    const result = async (method: string, params: object) => (await client.request(method, params)).result;
    const [list, whole, prompt, read] = await Promise.all([
      result("tools/call", { name: "list", arguments: {} }),
      result("tools/call", { name: "result", arguments: {} }),
      result("prompts/get", { name: "p" }),
      result("resources/read", { uri: "x://1" }),
    ]);
    expect(list?.["content"]).toEqual([{ type: "image", data: text, mimeType: "image/png" }]);
    expect(whole?.["content"]).toEqual([
      { type: "text", text: "a" },
      { type: "audio", data: text, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "x://1", blob: text } },
    ]);
    expect(whole?.["structuredContent"]).toEqual({ data: [1] });
    expect(prompt?.["messages"][0].content.data).toBe(text);
    expect(read?.["contents"]).toEqual([
      { uri: "x://1", blob: text },
      { uri: "x://1", text: "a" },
    ]);
  }
});

test("over HTTP, to a client of 2024-11-05", async () => {
  const { url } = await serve("node", serving(new Uint8Array([0, 1, 2])));
  const party = await new Party(url, "2024-11-05").open();
  const { result } = await party.request("tools/call", { name: "list", arguments: {} });
  expect(result?.["content"]).toEqual([{ type: "image", data: "AAEC", mimeType: "image/png" }]);
});

type SamplingParams = Parameters<Ask["sample"]>[1];

/**
 * Asks with bytes in each place of the messages: alone, in a list, and in the result of a tool.
 *
 * @param replay whether the handlers run again for an answer (2026-07-28)
 */
function asking(data: Uint8Array | ArrayBuffer | Blob, replay = false) {
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, ...(replay && { state: { parking: false } }) },
  );
  const image = { type: "image", data, mimeType: "image/png" } as const;
  const messages: SamplingParams["messages"] = [
    { role: "user", content: image },
    { role: "user", content: [image, { type: "text", text: "a" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "t", input: { data: [1] } }] },
    { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [image] }] },
  ];
  const params: SamplingParams = { maxTokens: 5, messages: messages.slice(0, 1) };
  server.tool("ask", { replay }, async (_, { ask }) => {
    const all = ask.all({
      a: { method: "sampling/createMessage", params },
      b: { method: "roots/list" },
    });
    const [{ content }] = await Promise.all([ask.sample("c", params), all]);
    return JSON.stringify(content);
  });
  server.tool("deep", { replay }, async (_, { ask }) => {
    await ask.sample("d", { maxTokens: 5, messages });
    return "";
  });
  server.tool("session", {}, async (_, { session }) => {
    await session.sample(params);
    return "";
  });
  return server;
}

const answer = { role: "assistant", model: "m", content: { type: "text", text: "!" } };

test.each(Object.entries(kinds))("%s becomes base64 in requests to the client", async (_, make) => {
  const image = { type: "image", data: "AAEC", mimeType: "image/png" };
  const firsts = [{ role: "user", content: image }];
  const sampled = { method: "sampling/createMessage", params: { maxTokens: 5, messages: firsts } };
  const ways = [...revisions.map((revision) => [revision, false] as const), ["2026-07-28", true] as const];
  for (const [revision, replay] of ways) {
    const server = asking(make([0, 1, 2]), replay);
    const client = new RawClient(server, revision, { sampling: { tools: {} }, roots: {} });
    if (client.isModern) {
      // Asks that start together go out together, whether their bytes take time or not.
      const { result } = await client.call("ask");
      expect(result?.["inputRequests"]).toEqual({ a: sampled, b: { method: "roots/list" }, c: sampled });
      const deep = (await client.call("deep")).result;
      const { messages } = deep!["inputRequests"].d.params;
      expect(messages[1].content).toEqual([image, { type: "text", text: "a" }]);
      expect(messages[2].content[0].input).toEqual({ data: [1] });
      expect(messages[3].content[0].content).toEqual([image]);
      continue;
    }
    client.answers = {
      "sampling/createMessage": () => ({ result: answer }),
      "roots/list": () => ({ result: { roots: [] } }),
    };
    await client.open();
    await client.call("ask");
    await client.call("session");
    const requests = client.of("sampling/createMessage");
    expect(requests.map(({ params }) => params?.["messages"] as unknown)).toEqual([firsts, firsts, firsts]);
  }
});
