import type { Alternative } from "@mcpgen/protocol/model";
import type { CodeFirstServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { madeUp } from "../support/made-tables.js";
import { clientOf, serverWith, wires } from "../support/served.js";

// Final results of the protocol itself in place of the plain one, by the column `resultTypes`.

const revision = "2026-07-28";

const isText = (value: unknown): boolean => typeof value === "string";

const notModified: Alternative = {
  accepts: (value) => isText((value as { readonly etag?: unknown }).etag),
  key: "resultType",
  value: "not_modified",
};
const columns = { resultTypes: ["not_modified"], alternatives: [notModified] };
const methods = ["resources/read", "tools/call", "prompts/get"];
const result = { accepts: () => true };
const tables = madeUp({
  clientRequests: {
    ...Object.fromEntries(methods.map((method) => [method, columns])),
    "extras/do": { ...columns, result },
  },
});

// No released revision has the definition that would judge what is sent.
const options = { revisions: tables.server, validation: { send: "off" } } as const;

const unchanged = { resultType: "not_modified", etag: "1" };

function answering(answer: object): CodeFirstServer {
  const server = serverWith(options);
  server.resource("x:/a", {}, () => answer as never);
  server.tool("a", {}, () => answer as never);
  server.prompt("a", {}, () => answer as never);
  server.handle("extras/do", {}, () => answer as never);
  return server;
}

const calls = [
  ["a resource", (client: Awaited<ReturnType<typeof clientOf>>) => client.readResource("x:/a")],
  ["a tool", (client: Awaited<ReturnType<typeof clientOf>>) => client.callTool("a")],
  ["a prompt", (client: Awaited<ReturnType<typeof clientOf>>) => client.getPrompt("a")],
  ["a method", (client: Awaited<ReturnType<typeof clientOf>>) => client.request("extras/do", {})],
] as const;

describe.each(wires)("over %s", (wire) => {
  test.each(calls)("%s may be answered by another final result", async (_, call) => {
    const client = await clientOf(answering(unchanged), wire, revision, { revisions: tables.client });
    expect(await call(client)).toMatchObject(unchanged);
  });
});

test.each(calls)("another result of %s is checked by its own definition", async (_, call) => {
  const client = await clientOf(answering({ resultType: "not_modified", etag: 1 }), "memory", revision, {
    revisions: tables.client,
  });
  expect(await failureOf(call(client))).toMatchObject({ code: "invalid-result" });
});

test.each(calls)("a result of %s whose type no table has is not sent", async (_, call) => {
  const client = await clientOf(answering({ resultType: "unknown", etag: "1" }), "memory", revision, {
    revisions: tables.client,
  });
  expect(await failureOf(call(client))).toMatchObject({ rpcCode: -32603 });
});

test("a client refuses a type that its tables do not have", async () => {
  const client = await clientOf(answering(unchanged), "memory", revision);
  for (const [, call] of calls.slice(0, 3))
    expect(await failureOf(call(client))).toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining('"not_modified" is unknown') as string,
    });
});

test("another result of a tool has no structured content to check", async () => {
  const server = serverWith(options);
  server.tool(
    "a",
    { outputSchema: { type: "object", required: ["n"], properties: { n: { type: "number" } } } },
    () => unchanged as never,
  );
  const client = await clientOf(server, "memory", revision, { revisions: tables.client });
  await client.listTools();
  expect(await client.callTool("a")).toMatchObject(unchanged);
});

test("a method that may ask for input still does, and may end in another result", async () => {
  const server = serverWith(options);
  server.tool("a", {}, async (_args, { ask }) => {
    await ask.roots("roots");
    return unchanged as never;
  });
  const client = await clientOf(server, "memory", revision, { revisions: tables.client, roots: [] });
  expect(await client.callTool("a")).toMatchObject(unchanged);
});
