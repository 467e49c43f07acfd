// What an application has around its handlers, the same over every wire and in both eras.
import type { ServerEvent, ServerSession } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { clientOf, routes, serverWith } from "../support/served.js";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe.each(routes)("over %s at %s", (wire, revision) => {
  const isLegacy = revision === "2025-11-25";

  test("vendor methods are answered, by the fallback too, and notifications arrive", async () => {
    const server = serverWith();
    const heard: unknown[] = [];
    server.handle("acme/sum", {}, ({ a }) => ({ sum: a }));
    server.handle("*", (_, { method }) => ({ method }));
    server.on("acme/seen", {}, (params) => void heard.push(params));
    const client = await clientOf(server, wire, revision);
    expect(await client.request("acme/sum", { a: 2 }, { result: {} })).toMatchObject({ sum: 2 });
    expect(await client.request("acme/other", {}, { result: {} })).toMatchObject({ method: "acme/other" });
    await client.notify("acme/seen", { count: 1 });
    await expect.poll(() => heard).toMatchObject([{ count: 1 }]);
  });

  test("a session asks outside of its request where the era allows it", async () => {
    const server = serverWith();
    let session: ServerSession | undefined;
    server.tool("t", {}, (_, context) => {
      session = context.session;
      return `${context.session.revision} ${context.session.era}`;
    });
    const roots = [{ uri: "file:///a" }];
    const client = await clientOf(server, wire, revision, { roots });
    expect(await client.callTool("t")).toMatchObject(text(`${revision} ${isLegacy ? "legacy" : "modern"}`));
    if (isLegacy) expect(await session!.listRoots()).toMatchObject(roots);
    else expect(await failureOf(session!.listRoots())).toMatchObject({ code: "missing-capability" });
    expect([...server.sessions]).toHaveLength(isLegacy ? 1 : 0);
  });

  test("capabilities of a client arrive, and its state ends", async () => {
    const server = serverWith();
    let seen: unknown;
    server.tool("t", {}, (_, { clientCapabilities }) => {
      seen = clientCapabilities;
      return "";
    });
    const capabilities = { experimental: { acme: { on: true } } };
    const client = await clientOf(server, wire, revision, { capabilities });
    await client.callTool("t");
    expect([client.state, seen]).toMatchObject(["open", capabilities]);
    await client.close();
    expect([client.state, await client.closed]).toEqual(["closed", undefined]);
  });

  test("counters and events agree", async () => {
    const server = serverWith();
    const events: ServerEvent[] = [];
    server.onEvent((event) => events.push(event));
    server.tool("t", {}, () => "");
    const client = await clientOf(server, wire, revision);
    const before = server.stats().counters;
    await client.callTool("t");
    await failureOf(client.request("acme/none", {}, { result: {} }));
    const { results, errors } = server.stats().counters;
    expect([results - before.results, errors - before.errors]).toEqual([1, 1]);
    expect(events.filter(({ type }) => type === "request-refused")).toMatchObject([{ reason: "method" }]);
  });

  test("a wrong result is refused before it leaves, and bytes become base64", async () => {
    const server = serverWith({ validation: { send: "development" } });
    server.tool("wrong", {}, () => ({ content: [{ type: "text" } as never] }));
    server.tool("bytes", {}, () => [{ type: "image", data: new Uint8Array([1, 2]), mimeType: "image/png" }]);
    const client = await clientOf(server, wire, revision);
    expect(await failureOf(client.callTool("wrong"))).toMatchObject({
      rpcCode: -32603,
      message: expect.stringContaining("content[0].text") as string,
    });
    expect(await client.callTool("bytes")).toMatchObject({ content: [{ data: "AQI=" }] });
  });

  test("registrations change, also on a mounted server", async () => {
    const [server, other] = [serverWith(), serverWith()];
    const tool = server.tool("t", {}, () => "first");
    other.tool("find", {}, () => "found");
    const mount = server.mount(other, { prefix: "docs" });
    const client = await clientOf(server, wire, revision);
    expect(await client.callTool("docs_find")).toMatchObject(text("found"));
    tool.update({ name: "u", handler: () => "second" });
    mount.unmount();
    expect(await client.callTool("u")).toMatchObject(text("second"));
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(["u"]);
  });
});
