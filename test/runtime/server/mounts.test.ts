import { serverRevisions } from "@mcpgen/protocol";
import {
  type Client,
  type CodeFirstServer,
  createServer,
  defineServer,
  defineToolServer,
} from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cells, codeOf, served, textOf } from "./dynamic-server.js";

const make = (name: string): CodeFirstServer =>
  createServer({ name, version: "1" }, { revisions: serverRevisions });

const icons = [{ src: "data:image/png;base64,AAAA" }];

/** A server with a tool, a prompt and resources of each kind. */
function library(): CodeFirstServer {
  const server = make("library");
  const inputSchema = z.object({ n: z.number().default(2) });
  server.tool("double", { title: "Double", icons, inputSchema }, ({ n }) => String(2 * n));
  server.tool("hidden", { visible: ({ name }) => name !== "hidden" }, () => "");
  server.resource("lib://one", { title: "One" }, () => "one");
  server.resourceTemplate(
    "lib://book/{id}",
    { complete: { id: () => ["7"] }, list: () => [{ uri: "lib://book/7" }] },
    ({ id }) => `book ${id}`,
  );
  server.prompt("say", { arguments: [{ name: "what" }], complete: { what: () => ["hello"] } }, () => "said");
  return server;
}

const names = async (client: Client): Promise<string[]> =>
  (await client.listTools()).items.map(({ name }) => name);

describe.each(cells)("over %s at %s", (...cell) => {
  test("the offers of a mounted server have its prefix, and keep all their parts", async () => {
    const { client } = await served(cell, (server) => {
      server.tool("double", {}, () => "of the host");
      server.mount(library(), { prefix: "lib" });
    });
    expect((await client.listTools()).items.slice(1)).toMatchObject([
      { name: "lib_double", title: "Double", icons, inputSchema: { properties: { n: { type: "number" } } } },
    ]);
    expect(await textOf(client.callTool("double"))).toBe("of the host");
    expect(await textOf(client.callTool("lib_double"))).toBe("4");
    await expect(client.callTool("lib_hidden")).rejects.toMatchObject({ rpcCode: -32602 });
    expect((await client.listResources()).items.map(({ uri }) => uri)).toEqual(["lib://one", "lib://book/7"]);
    expect((await client.readResource("lib://book/7")).contents).toMatchObject([{ text: "book 7" }]);
    expect((await client.listPrompts()).items).toMatchObject([{ name: "lib_say" }]);
    expect((await client.getPrompt("lib_say")).messages).toMatchObject([{ content: { text: "said" } }]);
    const complete = async (ref: Parameters<Client["complete"]>[0]["ref"], name: string) =>
      (await client.complete({ ref, argument: { name, value: "" } })).completion.values;
    expect(await complete({ type: "ref/prompt", name: "lib_say" }, "what")).toEqual(["hello"]);
    expect(await complete({ type: "ref/resource", uri: "lib://book/{id}" }, "id")).toEqual(["7"]);
  });

  test("changes of a mounted server follow, through two servers, until it is unmounted", async () => {
    const inner = make("inner");
    const tool = inner.tool("a", {}, () => "first");
    const { client, offered } = await served(cell, (server) => {
      server.tool("own", {}, () => "");
      const middle = make("middle");
      middle.mount(inner, { prefix: "in", separator: "-" });
      return server.mount(middle, { prefix: "mid", separator: "." });
    });
    expect(await names(client)).toEqual(["own", "mid.in-a"]);
    tool.update({ name: "b", handler: () => "second" });
    const added = inner.tool("c", {}, () => "third");
    expect(await textOf(client.callTool("mid.in-b"))).toBe("second");
    expect(await textOf(client.callTool("mid.in-c"))).toBe("third");
    await expect(client.callTool("mid.in-a")).rejects.toMatchObject({ rpcCode: -32602 });
    tool.disable();
    added.remove();
    await expect(client.callTool("mid.in-b")).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.callTool("mid.in-c")).rejects.toMatchObject({ rpcCode: -32602 });
    tool.enable();
    expect(await textOf(client.callTool("mid.in-b"))).toBe("second");
    offered.unmount();
    offered.unmount();
    inner.tool("d", {}, () => "");
    await expect(client.callTool("mid.in-b")).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.callTool("mid.in-d")).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test("servers of contracts are mounted", async () => {
    const inputSchema = { type: "object" as const, required: ["n"] };
    const tools = [{ name: "t", inputSchema }];
    const input = (value: unknown) => (Object.hasOwn(value as object, "n") ? undefined : "n is missing");
    const options = { revisions: serverRevisions, checks: { t: { input } } };
    const { client } = await served(cell, (server) => {
      const handlers = { tools: { t: ({ n }: { n: number }) => String(n) } };
      server.mount(defineToolServer({ name: "tools", version: "1", tools }, handlers, options), {
        prefix: "c",
      });
      const contract = { name: "all", version: "1", tools, resources: [{ uri: "x://r", name: "r" }] };
      server.mount(defineServer(contract, { ...handlers, resources: { "x://r": () => "read" } }, options));
    });
    expect(await names(client)).toEqual(["c_t", "t"]);
    expect(await textOf(client.callTool("c_t", { n: 3 }))).toBe("3");
    expect((await client.readResource("x://r")).contents).toMatchObject([{ text: "read" }]);
    await expect(
      client.callTool("c_t", {}).then((result) => (result.isError ? Promise.reject(new Error()) : result)),
    ).rejects.toThrow();
  });
});

