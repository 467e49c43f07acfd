import { expect, vi } from "vitest";
import {
  type Members,
  type ScriptedPeer,
  type Wired,
  connected,
  reply,
} from "../../support/scripted-stdio-server.js";
import { row } from "./rows.js";

const inputSchema = { type: "object" };

row("TOOL-05", "structured content is held against what the tool promises", async (revision) => {
  const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  const answers: Members[] = [
    { content: [], structuredContent: { sum: "3" } },
    { content: [], structuredContent: {} },
    { content: [] },
    { content: [], structuredContent: { sum: 3 } },
    // The error is reported unchanged.
    { content: [{ type: "text", text: "no" }], isError: true },
  ];
  const left = [...answers];
  const { client } = await connected(revision, {
    "tools/list": (_, peer) => reply(peer, { tools: [{ name: "add", inputSchema, outputSchema }] }),
    "tools/call": (_, peer) => reply(peer, left.shift()!),
  });
  await client.listTools();
  for (let wrong = 0; wrong < 3; wrong++)
    await expect(client.callTool("add")).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("add") as string,
    });
  expect((await client.callTool("add")).structuredContent).toEqual({ sum: 3 });
  expect(await client.callTool("add")).toMatchObject(answers[4]!);
});

row("TOOL-07", "structured content may be any value", async (revision) => {
  for (const structuredContent of [[1, null], "text", 0, "", false, null, {}]) {
    const { client } = await connected(revision, {
      "tools/list": (_, peer) =>
        reply(peer, { tools: [{ name: "any", inputSchema, outputSchema: { const: structuredContent } }] }),
      "tools/call": (_, peer) => reply(peer, { content: [], structuredContent }),
    });
    await client.listTools();
    expect((await client.callTool("any")).structuredContent).toEqual(structuredContent);
  }
});

