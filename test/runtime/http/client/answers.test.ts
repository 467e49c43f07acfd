import { expect, test } from "vitest";
import { type Script, clientOf, connected, scripted } from "../../../support/scripted-http-server.js";
import { mediaType } from "../../../../runtime/core/http/client/http-response.js";

const error = { code: -32600, message: "no valid session" };

/** Errors that answer no request, though one was asked. */
const foreign: object[] = [
  { jsonrpc: "2.0", id: "server-error", error },
  { jsonrpc: "2.0", id: 999, error },
  { jsonrpc: "2.0", id: null, error },
  { jsonrpc: "2.0", error },
];

test("an error in the exchange of a request answers it, with any id", async () => {
  const { server, client } = await connected("2025-11-25");
  for (const body of foreign) {
    const forms: Script[string][] = [
      (incoming) => incoming.json(body, 400),
      (incoming) => incoming.json(body),
      (incoming) => incoming.json([body]),
      (incoming) => incoming.event(body).end(),
      (incoming) => incoming.status(400, JSON.stringify(body), { "content-type": "text/plain" }),
    ];
    for (const form of forms) {
      server.script = { "tools/call": form };
      await expect(client.callTool("x")).rejects.toMatchObject({ code: "remote-error", rpcCode: -32600 });
    }
  }
});

test("an error with another id in answer to the probe leads to the handshake at once", async () => {
  for (const body of foreign)
    for (const answer of [
      (incoming) => incoming.json(body, 400),
      (incoming) => incoming.event(body).end(),
    ] satisfies Script[string][]) {
      const server = await scripted("2025-11-25", { "server/discover": answer });
      expect((await clientOf(server.url)).revision).toBe("2025-11-25");
    }
});

const silence = [
  {},
  [],
  { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } },
  { jsonrpc: "2.0", id: 2 },
  { jsonrpc: "2.0", id: 999, method: "tools/call", result: { content: [] } },
];

test("a response without an answer makes the request fail at once, with a quotation", async () => {
  const { server, client } = await connected("2025-11-25");
  for (const body of silence) {
    const text = JSON.stringify(body);
    server.script = { "tools/call": (incoming) => incoming.json(body) };
    await expect(client.callTool("x")).rejects.toMatchObject({
      code: "connection-closed",
      data: { status: 200, body: text },
      message: expect.stringContaining(text) as string,
    });
  }
});

test("a response without an answer to the probe leads to the handshake", async () => {
  for (const body of silence)
    for (const answer of [
      (incoming) => incoming.json(body),
      (incoming) => incoming.event(body).end(),
    ] satisfies Script[string][]) {
      const server = await scripted("2025-11-25", { "server/discover": answer });
      expect((await clientOf(server.url)).revision).toBe("2025-11-25");
    }
});

test("a modern error is recognised by its body, with any content type", async () => {
  const server = await scripted("2026-07-28", {
    "server/discover": (incoming) =>
      incoming.status(
        400,
        JSON.stringify(
          incoming.answer({ error: { code: -32022, message: "no", data: { supported: ["2030-01-01"] } } }),
        ),
        { "content-type": "text/plain" },
      ),
  });
  await expect(clientOf(server.url)).rejects.toMatchObject({ code: "unsupported-version" });
  expect(server.of("initialize")).toEqual([]);
});

test("only the handshake opens a session", async () => {
  const { server, client } = await connected("2025-03-26", {
    "tools/call": (incoming) => incoming.reply({ content: [] }, { "mcp-session-id": "another" }),
  });
  await client.callTool("x");
  await client.callTool("x");
  expect(server.of("tools/call").map(({ headers }) => headers["mcp-session-id"])).toEqual(["s1", "s1"]);
});

test.each([
  ["application/json", "application/json"],
  [" Application/JSON ; charset=utf-8", "application/json"],
  ["application/json;q=1,text/html", "application/json"],
  ["", ""],
])("the media type of Content-Type %j is %j", (header, type) =>
  expect(mediaType(new Response(null, { headers: { "content-type": header } }))).toBe(type),
);