test("clients of the host get the changes of a mounted server: one notification in a turn", async () => {
  const guest = library();
  const { client, server } = await served(["memory", "2025-11-25"], (it) => {
    it.mount(guest, { prefix: "lib" });
  });
  const changes: string[] = [];
  client.on("notifications/tools/list_changed", () => void changes.push("tools"));
  client.on("notifications/resources/list_changed", () => void changes.push("resources"));
  client.on("notifications/resources/updated", ({ uri }) => void changes.push(uri as string));
  await client.request("resources/subscribe", { uri: "lib://one" });
  guest.tool("a", {}, () => "");
  guest.tool("b", {}, () => "");
  guest.resourceListChanged();
  guest.resourceUpdated("lib://one");
  await client.ping();
  expect(changes.sort()).toEqual(["lib://one", "resources", "tools"]);
  expect(server.revisions).toContain("2025-11-25");
});

describe("a mount or a registration is refused without effect:", () => {
  test.each<[string, () => unknown, string]>([
    [
      "a name of the host",
      () => {
        const host = make("host");
        host.tool("lib_double", {}, () => "");
        host.mount(library(), { prefix: "lib" });
      },
      'tools: "lib_double" ("double" of the mounted server "library") is registered already in the server "host". Choose another prefix or name.',
    ],
    [
      "a URI of another mounted server",
      () => {
        const host = make("host");
        const other = make("other");
        other.resource("lib://one", {}, () => "");
        host.mount(library(), { prefix: "a" });
        host.mount(other, { prefix: "b" });
      },
      'resources: "lib://one" ("lib://one" of the mounted server "other") is registered already: "lib://one" of the mounted server "library".',
    ],
    [
      "a new tool of the host",
      () => {
        const host = make("host");
        host.mount(library(), { prefix: "lib" });
        host.tool("lib_double", {}, () => "");
      },
      'tools: "lib_double" is registered already: "double" of the mounted server "library". Choose another name, or update the registration.',
    ],
    [
      "a new name in a mounted server",
      () => {
        const [host, guest] = [make("host"), make("guest")];
        host.tool("g_b", {}, () => "");
        const tool = guest.tool("a", {}, () => "");
        host.mount(guest, { prefix: "g" });
        tool.update({ name: "b" });
      },
      'tools: "g_b" ("b" of the mounted server "guest") is registered already in the server "host".',
    ],
    [
      "two ways to one name",
      () => {
        const [host, left, right, guest] = [make("host"), make("left"), make("right"), make("guest")];
        left.mount(guest);
        right.mount(guest);
        host.mount(left);
        host.mount(right);
        guest.tool("a", {}, () => "");
      },
      'tools: "a" ("a" of the mounted server "right") is registered already',
    ],
    ["no server", () => void make("s").mount(null as never), "mount: expected a server of createServer"],
    [
      "a cycle",
      () => {
        const [one, two, three] = [make("one"), make("two"), make("three")];
        one.mount(two);
        two.mount(three);
        three.mount(one);
      },
      'mount: "one" shows "three" already. A server cannot show itself.',
    ],
    [
      "itself, directly",
      () => {
        const one = make("one");
        one.mount(one);
      },
      'mount: "one" shows "one" already.',
    ],
    [
      "another newest revision",
      () => {
        const revisions = serverRevisions.filter(({ era }) => era === "legacy");
        make("host").mount(createServer({ name: "old", version: "1" }, { revisions }));
      },
      'mount: the handlers of "old" write revision 2025-11-25, those of "host" revision 2026-07-28.',
    ],
    [
      "a wrong prefix",
      () => void make("host").mount(library(), { prefix: "a b" }),
      'mount: prefix: expected letters, digits, "_", "-" or ".", got "a b".',
    ],
    [
      "a wrong separator",
      () => void make("host").mount(library(), { prefix: "a", separator: "/" as never }),
      'mount: separator: expected _ or - or ., got "/".',
    ],
    [
      "an option that does not exist",
      () => void make("host").mount(library(), { prefx: "a" } as never),
      "mount: prefx: there is no such option. Did you mean prefix?",
    ],
    [
      "a name that is too long",
      () => void make("host").mount(library(), { prefix: "x".repeat(125) }),
      `tools: "${"x".repeat(125)}_double" has 132 characters; a name has at most 128. Choose a shorter prefix.`,
    ],
  ])("%s", (_, act, message) => {
    expect(codeOf(act)).toContain(`invalid-definition: ${message}`);
  });

  test.each(cells.slice(0, 2))("over %s at %s", async (...cell) => {
    const guest = make("guest");
    const kept = guest.tool("kept", {}, () => "kept");
    const { client } = await served(cell, (server) => {
      server.tool("g_taken", {}, () => "of the host");
      server.mount(guest, { prefix: "g" });
      const other = make("other");
      other.tool("fresh", {}, () => "");
      other.tool("taken", {}, () => "");
      expect(codeOf(() => server.mount(other, { prefix: "g" }))).toContain("registered already");
    });
    expect(codeOf(() => kept.update({ name: "taken", handler: () => "new" }))).toContain(
      "registered already",
    );
    expect(codeOf(() => guest.tool("taken", {}, () => ""))).toContain("registered already");
    expect(await names(client)).toEqual(["g_taken", "g_kept"]);
    expect(await textOf(client.callTool("g_kept"))).toBe("kept");
  });
});
