import { createBridge } from "@mcpgen/bridge";
import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol";
import { type Client, createServer } from "@mcpgen/runtime";
import { tasks as serving } from "@mcpgen/tasks";
import { tasks } from "@mcpgen/tasks/client";
import { expect, onTestFinished, test } from "vitest";
import { type Wire, clientOf, eras, sourceOf } from "../../support/served.js";
import { until } from "../../support/until.mjs";

// A bridge has no code for tasks: the extension of 2026-07-28 and the tasks of 2025-11-25 pass as they are.

const text = (value: string) => ({ type: "text", text: value });

/** A client with tasks, of a server with them, directly or through a bridge. */
async function opened(
  revision: string,
  isBridged: boolean,
  options?: object,
  wire: Wire = "HTTP",
): Promise<Client> {
  const engine = serving(serverExtension, {});
  onTestFinished(() => engine.close());
  const speaks = [revision];
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: { known: serverRevisions, speaks }, extensions: [engine], onEvent: () => true },
  );
  server.tool("job", { task: { support: "required" } }, async (_, { ask }) => {
    const answer = await ask.elicit("name", {
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    });
    return answer.action === "accept" ? `Hello, ${String(answer.content["name"])}` : answer.action;
  });
  server.tool("fails", { task: { support: "required" } }, () => ({
    isError: true,
    content: [text("no")] as never,
  }));
  let end: () => void = () => {};
  const polled = new Promise<void>((resolve) => (end = resolve));
  server.use(({ method }, next) => {
    if (method === "tasks/get") end();
    return next();
  });
  server.tool("polled", { task: { support: "required" } }, () => polled.then(() => "done"));
  const source = await sourceOf(server, "HTTP");
  const bridge = isBridged ? await createBridge({ back: { source } }, { onEvent: () => true }) : server;
  if (isBridged) onTestFinished(() => bridge.close());
  return clientOf(bridge, wire, revision, {
    extensions: [tasks(clientExtension)],
    elicit: () => ({ action: "accept", content: { name: "Ann" } }),
    ...options,
  } as never);
}

test.each(eras)("a tool that runs as a task ends as without a bridge (%s)", async (revision) => {
  const outcomes: unknown[] = [];
  for (const isBridged of [false, true]) {
    const client = await opened(revision, isBridged);
    await client.listTools();
    const results = [
      await client.callTool("job"),
      await client.callTool("fails"),
      await client.callTool("polled"),
    ];
    outcomes.push(results.map(({ content, isError }) => [content, isError]));
  }
  expect(outcomes[0]).toEqual([
    [[text("Hello, Ann")], undefined],
    [[text("no")], true],
    [[text("done")], undefined],
  ]);
  expect(outcomes[1]).toEqual(outcomes[0]);
});

test("a result of a type that only client and server know passes as it is (2026-07-28)", async () => {
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  for (const isBridged of [false, true]) {
    const client = await opened(
      "2026-07-28",
      isBridged,
      { extensions: [], capabilities: { extensions } },
      "memory",
    );
    const call = { name: "polled", arguments: {} };
    const task = await client.request<{ taskId: string }>("tools/call" as string, call, {
      inputRequired: "return",
    });
    expect(task).toMatchObject({ resultType: "task", taskId: expect.any(String) });
    const { taskId } = task;
    await until("its end", async () => {
      const found = await client.request("tasks/get" as string, { taskId }, { result: {} });
      return (found as { status?: string }).status === "completed";
    });
  }
});
