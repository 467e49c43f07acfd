import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Client, type CodeFirstServer, connect, createServer, memoryChannels } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cells, codeOf, served, textOf } from "./dynamic-server.js";
import { Gate } from "../../support/http-fixture.js";

describe.each(cells)("over %s at %s", (...cell) => {
  test("update changes the handler, the name and the schemas of a tool", async () => {
    const { client, offered: tool } = await served(cell, (server) => {
      const offered = server.tool("one", { title: "One" }, () => "first handler");
      server.tool("last", {}, () => "last");
      return offered;
    });
    expect(await textOf(client.callTool("one"))).toBe("first handler");
    tool.update({
      name: "uno",
      inputSchema: z.object({ n: z.number().default(2) }),
      outputSchema: z.object({ twice: z.number() }),
      handler: ({ n }) => ({ structuredContent: { twice: 2 * n } }),
    });
    await expect(client.callTool("one")).rejects.toMatchObject({ rpcCode: -32602 });
    expect(await client.callTool("uno", {})).toMatchObject({ structuredContent: { twice: 4 } });
    tool.update({
      title: undefined,
      inputSchema: undefined,
      outputSchema: undefined,
      handler: () => "plain",
    });
    expect(await textOf(client.callTool("uno", { any: 1 }))).toBe("plain");
    const { items } = await client.listTools();
    expect(items.slice(0, 1)).toEqual([{ name: "uno", inputSchema: { type: "object", properties: {} } }]);
  });

  test("a running call keeps the handler and the schemas that it started with", async () => {
    const [began, release] = [new Gate(), new Gate()];
    const outputSchema = { type: "object", properties: { by: { const: "old" } }, required: ["by"] } as const;
    const { client, offered: tool } = await served(cell, (server) =>
      server.tool("t", { outputSchema }, async () => {
        began.open();
        await release.opened;
        return { structuredContent: { by: "old" } };
      }),
    );
    const call = client.callTool("t");
    await began.opened;
    tool.update({ outputSchema: undefined, handler: () => "new" });
    release.open();
    expect(await call).toMatchObject({ structuredContent: { by: "old" } });
    expect(await textOf(client.callTool("t"))).toBe("new");
  });

  test("update changes URIs, templates, arguments, completers and handlers", async () => {
    const { client, offered } = await served(cell, (server) => ({
      resource: server.resource("x://one", { description: "d" }, () => "one"),
      template: server.resourceTemplate("x://a/{id}", { complete: { id: () => ["1"] } }, ({ id }) => id),
      prompt: server.prompt("p", { arguments: [{ name: "a" }] }, ({ a = "" }) => a),
    }));
    const { resource, template, prompt } = offered;
    resource.update({ uri: "x://two", handler: (uri) => `at ${uri}` });
    template.update({
      uriTemplate: "x://b/{key}",
      complete: { key: () => ["k"] },
      handler: ({ key }) => `of ${key}`,
    });
    prompt.update({
      name: "q",
      arguments: z.object({ b: z.string() }),
      complete: { b: () => ["bee"] },
      handler: ({ b }) => `b is ${b}`,
    });
    expect((await client.listResources()).items).toEqual([
      { uri: "x://two", name: "x://two", description: "d" },
    ]);
    expect((await client.readResource("x://two")).contents).toMatchObject([{ text: "at x://two" }]);
    expect((await client.readResource("x://b/7")).contents).toMatchObject([{ text: "of 7" }]);
    await expect(client.readResource("x://a/7")).rejects.toMatchObject({ code: "resource-not-found" });
    expect((await client.getPrompt("q", { b: "x" })).messages).toMatchObject([
      { content: { text: "b is x" } },
    ]);
    await expect(client.getPrompt("p")).rejects.toMatchObject({ rpcCode: -32602 });
    const complete = async (ref: Parameters<Client["complete"]>[0]["ref"], name: string) =>
      (await client.complete({ ref, argument: { name, value: "" } })).completion.values;
    expect(await complete({ type: "ref/prompt", name: "q" }, "b")).toEqual(["bee"]);
    expect(await complete({ type: "ref/resource", uri: "x://b/{key}" }, "key")).toEqual(["k"]);
  });

  test("update changes who sees an offer, and how long a resource may be cached", async () => {
    const { client, offered } = await served(cell, (server) => ({
      tool: server.tool("t", { visible: () => false }, () => "seen"),
      resource: server.resource("x://r", { cache: { ttlMs: 1, cacheScope: "private" } }, () => "r"),
    }));
    const { tool, resource } = offered;
    expect((await client.listTools()).items).toEqual([]);
    tool.update({ visible: undefined });
    expect(await textOf(client.callTool("t"))).toBe("seen");
    tool.update({ visible: ({ name }, { revision }) => name === "t" && revision === "none" });
    await expect(client.callTool("t")).rejects.toMatchObject({ rpcCode: -32602 });
    resource.update({ cache: { ttlMs: 7000, cacheScope: "public" } });
    const read = await client.readResource("x://r");
    expect(read).toMatchObject(cell[1] === "2026-07-28" ? { ttlMs: 7000, cacheScope: "public" } : {});
  });

  test("templates list resources, which are paged with the registered ones", async () => {
    const { client, errors } = await served(
      cell,
      (it) => {
        it.resource("x://fixed", { title: "Fixed" }, () => "");
        it.resource("x://doc/2", { name: "registered" }, () => "");
        it.resourceTemplate(
          "x://doc/{id}",
          {
            mimeType: "text/plain",
            list: ({ revision }) => [
              { uri: "x://doc/1" },
              { uri: "x://doc/2", name: "not listed twice" },
              { uri: "x://doc/3", name: revision, mimeType: "text/html" },
            ],
          },
          ({ id }) => id,
        );
        const broken = new Error("broken");
        it.resourceTemplate("x://broken/{id}", { list: () => Promise.reject(broken) }, () => "");
        it.resourceTemplate("x://wrong/{id}", { list: () => [{}] as never }, () => "");
        it.resourceTemplate(
          "x://hidden/{id}",
          { list: () => [{ uri: "x://hidden/1" }], visible: () => false },
          () => "",
        );
        it.resourceTemplate("x://late/{id}", { list: async () => [{ uri: "x://late/1" }] }, () => "");
      },
      { lists: { pageSize: 2, cache: { ttlMs: 5000, cacheScope: "public" } } },
    );
    const expected = [
      { uri: "x://fixed", name: "x://fixed", title: "Fixed" },
      { uri: "x://doc/2", name: "registered" },
      { uri: "x://doc/1", name: "x://doc/1", mimeType: "text/plain" },
      { uri: "x://doc/3", name: cell[1], mimeType: "text/html" },
      { uri: "x://late/1", name: "x://late/1" },
    ];
    expect((await client.listResources()).items).toEqual(expected);
    const first = await client.request("resources/list", {});
    expect(first["resources"]).toHaveLength(2);
    // The list of a callback may depend on the client.
    if (cell[1] === "2026-07-28") expect(first).toMatchObject({ ttlMs: 5000, cacheScope: "private" });
    expect(errors.slice(0, 2)).toEqual([
      [expect.objectContaining({ message: "broken" }), { method: "resources/list", name: "x://broken/{id}" }],
      [
        expect.objectContaining({
          message: "the list of the template x://wrong/{id} gave no list of resources with URIs",
        }),
        { method: "resources/list", name: "x://wrong/{id}" },
      ],
    ]);
    expect((await client.readResource("x://doc/1")).contents).toEqual([
      { uri: "x://doc/1", mimeType: "text/plain", text: "1" },
    ]);
    await expect(client.request("resources/list", { cursor: "none" })).rejects.toMatchObject({
      rpcCode: -32602,
    });
  });
});