row("TOOL-11", "annotations are passed on and change nothing that is done", async (revision) => {
  const names = ["plain", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
  const tools = names.map((name) => ({
    name,
    inputSchema,
    ...(name === "plain" ? {} : { annotations: { [name]: true } }),
  }));
  const { client, peer } = await connected(revision, { "tools/list": (_, self) => reply(self, { tools }) });
  expect((await client.listTools()).items).toMatchObject(tools);
  for (const name of names) await client.callTool(name, { a: 1 });
  const sent = peer
    .of("tools/call")
    .map(({ params }) => ({ ...params, _meta: { ...params!._meta, progressToken: 0 } }));
  for (const [index, params] of sent.entries()) expect(params).toEqual({ ...sent[0], name: names[index] });
});

/** The four lists: the method, the member of the result, an item. */
const lists = [
  ["tools/list", "tools", (name: string) => ({ name, inputSchema })],
  ["resources/list", "resources", (name: string) => ({ name, uri: `file:///${name}` })],
  [
    "resources/templates/list",
    "resourceTemplates",
    (name: string) => ({ name, uriTemplate: `file:///{${name}}` }),
  ],
  ["prompts/list", "prompts", (name: string) => ({ name })],
] as const;

/** Returns the items that the client reads if the server returns these pages. */
async function read(revision: string, method: string, pages: readonly { items: Members[]; next?: string }[]) {
  const [, member] = lists.find(([name]) => name === method)!;
  let index = 0;
  const { client, peer } = await connected(revision, {
    [method]: (_: Wired, self: ScriptedPeer) => {
      const { items, next } = pages[index++]!;
      return reply(self, { [member]: items, ...(next === undefined ? {} : { nextCursor: next }) });
    },
  });
  const items: unknown[] = [];
  for await (const item of client.items(method)) items.push(item);
  return { items, cursors: peer.of(method).map(({ params }) => params?.["cursor"] as unknown) };
}

row("PAGE-01", "cursors go back as they came", async (revision) => {
  const cursors = ['ü 𝒳\u2028\n"', "x".repeat(4096), '{"page":2}', " 1 ", "%20+", "null"];
  for (const [method, , item] of lists) {
    const pages = [...cursors, undefined].map((next, n) => ({
      items: [item(`i${n}`)],
      ...(next === undefined ? {} : { next }),
    }));
    expect((await read(revision, method, pages)).cursors).toEqual([undefined, ...cursors]);
  }
});

row("PAGE-02", "an empty cursor is one, not the end", async (revision) => {
  for (const [method, , item] of lists) {
    const { items, cursors } = await read(revision, method, [
      { items: [item("a")], next: "" },
      { items: [item("b")] },
    ]);
    expect(cursors).toEqual([undefined, ""]);
    expect(items).toMatchObject([item("a"), item("b")]);
  }
});

row("PAGE-03", "all pages are read, an empty one in the middle, too", async (revision) => {
  for (const [method, , item] of lists) {
    const sizes = [3, 1, 0, 5, 2];
    const pages = sizes.map((size, page) => ({
      items: Array.from({ length: size }, (_, n) => item(`p${page}n${n}`)),
      ...(page === sizes.length - 1 ? {} : { next: `c${page}` }),
    }));
    const { items, cursors } = await read(revision, method, pages);
    expect(items).toMatchObject(pages.flatMap((page) => page.items));
    expect(cursors).toEqual([undefined, "c0", "c1", "c2", "c3"]);
  }
});

row("PAGE-06", "pages without end are an error that carries what was read", async (revision) => {
  const tool = { name: "again", inputSchema };
  const { client, peer } = await connected(revision, {
    "tools/list": (_, self) => reply(self, { tools: [tool], nextCursor: "c" }),
  });
  const failed = {
    code: "list-incomplete",
    data: { items: [expect.objectContaining(tool), expect.objectContaining(tool)] },
  };
  await expect(client.listTools()).rejects.toMatchObject({ code: "list-incomplete" });
  expect(peer.of("tools/list").length).toBeLessThan(4);
  // The number of pages is limited even if all pages differ.
  let n = 0;
  const endless = await connected(revision, {
    "tools/list": (_, self) => reply(self, { tools: [tool], nextCursor: `c${n++}` }),
  });
  await expect(endless.client.listTools({ maxPages: 2 })).rejects.toMatchObject(failed);
  await expect(endless.client.listTools({ maxItems: 2 })).rejects.toMatchObject(failed);
});

row("COMP-04", "the arguments that are known go along", async (revision) => {
  const { client, peer } = await connected(revision, {
    "completion/complete": ({ params }, self) =>
      reply(self, { completion: { values: [`of ${params!["context"]?.arguments.owner}`] } }),
  });
  const params = {
    ref: { type: "ref/resource", uri: "repo://{owner}/{name}" },
    argument: { name: "name", value: "m" },
    context: { arguments: { owner: "acme" } },
  } as const;
  expect((await client.complete(params)).completion.values).toEqual(["of acme"]);
  expect(peer.of("completion/complete")[0]!.params).toMatchObject(params);
});

row("LOG-06", "messages of every level with any data are heard", async (revision) => {
  const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
  const values = [null, 0, "", false, [], { a: { b: [null] } }, "text", -1.5];
  const { client, peer } = await connected(revision);
  const heard = vi.fn();
  client.on("notifications/message", heard);
  const messages = levels.map((level, n) => ({ level, data: values[n], logger: "l" }));
  for (const message of messages) peer.notify("notifications/message", message);
  // An invalid one does no harm.
  peer.notify("notifications/message", { level: "loud" });
  await client.callTool("after");
  expect(heard.mock.calls.map(([params]) => params as unknown)).toEqual(messages);
});

row("BATCH-02", "the handshake travels alone", async (revision) => {
  const { peer } = await connected(revision);
  expect(peer.received[0]).toMatchObject({ method: "initialize" });
});

row("BATCH-05", "answers and messages of the server may come as a batch", async (revision) => {
  const { client, peer } = await connected(
    revision,
    { "tools/call": () => undefined },
    { roots: [{ uri: "file:///a" }] },
  );
  const heard = vi.fn();
  client.on("notifications/message", heard);
  const calls = [client.callTool("a"), client.callTool("b")];
  await peer.until("tools/call", 2);
  const mark = peer.received.length;
  const [a, b] = peer.of("tools/call").map(({ id }) => id);
  const answer = (id: unknown, text: string) => ({
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text }] },
  });
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } };
  peer.send(
    [answer(b, "b"), message, { jsonrpc: "2.0", id: "s", method: "ping" }, message, 5, null, answer(a, "a")],
    [],
  );
  const texts = (await Promise.all(calls)).map(({ content }) => content[0]);
  expect(texts).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ]);
  expect(heard).toHaveBeenCalledTimes(2);
  await expect.poll(() => peer.received.slice(mark)).toEqual([{ jsonrpc: "2.0", id: "s", result: {} }]);
});

row("BATCH-07", "no batch is ever sent", async (revision) => {
  const { client, peer } = await connected(revision, {}, { roots: [{ uri: "file:///a" }] });
  const calls = Array.from({ length: 100 }, (_, n) => client.callTool("any", { n }));
  await Promise.all(calls);
  expect(peer.received.filter((message) => Array.isArray(message))).toEqual([]);
  expect(peer.of("tools/call")).toHaveLength(100);
});
