// Where the list stands in a result: tables say so, and a client does not guess.
import { clientRevisions } from "@mcpgen/protocol";
import type { Revision, Step } from "@mcpgen/protocol/model";
import type { Client } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import { connected, reply } from "../../support/scripted-stdio-server.js";

/** Revisions of which the tables of `id` do not say which member of the result of a method is the list. */
function withoutPage(id: string, method: string): readonly Revision<"client">[] {
  return clientRevisions.map((revision) => {
    if (revision.id !== id) return revision;
    const { page: _, ...entry } = revision.table.outgoingRequests.get(method)!;
    const outgoingRequests = new Map([...revision.table.outgoingRequests, [method, entry]]);
    return { ...revision, table: { ...revision.table, outgoingRequests } };
  });
}

const tools = [{ name: "a", inputSchema: { type: "object" } }];

test("a list without a page is an error, and not an empty list", async () => {
  const { client, peer } = await connected(
    "2026-07-28",
    { "tools/list": (_, own) => reply(own, { tools }) },
    { revisions: withoutPage("2026-07-28", "tools/list") },
  );
  const unread = { code: "not-expressible", message: expect.stringContaining("2026-07-28") as string };
  await expect(client.listTools()).rejects.toMatchObject(unread);
  await expect(
    (async () => {
      for await (const tool of client.items("tools/list")) return tool;
    })(),
  ).rejects.toMatchObject(unread);
  expect(await client.request("tools/list", {})).toMatchObject({ tools: [{ name: "a" }] });
  expect(peer.of("tools/list").length).toBeGreaterThan(0);
});

test.each<[string, (client: Client) => Promise<unknown>, readonly string[]]>([
  ["request", (client) => client.request("tools/list", {}), ["item 1", "broken"]],
  ["listTools", (client) => client.listTools(), ["item 1", "broken", "item 4"]],
  [
    "items",
    async (client) => {
      for await (const _ of client.items("tools/list"));
    },
    ["item 1", "broken", "item 4"],
  ],
])("%s warns about each item that it leaves out", async (_name, read, items) => {
  const warnings: string[] = [];
  const pages = [{ tools: [...tools, null, { name: "broken" }], nextCursor: "2" }, { tools: [...tools, 7] }];
  const { client } = await connected(
    "2025-11-25",
    { "tools/list": ({ params }, own) => reply(own, pages[params?.["cursor"] === "2" ? 1 : 0]!) },
    { onEvent: heard({ warning: (text) => warnings.push(text) }) },
  );
  await read(client);
  expect(warnings.map((text) => /^tools\/list: (.*) is left out: /.exec(text)?.[1])).toEqual(items);
});

test("a list of a revision without pages is found under the name of the vocabulary", async () => {
  const id = "2025-11-25";
  const revisions = withoutPage(id, "tools/list").map((revision) => {
    if (revision.id !== id) return revision;
    const entry = { ...revision.table.outgoingRequests.get("tools/list")!, list: "tools" };
    const outgoingRequests = new Map([...revision.table.outgoingRequests, ["tools/list", entry]]);
    return { ...revision, table: { ...revision.table, outgoingRequests } };
  });
  const lists = { "tools/list": (_: unknown, own: object) => reply(own as never, { tools }) };
  const { client } = await connected(id, lists, { revisions });
  expect((await client.listTools()).items).toMatchObject(tools);
});

/** Revisions of which `id` has the list under another name, which a step converts to that of the revision after it. */
function renamedIn(id: string, name: string): readonly Revision<"client">[] {
  return clientRevisions.map((revision) => {
    if (revision.id !== id) return revision;
    const entry = revision.table.outgoingRequests.get("tools/list")!;
    const accepts = (value: unknown): boolean => Array.isArray((value as { [name]: unknown })[name]);
    const renamed = {
      ...entry,
      result: { accepts },
      page: { ...entry.page!, member: name },
    };
    const outgoingRequests = new Map([...revision.table.outgoingRequests, ["tools/list", renamed]]);
    const step: Step = (value) => {
      const { [name]: list, ...rest } = value as { readonly [name: string]: unknown };
      return { ...rest, tools: list };
    };
    const incomingResults = new Map([...revision.steps!.incomingResults, ["tools/list", step]]);
    return {
      ...revision,
      table: { ...revision.table, outgoingRequests },
      steps: { ...revision.steps!, incomingResults },
    };
  });
}

test("a list with another name at the server's revision is found under its name in the vocabulary", async () => {
  const { client } = await connected(
    "2025-11-25",
    { "tools/list": (_, own) => reply(own, { entries: tools }) },
    { revisions: renamedIn("2025-11-25", "entries") },
  );
  expect((await client.listTools()).items).toMatchObject(tools);
});