describe("a refused change has no effect", () => {
  const server = () => createServer({ name: "s", version: "1" }, { revisions: serverRevisions });

  test.each<[string, (server: CodeFirstServer) => () => void, string]>([
    [
      "a name that is taken",
      (it) => {
        it.tool("b", {}, () => "");
        const tool = it.tool("a", {}, () => "");
        return () => tool.update({ name: "b", title: "T" });
      },
      'tools: "b" is registered already.',
    ],
    [
      "an empty name",
      (it) => () => it.tool("a", {}, () => "").update({ name: "" }),
      'tools: expected a name, got "".',
    ],
    [
      "a handler that is no function",
      (it) => () => it.tool("a", {}, () => "").update({ handler: "x" as never }),
      'tool "a": there is no handler.',
    ],
    [
      "a wrong schema",
      (it) => () => it.tool("a", {}, () => "").update({ name: "b", inputSchema: { type: "string" } }),
      'tool "b": inputSchema: expected "type": "object" at the root',
    ],
    [
      "a template without the variable of a completer",
      (it) => {
        const template = it.resourceTemplate("x://{a}", { complete: { a: () => [] } }, () => "");
        return () => template.update({ uriTemplate: "x://{b}" });
      },
      'template "x://{b}": complete: there is no argument "a"; it has b.',
    ],
    [
      "arguments without that of a completer",
      (it) => {
        const prompt = it.prompt("p", { arguments: [{ name: "a" }], complete: { a: () => [] } }, () => "");
        return () => prompt.update({ arguments: [{ name: "b" }] });
      },
      'prompt "p": complete: there is no argument "a"; it has b.',
    ],
    [
      "a tool that was removed",
      (it) => {
        const tool = it.tool("a", {}, () => "");
        tool.remove();
        return () => tool.update({ title: "T" });
      },
      'tool "a" was removed. Register it again.',
    ],
  ])("%s", async (_, prepare, message) => {
    const it = server();
    const act = prepare(it);
    const [near, far] = memoryChannels();
    it.connect(far);
    const client = await connect(near, { revisions: clientRevisions });
    const shown = async (): Promise<unknown> =>
      Promise.all([
        client.listTools().catch(() => []),
        client.listPrompts().catch(() => []),
        client.listResourceTemplates().catch(() => []),
      ]);
    const before = await shown();
    expect(codeOf(act)).toContain(`invalid-definition: ${message}`);
    if (before !== undefined && message.includes("it has")) expect(await shown()).toEqual(before);
    await client.close();
  });
});

test("one notification for all changes of a turn; a renamed template keeps its position", async () => {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  const first = server.resourceTemplate("x://{a}", {}, () => "first");
  server.resourceTemplate("x://{b}", {}, () => "second");
  const tool = server.tool("a", {}, () => "");
  const [near, far] = memoryChannels();
  server.connect(far);
  const client = await connect(near, { revisions: clientRevisions, revision: "2025-11-25" });
  const changes: string[] = [];
  client.on("notifications/tools/list_changed", () => void changes.push("tools"));
  client.on("notifications/resources/list_changed", () => void changes.push("resources"));
  await client.ping();
  tool.update({ name: "b", title: "B" });
  tool.update({ name: "c" });
  expect([tool.enabled, (tool.disable(), tool.enabled)]).toEqual([true, false]);
  first.update({ uriTemplate: "x://{c}" });
  server.resourceListChanged();
  expect((await client.readResource("x://1")).contents).toMatchObject([{ text: "first" }]);
  expect(changes.sort()).toEqual(["resources", "tools"]);
  await client.close();
});
