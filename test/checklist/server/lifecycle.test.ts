import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, createServer } from "@mcpgen/runtime";
import { expect } from "vitest";
import { everyFeature } from "../../support/every-feature/server.js";
import { RawClient, type Wired, clientOf, metaOf, raw, served } from "../../support/raw-stdio-client.js";
import { row } from "./rows.js";

const newest = "2026-07-28";
const everything = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };

function empty(server: CodeFirstServer): void {
  server.tool("nothing", {}, () => "nothing");
}

row("LIFE-01", "a version that is served is answered with itself", async (revision) => {
  const client = new RawClient(served(empty).server, revision);
  const { result } = await client.open();
  expect(result).toMatchObject({ protocolVersion: revision, serverInfo: { name: "checked" } });
});

row("LIFE-02", "another version is answered with one that is served, the latest", async (revision) => {
  const upTo = serverRevisions.filter(({ id }) => id <= revision);
  for (const asked of ["1999-01-01", "2099-01-01", "", newest, "x"]) {
    const client = new RawClient(served(empty, { revisions: upTo }).server, revision);
    const { result } = await client.request("initialize", {
      protocolVersion: asked,
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    });
    expect(result?.["protocolVersion"]).toBe(revision);
  }
});

row("LIFE-08", "the server sends no request for an undeclared capability", async (revision) => {
  for (const kept of ["greet", "summarise", "folders"]) {
    const names = { greet: "elicitation", summarise: "sampling", folders: "roots" } as const;
    const capabilities = { [names[kept as keyof typeof names]]: {} };
    const client = await clientOf({ server: everyFeature(serverRevisions) }, revision, capabilities);
    const asked = { greet: "elicitation/create", summarise: "sampling/createMessage", folders: "roots/list" };
    for (const tool of ["greet", "summarise", "folders"] as const) {
      if (tool === kept) continue;
      expect((await client.call(tool)).result).toMatchObject({ isError: true });
      expect(client.of(asked[tool])).toEqual([]);
    }
    client.startCall(kept);
    expect(await client.next(asked[kept as keyof typeof asked])).toBeDefined();
  }
});

/**
 * Members that a revision added, and that clients of earlier revisions get, too, because of notes with the outcome
 * `keep`: their objects are open, and gateways pass them on.
 */
const kept = new Set(["annotations", "title", "outputSchema", "structuredContent", "lastModified", "icons"]);

/** Members and kinds that a revision added. Clients of earlier revisions get only those in `kept`. */
const since: readonly (readonly [revision: string, key: string, values?: readonly string[]])[] = [
  ["2025-03-26", "annotations"],
  ["2025-03-26", "completions"],
  ["2025-03-26", "type", ["audio"]],
  ["2025-06-18", "title"],
  ["2025-06-18", "outputSchema"],
  ["2025-06-18", "structuredContent"],
  ["2025-06-18", "lastModified"],
  ["2025-06-18", "type", ["resource_link"]],
  ["2025-11-25", "icons"],
  ["2025-11-25", "websiteUrl"],
  ["2025-11-25", "execution"],
  ["2026-07-28", "resultType"],
  ["2026-07-28", "ttlMs"],
  ["2026-07-28", "cacheScope"],
];

/**
 * Returns the members of a message that a later revision added. The description of the server may not even have those
 * in `kept`, because the runtime writes it.
 */
function tooNew(value: unknown, revision: string, isInfo = false): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const found = since.find(
      ([from, name, values]) =>
        // Annotations of content are older than those of tools, which are distinguished by their members.
        from > revision &&
        name === key &&
        (isInfo || !kept.has(key)) &&
        (values?.includes(String(inner)) ?? (key !== "annotations" || "readOnlyHint" in inner)),
    );
    return [
      ...(found ? [`${key}: ${JSON.stringify(inner)}`] : []),
      ...tooNew(inner, revision, isInfo || key === "serverInfo"),
    ];
  });
}

/** A server that uses every member at every place. */
function lavish(server: CodeFirstServer): void {
  const look = { title: "A title", icons: [{ src: "https://example.com/i.png", sizes: ["48x48"] }] };
  const annotations = { audience: ["user" as const], lastModified: "2025-01-01T00:00:00Z" };
  server.tool(
    "all",
    {
      ...look,
      description: "All",
      annotations: { readOnlyHint: true },
      _meta: { "com.example/a": 1 },
      outputSchema: { type: "object", properties: { a: { type: "number" } } },
    },
    () => ({
      content: [
        { type: "text", text: "t", annotations },
        { type: "audio", data: "AA==", mimeType: "audio/wav" },
        { type: "resource_link", uri: "note://one", name: "one", ...look },
        { type: "resource", resource: { uri: "note://one", text: "one", _meta: { "com.example/a": 1 } } },
      ],
      structuredContent: { a: 1 },
    }),
  );
  server.resource("note://one", { ...look, name: "one", annotations }, () => "one");
  server.resourceTemplate(
    "note://{id}",
    { ...look, name: "some", complete: { id: () => ["a"] } },
    () => "one",
  );
  server.prompt(
    "ask",
    { ...look, arguments: [{ name: "topic", title: "Topic" }], complete: { topic: () => ["a"] } },
    () => ({
      messages: [
        { role: "user", content: { type: "audio", data: "AA==", mimeType: "audio/wav" } },
        { role: "user", content: { type: "resource_link", uri: "note://one", name: "one", ...look } },
      ],
    }),
  );
}

