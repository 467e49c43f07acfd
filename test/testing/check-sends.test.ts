import { expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import * as oldest from "@mcpgen/protocol/2024-11-05/methods";
import * as batching from "@mcpgen/protocol/2025-03-26/methods";
import * as structured from "@mcpgen/protocol/2025-06-18/methods";
import * as tasks from "@mcpgen/protocol/2025-11-25/methods";
import * as modern from "@mcpgen/protocol/2026-07-28/methods";
import { createServer } from "@mcpgen/runtime";
import { type SendTables, type Side, checkSends, createTestPair } from "@mcpgen/testing";
import { everyFeature } from "../support/every-feature/server.js";
import { answers, tour } from "../support/every-feature/tour.js";

function tablesOf(methods: {
  readonly clientSends: SendTables["client"];
  readonly serverSends: SendTables["server"];
}): SendTables {
  return { client: methods.clientSends, server: methods.serverSends };
}

const byRevision = [
  ["2024-11-05", tablesOf(oldest)],
  ["2025-03-26", tablesOf(batching)],
  ["2025-06-18", tablesOf(structured)],
  ["2025-11-25", tablesOf(tasks)],
  ["2026-07-28", tablesOf(modern)],
] as const;

test.each(byRevision)("client and server send what revision %s defines", async (revision, tables) => {
  const server = everyFeature(serverRevisions);
  const pair = await createTestPair({ server, revisions: clientRevisions, revision, ...answers });
  await tour(pair.client);
  await pair.close();
  expect(pair.wire.session.length).toBeGreaterThan(20);
  expect(checkSends(pair.wire.session, tables)).toEqual([]);
});

const tables = tablesOf(structured);
const recorded = (from: Side, message: unknown): { from: Side; at: number; text: string } => ({
  from,
  at: 0,
  text: JSON.stringify(message),
});
const listTools = recorded("client", { jsonrpc: "2.0", id: 1, method: "tools/list" });

test.each([
  [
    [recorded("client", { jsonrpc: "2.0", id: 1, method: "prompts/get", params: {} })],
    ["client", "prompts/get", "not a GetPromptRequest: params.name: expected string, got nothing"],
  ],
  [
    [recorded("server", { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } })],
    [
      "server",
      "notifications/progress",
      expect.stringContaining("not a ProgressNotification: params.progressToken: "),
    ],
  ],
  [
    [listTools, recorded("server", { jsonrpc: "2.0", id: 1, result: { tools: [{}] } })],
    ["server", "tools/list", "not a ListToolsResult: tools[0].name: expected string, got nothing"],
  ],
  [
    [recorded("client", { jsonrpc: "2.0", id: 1, method: "server/discover" })],
    ["client", "server/discover", "no client sends server/discover at this revision"],
  ],
  [
    [recorded("client", [{ jsonrpc: "2.0", id: 1, method: "tools/call" }])],
    ["client", "tools/call", "not a CallToolRequest: params: expected object, got nothing"],
  ],
])("the session %j has an issue", (session, issue) => {
  const issues = checkSends(session, tables);
  expect(issues.map(({ from, method, message }) => [from, method, message])).toEqual([issue]);
});

test("errors and answers to unknown requests are not judged", () => {
  const error = { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no" } };
  const stray = { jsonrpc: "2.0", id: 7, result: { tools: 1 } };
  expect(checkSends([listTools, recorded("server", error), recorded("server", stray)], tables)).toEqual([]);
});

test("a server that relies on the tolerance of clients is found", async () => {
  const options = { revisions: serverRevisions, validation: { send: "off" } } as const;
  const server = createServer({ name: "s", version: "1" }, options);
  server.tool("t", {}, () => ({ content: [{ type: "text", text: "a", annotations: { priority: 7 } }] }));
  const revision = "2025-06-18";
  const pair = await createTestPair({ server, revisions: clientRevisions, revision });
  await pair.client.callTool("t").catch(() => {});
  await pair.close();
  expect(checkSends(pair.wire.session, tables).map(({ method }) => method)).toEqual(["tools/call"]);
});
