import { clientRevisions } from "@mcpgen/protocol";
import { type Client, McpError, connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished, test } from "vitest";
import { leavingToolsOut } from "./partial-tables.js";
import { type Script, ScriptedPeer, base, failure, reply } from "../../support/scripted-stdio-server.js";

const revision = "2026-07-28";
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });

/** A client whose revision has incomplete lists, and its server. */
async function connected(
  script: Script,
  options: { readonly get?: boolean } | "complete" = {},
): Promise<{ readonly client: Client; readonly peer: ScriptedPeer; readonly clock: VirtualClock }> {
  const peer = new ScriptedPeer(revision, script);
  const clock = new VirtualClock();
  const revisions = options === "complete" ? clientRevisions : leavingToolsOut(clientRevisions, options);
  const client = await connect(peer.channel, { ...base(clock), revisions, revision });
  onTestFinished(() => client.close());
  return { client, peer, clock };
}

const offered = {
  search: tool("search"),
  secret: tool("secret", { outputSchema: { type: "object", required: ["a"] } }),
};

const getTool: Script[string] = (request, peer) => {
  const name = request.params!["name"] as keyof typeof offered;
  return name in offered ? reply(peer, { tool: offered[name] }) : failure(-32602, "Unknown tool");
};

test("a list states whether it is complete, and references are not among its items", async () => {
  const pages = [
    {
      tools: [tool("a"), { name: "b" }, { name: "broken", inputSchema: 5 }],
      complete: false,
      nextCursor: "2",
    },
    { tools: [{ name: "c", description: "C" }, tool("d")] },
  ];
  const { client } = await connected({
    "tools/list": (request, peer) => reply(peer, pages[request.params!["cursor"] === "2" ? 1 : 0]!),
  });
  const list = await client.listTools();
  expect(list.items.map(({ name }) => name)).toEqual(["a", "d"]);
  expect(list.references).toEqual([{ name: "b" }, { name: "c", description: "C" }]);
  expect(list.rejected).toMatchObject([{ index: 2, name: "broken" }]);
  expect(list.complete).toBe(false);
  const items: unknown[] = [];
  for await (const item of client.items<{ name: string }>("tools/list")) items.push(item.name);
  expect(items).toEqual(["a", "d"]);
});

test("a list without the flag counts as complete, and so does a list of a revision without the flag", async () => {
  const script: Script = { "tools/list": (_, peer) => reply(peer, { tools: [tool("a")] }) };
  for (const options of [{}, "complete"] as const) {
    const { client } = await connected(script, options);
    expect(await client.listTools()).toMatchObject({ complete: true, references: [] });
    expect(await client.listPrompts().catch(() => "refused")).toBe("refused");
  }
});

test("a page with members that are null keeps its references", async () => {
  const { client } = await connected({
    "tools/list": (_, peer) =>
      reply(peer, {
        tools: [{ ...tool("a"), title: null }, { name: "b" }, 7],
        nextCursor: null,
        complete: false,
      }),
  });
  const list = await client.listTools();
  expect(list.items).toEqual([tool("a")]);
  expect(list.references).toEqual([{ name: "b" }]);
  expect(list).toMatchObject({ rejected: [{ index: 2 }], complete: false });
});

test("each page is requested with the parameters, and a cached list keeps its statement", async () => {
  const { client, peer } = await connected({
    "tools/list": (request) => ({
      result: {
        ...{ resultType: "complete", ttlMs: 60_000, cacheScope: "public", complete: false },
        ...(request.params!["cursor"] === undefined && { nextCursor: "2" }),
        tools: [
          tool(`${String(request.params!["query"])}-${String(request.params!["cursor"] ?? 1)}`),
          { name: "r" },
        ],
      },
    }),
  });
  const weather = { params: { query: "weather" } };
  const first = await client.listTools(weather);
  expect(first.items.map(({ name }) => name)).toEqual(["weather-1", "weather-2"]);
  expect(peer.of("tools/list")).toHaveLength(2);
  expect(await client.listTools(weather)).toEqual(first);
  expect(first).toMatchObject({ complete: false, references: [{ name: "r" }, { name: "r" }] });
  expect(peer.of("tools/list")).toHaveLength(2);
  await client.listTools({ params: { query: "other" } });
  expect(peer.of("tools/list")).toHaveLength(4);
  // `request` returns the unchanged result.
  const whole = await client.request<{ tools: unknown[] }>("tools/list" as string, { query: "weather" });
  expect(whole.tools).toHaveLength(2);
  expect(peer.of("tools/list")).toHaveLength(5);
});