async function lavishAnswers(revision: string): Promise<Wired[]> {
  const { client } = await raw(revision, lavish, everything, {
    capabilities: { logging: {} },
  });
  await client.request("tools/list");
  await client.call("all");
  await client.request("resources/list");
  await client.request("resources/templates/list");
  await client.request("resources/read", { uri: "note://one" });
  await client.request("prompts/list");
  await client.request("prompts/get", { name: "ask" });
  return client.received;
}

// The driver validates each message against the revision's schema beside this.
row("LIFE-09", "nothing that came with a later revision is used", async (revision) => {
  const answers = await lavishAnswers(revision);
  expect(answers).toHaveLength(8);
  expect(answers.filter(({ error }) => error)).toEqual([]);
  expect(answers.flatMap((answer) => tooNew(answer, revision))).toEqual([]);
  const all = JSON.stringify(answers);
  for (const member of kept) expect(all).toContain(`"${member}":`);
});

row("LIFE-09", "the description of the server is that of the revision", async (revision) => {
  const info = {
    ...{ name: "s", version: "1", title: "A title", websiteUrl: "https://example.com", description: "All" },
    icons: [{ src: "https://example.com/i.png" }],
  };
  const client = new RawClient(createServer(info, { revisions: serverRevisions }), revision);
  expect(tooNew((await client.open()).result, revision)).toEqual([]);
});

row(
  "LIFE-09",
  "methods and kinds of asking that came later are neither answered nor used",
  async (revision) => {
    const elicitation = { form: {}, url: {} };
    const client = await clientOf({ server: everyFeature(serverRevisions) }, revision, { elicitation });
    for (const [method, params] of [
      ["server/discover", {}],
      ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
      ["tasks/list", {}],
    ] as const)
      expect((await client.request(method, params)).error?.code).toBe(-32601);
    const asked: { readonly [tool: string]: string } = { greet: "2025-06-18", visit: "2025-11-25" };
    for (const [tool, since] of Object.entries(asked)) {
      if (revision >= since) continue;
      expect((await client.call(tool)).result).toMatchObject({ isError: true });
    }
    expect(client.of("elicitation/create")).toEqual([]);
  },
);

row("LIFE-12", "server/discover works without prior traffic", async (revision) => {
  const client = new RawClient(served(empty).server, revision);
  const { result } = await client.request("server/discover");
  expect(result).toMatchObject({
    supportedVersions: expect.arrayContaining([revision]) as string[],
    capabilities: { tools: { listChanged: true } },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "checked", version: "1.0.0" } },
  });
});

row("LIFE-13", "server/discover carries cache hints", async (revision) => {
  const plain = new RawClient(served(empty).server, revision);
  expect((await plain.request("server/discover")).result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  const cache = { ttlMs: 5000, cacheScope: "public" } as const;
  const hinting = new RawClient(served(empty, { lists: { cache } }).server, revision);
  expect((await hinting.request("server/discover")).result).toMatchObject(cache);
});

row("LIFE-14", "a version that is not served per request is answered with all that are", async (revision) => {
  const only = serverRevisions.filter(({ id }) => id === revision);
  for (const revisions of [only, serverRevisions])
    for (const version of ["2025-11-25", "2024-11-05", "1999-01-01", "2099-01-01", ""]) {
      const client = new RawClient(served(empty, { revisions }).server, revision);
      const _meta = { ...metaOf(), "io.modelcontextprotocol/protocolVersion": version };
      client.send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } });
      const { code, data } = (await client.answer(1)).error!;
      expect(code).toBe(-32022);
      expect(data).toMatchObject({ requested: version });
      expect([...(data!["supported"] as string[])].sort()).toEqual(revisions.map(({ id }) => id));
    }
});

row("LIFE-14", "a long version is cut in the error that names it", async (revision) => {
  const client = new RawClient(served(empty, { revisions: serverRevisions }).server, revision);
  const _meta = { ...metaOf(), "io.modelcontextprotocol/protocolVersion": "x".repeat(100_000) };
  client.send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } });
  const { message, data } = (await client.answer(1)).error!;
  expect(data).toMatchObject({ requested: "x".repeat(64) });
  expect(message.length).toBeLessThan(250);
});

row(
  "LIFE-21",
  "members of an unsupported extension are ignored, its methods are not found",
  async (revision) => {
    const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    for (const capabilities of [{}, tasks]) {
      const { client } = await raw(revision, empty, capabilities);
      const { result } = await client.request("tools/call", { name: "nothing", task: { ttl: 1000 } });
      expect(result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "nothing" }] });
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
        expect((await client.request(method, { taskId: "1" })).error?.code).toBe(-32601);
      expect((await client.request("server/discover")).result!["capabilities"]).not.toHaveProperty(
        "extensions",
      );
    }
  },
);

row("LIFE-23", "initialize is a method of the legacy era, and a plain one opens it", async (revision) => {
  const client = new RawClient(served(empty).server, revision);
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  expect((await client.request("initialize", params)).error?.code).toBe(-32601);
  const before = await client.request("tools/list");
  expect(before.result).toMatchObject({ resultType: "complete" });
  client.send({ jsonrpc: "2.0", id: "plain", method: "initialize", params });
  expect((await client.answer("plain")).result).toMatchObject({ protocolVersion: "2025-11-25" });
});

row("UTIL-03", "there is no ping at the newest revision", async (revision) => {
  const { client, clock } = await raw(revision, empty);
  expect((await client.request("ping")).error?.code).toBe(-32601);
  await clock.advance(3_600_000);
  expect(client.of("ping")).toEqual([]);
});
