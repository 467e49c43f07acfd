import { getTask, tasks as ofClient } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as ofServer } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { memoryTaskStore, tasks } from "@mcpgen/tasks";
import { tasks as clientTasks } from "@mcpgen/tasks/client";
import { expect, test } from "vitest";
import { call, clientOf, deferred, serverOf, settled, text } from "./served.js";

// Mistakes of a program: the task ends with the reason.

const optional = { support: "optional" } as const;

test.each([
  ["a circle", (self: { self?: object } = {}) => (self.self = self)],
  ["a bigint", () => ({ amount: 1n })],
])("a result with %s makes its task fail at once", async (_, made) => {
  const served = serverOf();
  const go = deferred();
  served.server.tool("odd", { task: optional }, async (_args, { task }) => {
    task?.detach();
    await go.promise;
    return { content: [], structuredContent: made() as never };
  });
  const client = await clientOf(served);
  const task = await call(client, "odd");
  go.resolve();
  expect(await settled(client, task)).toMatchObject({ status: "failed", error: { code: -32603 } });
});

test("a progress message that is not a string is converted to a string", async () => {
  const served = serverOf();
  served.server.tool("odd", { task: optional }, (_, { task, progress }) => {
    progress(1, 2, 5 as never);
    task?.detach();
    return new Promise<never>(() => {});
  });
  const client = await clientOf(served);
  const task = await call(client, "odd");
  await served.clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({ status: "working", statusMessage: "5" });
});

test("an empty list of keys is refused: ids would not outlive the process", () => {
  expect(() => serverOf({ store: memoryTaskStore(), keys: [] })).toThrow(
    /tasks: keys: expected secrets of at least 16 characters/,
  );
});

test("a key that is too short is refused, and the error does not show it", () => {
  const made = (): unknown => serverOf({ store: memoryTaskStore(), keys: ["hunter2"] });
  expect(made).toThrow(/tasks: keys: expected secrets of at least 16 characters/);
  expect(made).not.toThrow(/hunter2/);
});

test("after close, calls are answered inline: no process would run their tasks on", async () => {
  const served = serverOf();
  served.server.tool("slow", { task: optional }, async (_, { task }) => {
    task?.detach();
    await Promise.resolve();
    return "done";
  });
  const client = await clientOf(served);
  await served.engine.close();
  expect(await call(client, "slow")).toMatchObject({ content: text("done") });
});

test.each([
  ["a server", "none", () => tasks(undefined as never)],
  ["a server", "that of a client", () => tasks(ofClient as never)],
  ["a client", "none", () => clientTasks(undefined as never)],
  ["a client", "that of a server", () => clientTasks(ofServer as never)],
])("tasks() of %s refuses another extension: %s", (side, _, made) => {
  expect(made).toThrow(
    expect.objectContaining({
      code: "invalid-definition",
      message: expect.stringContaining(`expected the extension of ${side}`) as unknown,
    }) as Error,
  );
});
