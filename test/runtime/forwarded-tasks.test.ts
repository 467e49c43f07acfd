// Tasks of the core protocol (2025-11-25) through generic requests and handlers, as a gateway passes them on.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import {
  type Client,
  type CodeFirstServer,
  type ConnectOptions,
  createServer,
  McpError,
} from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { tasks } from "@mcpgen/tasks";
import { expect, onTestFinished, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { serve } from "../support/http-adapters.js";
import { Party } from "../support/raw-http-client.js";
import { type Members, connected } from "../support/scripted-stdio-server.js";
import { until } from "../support/until.mjs";

const revision = "2025-11-25";
const info = { name: "s", version: "1" };
const created = {
  taskId: "t",
  status: "working",
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttl: 5,
};

/** Capabilities of servers with core tasks. */
const declared = {
  tools: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

async function clientOf(server: CodeFirstServer, options: Partial<ConnectOptions> = {}): Promise<Client> {
  const { client, close } = await createTestPair({ server, info, revision, ...options });
  onTestFinished(close);
  return client;
}

/** A server whose tools run as tasks: one waits, and one fails. */
function working() {
  const engine = tasks(tasksExtension, { list: true });
  const server = createServer(info, {
    revisions: serverRevisions,
    extensions: [engine],
    onEvent: () => true,
  });
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  server.tool("waits", { task: { support: "optional" } }, async () => {
    await released;
    return "done";
  });
  server.tool("fails", { task: { support: "optional" } }, () => {
    throw new McpError("invalid-params", "wrong", { rpcCode: -1234, data: [1] });
  });
  onTestFinished(() => engine.close());
  return { server, release };
}

/** A gateway in front of a client: it has no code for tasks, and passes on what comes. */
function gateway(back: Client): CodeFirstServer {
  const server = createServer(info, {
    revisions: serverRevisions,
    capabilities: declared,
    onEvent: () => true,
  });
  const forward = (params: object, { method, signal }: { method: string; signal: unknown }) =>
    back.request<Members>(method, params, { signal } as object);
  for (const method of ["tools/call", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel"])
    server.handle(method as string, forward as never);
  back.on("notifications/tasks/status", (params) => server.notify("notifications/tasks/status", params));
  return server;
}

test("a gateway passes on a task, its state, its result, its list and its end", async () => {
  const { server, release } = working();
  const client = await clientOf(gateway(await clientOf(server)));
  const statuses: unknown[] = [];
  client.on("notifications/tasks/status", ({ status }) => statuses.push(status));
  const call = (name: string) =>
    client.request<{ task: Members }>("tools/call", { name, arguments: {}, task: { ttl: 60_000 } });
  const { task } = await call("waits");
  expect(task).toMatchObject({ status: "working", ttl: expect.any(Number) as number });
  const { taskId } = task;
  expect(await client.request("tasks/get", { taskId })).toMatchObject({ taskId, status: "working" });
  const result = client.request<Members>("tasks/result", { taskId });
  release();
  expect(await result).toMatchObject({ content: [{ text: "done" }] });
  expect(await client.request("tasks/get", { taskId })).toMatchObject({ taskId, status: "completed" });
  await until("the end is reported", () => statuses.includes("completed"));
  expect((await failureOf(client.request("tasks/cancel", { taskId }))) as McpError).toMatchObject({
    remote: { code: -32602 },
  });
  const failed = (await call("fails")).task["taskId"];
  expect(await failureOf(client.request("tasks/result", { taskId: failed }))).toMatchObject({
    remote: { code: -1234, message: "wrong", data: [1] },
  });
  const { tasks: listed } = await client.request<{ tasks: Members[] }>("tasks/list");
  expect(listed.map((each) => each["taskId"]).toSorted()).toEqual([taskId, failed].toSorted());
});

test("a task is cancelled through a gateway", async () => {
  const client = await clientOf(gateway(await clientOf(working().server)));
  const params = { name: "waits", arguments: {}, task: {} };
  const { task } = await client.request<{ task: Members }>("tools/call", params);
  const { taskId } = task;
  expect(await client.request("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
});

test("a request for a task is not cancelled by a notification, unless the server has no tasks", async () => {
  for (const capabilities of [declared, { tools: {} }]) {
    let answer!: (reply: { result: Members }) => void;
    const { client, peer } = await connected(revision, {
      initialize: () => ({ result: { protocolVersion: revision, capabilities, serverInfo: info } }),
      "tools/call": () => new Promise((resolve) => (answer = resolve)),
    });
    const stop = new AbortController();
    const params = { name: "x", arguments: {}, task: {} };
    const call = client.request<Members>("tools/call", params, { signal: stop.signal });
    await peer.until("tools/call");
    stop.abort();
    answer({ result: { task: created } });
    if (capabilities === declared) expect(await call).toEqual({ task: created });
    else expect(await failureOf(call)).toMatchObject({ code: "cancelled" });
    // What was sent before comes before this.
    await client.ping();
    expect(peer.of("notifications/cancelled")).toHaveLength(capabilities === declared ? 0 : 1);
  }
});

test("over HTTP a handler answers with a task", async () => {
  const server = createServer(info, { revisions: serverRevisions, capabilities: declared });
  server.handle("tools/call" as string, (() => ({ task: created })) as never);
  const party = await new Party((await serve("node", server)).url, revision).open();
  const { result } = await party.request("tools/call", { name: "x", arguments: {}, task: {} });
  expect(result).toEqual({ task: created });
});

const content = [{ type: "text", text: "plain" }];

/** What a client asks for, what the server answers, and what the client gets. */
const answers: readonly (readonly [asked: Members, result: Members, got: Members | undefined])[] = [
  [{ task: {} }, { task: created }, { task: created }],
  [{ task: {} }, { task: { ...created, pollInterval: null } }, { task: created }],
  // A server may run the call at once.
  [{ task: {} }, { content }, { content }],
  [{}, { task: created }, undefined],
  [{ task: {} }, { task: 5 }, undefined],
  [{ task: {} }, { task: { ...created, status: "odd", taskId: 5 } }, undefined],
];

test.each(answers)("a request with %j that is answered with %j gives %j", async (asked, result, got) => {
  const { client } = await connected(revision, { "tools/call": () => ({ result }) });
  const answer = client.request<Members>("tools/call", { name: "x", arguments: {}, ...asked });
  if (got) expect(await answer).toMatchObject(got);
  else expect(await failureOf(answer)).toMatchObject({ code: "invalid-result" });
});

test.each(clientRevisions.map(({ id }) => id).filter((id) => id !== revision))(
  "at %s there is no task in place of a result",
  async (id) => {
    const { client } = await connected(id, { "tools/call": () => ({ result: { task: created } }) });
    const answer = client.request("tools/call", { name: "x", arguments: {}, task: {} } as object as never);
    expect(await failureOf(answer)).toMatchObject({ code: "invalid-result" });
  },
);
