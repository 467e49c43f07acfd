import { experimentalTasks as clientDialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/client";
import { experimentalTasks as serverDialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type ConnectOptions, McpError, connect, createServer } from "@mcpgen/runtime";
import { VirtualClock, createTestPair } from "@mcpgen/testing";
import { tasks as serverTasks } from "@mcpgen/tasks";
import { TaskHandle, tasks } from "@mcpgen/tasks/client";
import { experimentalTasks as serving } from "@mcpgen/tasks/experimental";
import { experimentalTasks } from "@mcpgen/tasks/experimental-client";
import { expect, onTestFinished, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { type Script, ScriptedServer, during } from "./scripted.js";

// Tasks at servers of 2025-06-18 and before: an experimental dialect.

const text = (value: string) => [{ type: "text", text: value }];

/** A client with the dialect. */
function withDialect() {
  const own = tasks(clientExtension);
  return { own, extensions: [own, experimentalTasks(clientDialect, own)] };
}

async function connected(revision: string, more: Partial<ConnectOptions> = {}) {
  const own = serverTasks(serverExtension, { pollMs: 5 });
  onTestFinished(() => own.close());
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, extensions: [own, serving(serverDialect, own)], onEvent: () => true },
  );
  const task = { support: "required" } as const;
  server.tool("plain", {}, () => "plain");
  server.tool("must", { task }, () => "done");
  server.tool("odd", { task }, () => ({ content: [{ type: "text", text: "odd" }], isError: true }));
  server.tool("broken", { task }, () => {
    throw new McpError("invalid-params", "no such report", { rpcCode: -32602 });
  });
  server.tool("asks", { task }, async (_, { ask }) => {
    const requestedSchema = { type: "object", properties: {} } as const;
    return (await ask.elicit("name", { message: "?", requestedSchema })).action;
  });
  server.tool("waits", { task }, (_, { signal }) => {
    return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("late")));
  });
  const client = withDialect();
  const pair = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    extensions: client.extensions,
    onEvent: () => true,
    ...more,
  });
  onTestFinished(() => pair.close());
  return { client: pair.client, own: client.own, wire: pair.wire };
}

test.each(["2024-11-05", "2025-03-26", "2025-06-18"])("calls run as tasks at %s", async (revision) => {
  const elicit = revision === "2025-06-18" ? { elicit: () => ({ action: "decline" }) as const } : {};
  const { client, own, wire } = await connected(revision, elicit);
  expect((await client.callTool("must")).content).toEqual(text("done"));
  expect(await client.callTool("odd")).toMatchObject({ content: text("odd"), isError: true });
  expect(await failureOf(client.callTool("broken"))).toMatchObject({ message: "no such report" });
  if (revision === "2025-06-18") expect((await client.callTool("asks")).content).toEqual(text("decline"));
  // A tool without tasks is called plainly, and the client checks it only once.
  for (let count = 0; count < 2; count++)
    expect((await client.callTool("plain")).content).toEqual(text("plain"));
  const sent = wire.messages("client").flatMap((message) => ("method" in message ? [message.method] : []));
  expect(sent.filter((method) => method === "tools/call")).toHaveLength(2);
  expect(sent.filter((method) => method === "tasks/create").length).toBe(revision === "2025-06-18" ? 5 : 4);

  const handle = (await own.start("waits")) as TaskHandle;
  expect(await handle.status()).toMatchObject({ taskId: handle.id, status: "working", ttlMs: null });
  await handle.cancel();
  expect(await failureOf(handle.result())).toMatchObject({ code: "cancelled" });
  const again = own.resume(handle.toJSON());
  expect(await again.status()).toMatchObject({ status: "cancelled" });
});

test("the dialect changes nothing at later revisions, or where the server lacks it", async () => {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const { client, wire } = await connected(revision);
    expect((await client.callTool("must")).content).toEqual(text("done"));
    const sent = wire.messages("client").flatMap((message) => ("method" in message ? [message.method] : []));
    expect(sent).not.toContain("tasks/create");
  }
  const server = new ScriptedServer("2025-06-18", {}, { "tools/call": () => ({ content: text("plain") }) });
  const { client } = await scripted(server);
  expect((await client.callTool("must")).content).toEqual(text("plain"));
  expect(server.methods).toEqual(["tools/call"]);
});

async function scripted(server: ScriptedServer) {
  const clock = new VirtualClock();
  const { own, extensions } = withDialect();
  const options = { revisions: clientRevisions, revision: server.revision, extensions, clock };
  const client = await connect(server.channel, { ...options, onEvent: () => true });
  onTestFinished(() => client.close());
  return { client, own, clock };
}

const createdAt = "2026-01-01T00:00:00Z";

function announcing(scripts: Record<string, Script>): ScriptedServer {
  return new ScriptedServer(
    "2025-06-18",
    { experimental: { tasks: {} } },
    {
      "tasks/create": () => ({ taskId: "one", status: "pending", createdAt }),
      ...scripts,
    },
  );
}

test("a result may be only in the notification", async () => {
  const server: ScriptedServer = announcing({
    "tasks/get": (_, count) => {
      if (count === 3)
        server.notify("notifications/tasks/completed", {
          taskId: "one",
          status: "completed",
          result: { content: text("announced") },
        });
      return { taskId: "one", status: count < 3 ? "paused" : "completed", createdAt, currentStep: "step" };
    },
  });
  const { own, clock } = await scripted(server);
  const handle = (await own.start("report")) as TaskHandle;
  expect(handle).toBeInstanceOf(TaskHandle);
  // A state that the dialect does not define does not end the task.
  expect(await handle.status()).toMatchObject({ status: "working", statusMessage: "step" });
  expect(await during(clock, handle.result())).toMatchObject({ content: text("announced") });
});

test("the end of a task without a result is an error", async () => {
  const silent = announcing({ "tasks/get": () => ({ taskId: "one", status: "completed", createdAt }) });
  const one = await scripted(silent);
  expect(await during(one.clock, failureOf(one.client.callTool("x")))).toMatchObject({
    code: "timeout",
  });
  const failed = announcing({ "tasks/get": () => ({ taskId: "one", status: "failed", createdAt }) });
  const other = await scripted(failed);
  expect(await during(other.clock, failureOf(other.client.callTool("x")))).toMatchObject({
    code: "remote-error",
    message: "the task failed",
  });
  const wrong = announcing({
    "tasks/create": () => ({ error: { code: -32005, message: "wrong arguments" } }),
  });
  expect(await failureOf((await scripted(wrong)).client.callTool("x"))).toMatchObject({ rpcCode: -32005 });
});
