import { experimentalTasks as dialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import type { ConnectOptions } from "@mcpgen/runtime";
import { experimentalTasks } from "@mcpgen/tasks/experimental";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { clientOf, deferred, serverOf, text } from "./served.js";
import { RawClient } from "./raw.js";

// The option `fallback: "tools"`: clients of revisions without tasks start, look at, and fetch tasks by tools.

const names = ["task_status", "task_result", "task_cancel"];
const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;

interface Called {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

async function opened(
  revision: string,
  options: Parameters<typeof serverOf>[0] = {},
  more: Partial<ConnectOptions> = {},
) {
  const served = serverOf({ fallback: "tools", ...options }, {}, undefined, (own) => [
    experimentalTasks(dialect, own),
  ]);
  const { server, clock } = served;
  const gate = deferred<string>();
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  server.tool("plain", { outputSchema }, () => ({ structuredContent: { n: 1 } }));
  const task = { support: "optional", inlineMs: 1000, immediate: "It takes a while." } as const;
  server.tool("slow", { outputSchema, task }, async (_, { progress }) => {
    progress(1, 2, "half");
    return { structuredContent: { n: (await gate.promise).length } };
  });
  server.tool("must", { task: { support: "required" } }, async (_, own) => {
    own.task?.detach();
    return gate.promise;
  });
  server.tool("asks", { task: { support: "optional" } }, async (_, { task: own, ask }) => {
    own?.detach();
    const answer = await ask.elicit("name", form);
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  const client = await clientOf(served, { revision, extensions: [], ...more });
  const call = async (name: string, args: object = {}): Promise<Called> =>
    (await client.callTool(name, args)) as object as Called;
  const textOf = async (name: string, args: object = {}): Promise<string> =>
    (await call(name, args)).content[0]!.text;
  /** Calls a tool that becomes a task. */
  const start = async (name: string): Promise<{ readonly taskId: string; readonly answer: Called }> => {
    const answering = call(name);
    for (const state = { isOver: false }; !state.isOver; await clock.advance(500))
      answering.finally(() => (state.isOver = true)).catch(() => undefined);
    const answer = await answering;
    const taskId = /as task (\S+)\. /.exec(answer.content[0]!.text)?.[1] ?? "";
    return { taskId, answer };
  };
  return { ...served, client, gate, call, textOf, start };
}

const olderRevisions = ["2024-11-05", "2025-03-26", "2025-06-18"];

test.each(olderRevisions)(
  "at %s a call that takes long is answered with an id, and fetched",
  async (revision) => {
    const { client, clock, gate, call, textOf, start } = await opened(revision);
    const { items: tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["plain", "slow", "must", "asks", ...names]);
    const withOutput = tools.filter((tool) => "outputSchema" in tool).map(({ name }) => name);
    expect(withOutput).toEqual(["plain"]);

    const { taskId, answer } = await start("slow");
    expect(answer.isError).toBeUndefined();
    expect(answer.content[0]!.text).toBe(
      `It takes a while.\nThe call goes on as task ${taskId}. ` +
        `Call task_result with {"taskId":"${taskId}"} for its result; task_status shows its state, task_cancel ends it.`,
    );
    expect(await textOf("task_status", { taskId })).toBe(`Task ${taskId} still runs: half`);
    const waiting = textOf("task_result", { taskId });
    await clock.advance(25_000);
    expect(await waiting).toBe(`Task ${taskId} still runs: half. Call task_result again.`);
    const fetching = call("task_result", { taskId });
    gate.resolve("done");
    const { content, structuredContent } = await fetching;
    expect(content).toEqual(text('{"n":4}'));
    expect(structuredContent).toEqual({ n: 4 });
    expect(await textOf("task_status", { taskId })).toBe(
      `Task ${taskId} has completed: task_result has its result`,
    );
    // It has ended: a cancellation changes nothing, and its result stays.
    expect(await textOf("task_cancel", { taskId })).toBe(
      `Task ${taskId} has completed: task_result has its result`,
    );
    expect((await call("task_result", { taskId })).content).toEqual(content);
    // A call that ends in time is a call like any other.
    expect((await call("slow")).content).toEqual(text('{"n":4}'));
  },
);

test("a tool that requires tasks can be called, cancelled, and asks while task_result waits", async () => {
  const { clock, call, textOf, start } = await opened(
    "2025-06-18",
    {},
    { elicit: () => ({ action: "accept", content: { name: "Ada" } }) },
  );
  const { taskId } = await start("must");
  expect(await textOf("task_cancel", { taskId })).toBe(`Task ${taskId} was cancelled`);
  expect(await textOf("task_status", { taskId })).toBe(`Task ${taskId} was cancelled`);
  expect(await call("task_result", { taskId })).toMatchObject({
    content: text(`Task ${taskId} was cancelled`),
    isError: true,
  });
  const asking = await start("asks");
  await clock.advance(1);
  expect(await textOf("task_status", { taskId: asking.taskId })).toBe(
    `Task ${asking.taskId} waits for input, which task_result asks for`,
  );
  expect(await textOf("task_result", { taskId: asking.taskId })).toBe("Hello, Ada");
});

test("a task that failed gives the error of the call", async () => {
  const { server, start, client } = await opened("2025-03-26");
  const { McpError } = await import("@mcpgen/runtime");
  server.tool("broken", { task: { support: "required" } }, (_, own) => {
    own.task?.detach();
    throw new McpError("invalid-params", "no such report", { rpcCode: -32602, data: { report: 7 } });
  });
  const { taskId } = await start("broken");
  expect(await failureOf(client.callTool("task_result", { taskId }))).toMatchObject({
    message: "tools/call: no such report",
    rpcCode: -32602,
    data: { report: 7 },
  });
});

test("ids of other clients and unknown ids get the same answer, as a text for the model", async () => {
  const { server, call, start } = await opened("2025-06-18");
  const { taskId } = await start("must");
  const bob = new RawClient(server, "bob");
  await bob.open({}, "2025-06-18");
  for (const name of names) {
    const foreign = await bob.request("tools/call", { name, arguments: { taskId } });
    const unknown = await call(name, { taskId: "x" });
    expect(foreign.result).toMatchObject({ content: text("there is no such task"), isError: true });
    expect(unknown).toMatchObject({ content: text("there is no such task"), isError: true });
    for (const args of [{}, { taskId: 7 }, { taskId: "" }])
      expect(await call(name, args)).toMatchObject({
        content: text("taskId: expected the id of a task"),
        isError: true,
      });
  }
});

test("polls that come too early are refused in words", async () => {
  const { textOf, start } = await opened("2025-06-18", { limits: { work: 1 } });
  const { taskId } = await start("must");
  for (let poll = 0; poll <= 60; poll++) await textOf("task_status", { taskId });
  expect(await textOf("task_status", { taskId })).toMatch(/^the next poll of the task is allowed in \d+ ms$/);
});

test("no tools for clients with tasks, with the dialect, of later revisions, or without the option", async () => {
  const { server, gate } = await opened("2025-06-18");
  const without = await opened("2025-06-18", { fallback: undefined as never });
  const toolsOf = async (target: typeof server, revision: string, capabilities: object = {}) => {
    const client = new RawClient(target, "ann");
    await client.open(capabilities, revision);
    const { result } = await client.request("tools/list");
    const { error } = await client.request("tools/call", { name: "task_status", arguments: { taskId: "x" } });
    return { listed: result.tools.filter(({ name }) => names.includes(name)).length, code: error?.code };
  };
  gate.resolve("");
  expect(await toolsOf(server, "2025-06-18")).toEqual({ listed: 3, code: undefined });
  expect(await toolsOf(server, "2025-11-25")).toEqual({ listed: 0, code: -32602 });
  expect(await toolsOf(server, "2025-06-18", { experimental: { tasks: {} } })).toEqual({
    listed: 0,
    code: -32602,
  });
  expect(await toolsOf(without.server, "2025-06-18")).toEqual({ listed: 0, code: -32602 });
  expect(() => serverOf({ fallback: "tool" as never })).toThrow(/fallback/);
});

test("a server that has a tool of such a name keeps it, and reports that there is no fallback", async () => {
  const { server, client, errors, call } = await opened("2025-06-18");
  server.tool("task_status", {}, () => "my own");
  expect((await call("task_status", { taskId: "x" })).content).toEqual(text("my own"));
  const { items: tools } = await client.listTools();
  expect(tools.filter(({ name }) => names.includes(name))).toHaveLength(1);
  expect(errors).toMatchObject([{ code: "invalid-definition" }]);
  expect((await call("must")).isError).toBe(true);
});