test("an entry is fetched by its name; a missing one gives undefined", async () => {
  const { client, peer } = await connected({ "tools/get": getTool });
  expect(await client.entry("tools/list", "search")).toEqual(tool("search"));
  expect(peer.of("tools/get")[0]!.params).toMatchObject({ name: "search" });
  expect(await client.entry("tools/list", "gone")).toBeUndefined();
});

test("an answer other than the entry or its absence is an error", async () => {
  const answers = [failure(-32603, "the database is away"), failure(-32000, "try later")];
  for (const answer of answers) {
    const { client } = await connected({ "tools/get": () => answer });
    await expect(client.entry("tools/list", "search")).rejects.toMatchObject({ code: "remote-error" });
  }
  const invalid = await connected({
    "tools/get": (_, peer) => reply(peer, { tool: { name: "x", inputSchema: 1 } }),
  });
  await expect(invalid.client.entry("tools/list", "x")).rejects.toMatchObject({ code: "invalid-result" });
  const other = await connected({ "tools/get": (_, peer) => reply(peer, { tool: tool("other") }) });
  await expect(other.client.entry("tools/list", "search")).rejects.toMatchObject({ code: "invalid-result" });
  for (const options of [{ get: false }, "complete"] as const) {
    const { client } = await connected({}, options);
    const error: unknown = await client.entry("tools/list", "search").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code: "method-not-found" });
  }
});

test("the output schema of an entry that was fetched is checked", async () => {
  const { client } = await connected({
    "tools/get": getTool,
    "tools/call": (_, peer) => reply(peer, { content: [], structuredContent: {} }),
  });
  await client.callTool("secret");
  await client.entry("tools/list", "secret");
  await expect(client.callTool("secret")).rejects.toMatchObject({ code: "invalid-result" });
});

/** A server that refuses the headers of each call, as one over HTTP does whose tool has others. */
const mismatch: Script = {
  "tools/get": getTool,
  "tools/call": () => failure(-32020, "Header mismatch"),
};

const counts = (peer: ScriptedPeer) =>
  ["tools/list", "tools/get", "tools/call"].map((method) => peer.of(method).length);

test("for a tool that an incomplete list does not name, the list is read once, then only the tool is requested", async () => {
  const { client, peer } = await connected({
    ...mismatch,
    "tools/list": (_, scripted) => reply(scripted, { tools: [tool("search")], complete: false }),
  });
  const call = (name: string): Promise<unknown> => client.callTool(name).catch(() => undefined);
  for (let round = 0; round < 3; round++) await call("secret");
  expect(counts(peer)).toEqual([1, 3, 6]);
  await call("gone");
  await call("gone");
  expect(counts(peer)).toEqual([2, 5, 10]);
  // For a listed tool, the client sends no separate request; it reads the list each time.
  await call("search");
  expect(counts(peer)).toEqual([3, 5, 12]);
  peer.notify("notifications/tools/list_changed");
  await call("secret");
  expect(counts(peer)).toEqual([4, 6, 14]);
});

test("without a request for one tool, the list is still read once for each tool", async () => {
  const script: Script = {
    ...mismatch,
    "tools/list": (_, scripted) => reply(scripted, { tools: [], complete: false }),
  };
  const { client, peer } = await connected(script, { get: false });
  for (let round = 0; round < 3; round++) await client.callTool("secret").catch(() => undefined);
  expect(counts(peer)).toEqual([1, 0, 6]);
});

test("a complete list that only refers to the tool is also read once", async () => {
  const { client, peer } = await connected({
    ...mismatch,
    "tools/list": (_, scripted) => reply(scripted, { tools: [{ name: "secret" }] }),
  });
  for (let round = 0; round < 2; round++) await client.callTool("secret").catch(() => undefined);
  expect(counts(peer)).toEqual([1, 2, 4]);
});
