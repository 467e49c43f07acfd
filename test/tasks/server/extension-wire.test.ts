import { McpError } from "@mcpgen/runtime";
import { type TasksOptions, memoryTaskStore } from "@mcpgen/tasks";
import { describe, expect, test } from "vitest";
import { until } from "../../support/until.mjs";
import { deferred, serverOf, text } from "./served.js";
import { type Json, type Message, type Peer, newest, transports, wired } from "./wire.js";

// The rules of the tasks extension (2026-07-28, io.modelcontextprotocol/tasks) for servers, over both transports.
// test/tasks/rules.test.ts lists them.

const optional = { task: { support: "optional", inlineMs: 0 } } as const;
const keys = ["a secret of sixteen characters"];
const plain = { elicitation: {} } as const;
const form = (message: string) =>
  ({ message, requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } }) as const;
const accepted = { action: "accept", content: { ok: true } } as const;

describe.each(transports)("over %s", (transport) => {
  async function opened(options: TasksOptions = {}) {
    const served = serverOf(options);
    const { server } = served;
    const gate = deferred<unknown>();
    server.tool("may", optional, async (_, { task }) => {
      task?.detach();
      return (await gate.promise) as string;
    });
    let runs = 0;
    server.tool("must", { task: { support: "required" } }, (_, { task }) => {
      runs++;
      task?.detach();
      return "done";
    });
    server.tool("asks", optional, async (_, { ask, task }) => {
      const first = await ask.elicit("first", form("before"));
      task?.detach();
      const { one, two } = await ask.all({
        one: { method: "elicitation/create", params: { mode: "form", ...form("one") } },
        two: { method: "elicitation/create", params: { mode: "form", ...form("two") } },
      });
      const last = await ask.elicit("last", form("last"));
      return [first, one, two, last].map(({ action }) => action).join(" ");
    });
    const open = await wired(server, transport);
    const peer = await open({ revision: newest });
    return { ...served, gate, open, peer, runs: () => runs };
  }

  const errorOf = async (peer: Peer, method: string, params: object): Promise<Message["error"]> =>
    (await peer.request(method, { ...params })).error;

  test("E01: only a call whose request declares the extension becomes a task; earlier requests do not count", async () => {
    const { peer, gate } = await opened();
    expect((await peer.call("may")).result.resultType).toBe("task");
    const undeclared = peer.request("tools/call", { name: "may", arguments: {} }, plain);
    gate.resolve("inline");
    expect((await undeclared).result).toMatchObject({ resultType: "complete", content: text("inline") });
  });

  test("E02: a client without the extension gets -32021 for requests that need tasks, before ids and arguments are checked", async () => {
    const { peer, runs } = await opened();
    const refusal = {
      code: -32021,
      data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
    };
    for (const [method, params] of [
      ["tools/call", { name: "must", arguments: { unknown: 7 } }],
      ["tasks/get", { taskId: "x" }],
      ["tasks/update", { taskId: "x", inputResponses: {} }],
      ["tasks/cancel", { taskId: "x" }],
      ["subscriptions/listen", { notifications: { taskIds: ["x"] } }],
    ] as const)
      expect((await peer.request(method, params, plain)).error).toMatchObject(refusal);
    expect(runs()).toBe(0);
  });

  test("E03: resultType is task for the call that made the task, and complete for all that follows", async () => {
    const { peer } = await opened();
    const task = await peer.start("may");
    expect(task).toMatchObject({ resultType: "task", status: "working" });
    for (const [method, params] of [
      ["tasks/get", {}],
      ["tasks/update", { inputResponses: {} }],
      ["tasks/cancel", {}],
    ] as const) {
      const { result } = await peer.request(method, { taskId: task.taskId, ...params });
      expect(result.resultType).toBe("complete");
    }
  });

  test("E04, E05, E06, E08: rounds first, then a task; keys are used once; answers may come in parts", async () => {
    const { peer } = await opened();
    const round = (await peer.call("asks")).result;
    expect(round).toMatchObject({ resultType: "input_required", inputRequests: { first: {} } });
    const { requestState } = round as { readonly requestState?: string };
    const task = await peer.start(
      "asks",
      {},
      {},
      {
        inputResponses: { first: accepted },
        ...(requestState !== undefined && { requestState }),
      },
    );
    expect(task).toMatchObject({ resultType: "task" });
    const { taskId } = task as { readonly taskId: string };
    const keysSeen: string[][] = [];
    const outstanding = async (): Promise<string[]> => {
      const { inputRequests } = await peer.reached(taskId, "input_required");
      keysSeen.push(Object.keys(inputRequests as object));
      return keysSeen.at(-1)!;
    };
    const update = async (inputResponses: object): Promise<Json> =>
      (await peer.request("tasks/update", { taskId, inputResponses })).result;
    expect(await outstanding()).toEqual(["one", "two"]);
    // Answers to questions that are not open are ignored, but acknowledged.
    const acknowledged = await update({ "unknown-key": { ignored: true }, first: accepted, two: accepted });
    expect(Object.keys(acknowledged as object).filter((key) => key !== "_meta")).toEqual(["resultType"]);
    expect(await outstanding()).toEqual(["one"]);
    await update({ two: { action: "cancel" } });
    expect(await outstanding()).toEqual(["one"]);
    await update({ one: { action: "decline" } });
    await until("the last question", async () => (await outstanding())[0] === "last");
    await update({ last: accepted });
    expect(await peer.reached(taskId, "completed")).toMatchObject({
      result: { resultType: "complete", content: text("accept decline accept accept") },
    });
    expect(await errorOf(peer, "tasks/update", { taskId: "x", inputResponses: {} })).toMatchObject({
      code: -32602,
    });
  });

  test("E05, E10: a task that has failed has its error and a message; one that completed has its result, also with isError", async () => {
    const { server, peer } = await opened();
    server.tool("broken", optional, async (_, { task }) => {
      task?.detach();
      await Promise.resolve();
      throw new McpError("invalid-params", "no such report", { rpcCode: -32602, data: { report: 7 } });
    });
    server.tool("odd", optional, (_, { task }) => {
      task?.detach();
      return { content: text("odd") as never, isError: true };
    });
    const [broken, odd] = [await peer.start("broken"), await peer.start("odd")];
    expect(await peer.reached(broken.taskId, "failed")).toMatchObject({
      statusMessage: "no such report",
      error: { code: -32602, message: "no such report", data: { report: 7 } },
    });
    expect(await peer.reached(odd.taskId, "completed")).toMatchObject({ result: { isError: true } });
    expect(await errorOf(peer, "tasks/get", { taskId: "x" })).toMatchObject({ code: -32602 });
  });

  test("E09: tasks/cancel is acknowledged, twice as well; the end of its request does not cancel a task", async () => {
    const { peer } = await opened();
    const { taskId } = await peer.start("may");
    for (let requestId = 0; requestId < 5; requestId++)
      await peer.notify({ method: "notifications/cancelled", params: { requestId, ...metaOf(peer) } });
    expect(await peer.task(taskId)).toMatchObject({ status: "working" });
    for (let time = 0; time < 2; time++) {
      const { result } = await peer.request("tasks/cancel", { taskId });
      expect(result).not.toHaveProperty("status");
      expect(await peer.task(taskId)).toMatchObject({ status: "cancelled" });
    }
    expect(await errorOf(peer, "tasks/cancel", { taskId: "x" })).toMatchObject({ code: -32602 });
  });

  test("E11: a task names its interval, and its ttl never ends before it: it grows while the task runs", async () => {
    const { peer, clock, gate } = await opened({ keepMs: 5000, pollMs: 500 });
    const { taskId } = await peer.start("may");
    await clock.advance(60_000);
    const running = await peer.task(taskId);
    expect(running).toMatchObject({ status: "working", pollIntervalMs: 500, ttlMs: 65_000 });
    gate.resolve("done");
    await peer.reached(taskId, "completed");
    await clock.advance(4900);
    expect(await peer.task(taskId)).toMatchObject({ status: "completed", ttlMs: 65_000 });
    await clock.advance(2000);
    expect(await errorOf(peer, "tasks/get", { taskId })).toMatchObject({ code: -32602 });
  });

  test("E11: a client that polls too often is refused for a while", async () => {
    const { peer } = await opened({ limits: { work: 1 } });
    const { taskId } = await peer.start("may");
    const answers = [];
    for (let poll = 0; poll < 62; poll++) answers.push(await peer.request("tasks/get", { taskId }));
    expect(answers.map(({ error }) => error?.code)).toEqual([
      ...Array<undefined>(61).fill(undefined),
      -31429,
    ]);
    expect(answers[61]!.status).toBe(transport === "HTTP" ? 429 : undefined);
  });

  test("E12: each request for a task is authorised, by the principal alone", async () => {
    const { peer, open } = await opened();
    const { taskId } = await peer.start("may");
    const [bob, again] = [
      await open({ revision: newest, principal: "bob" }),
      await open({ revision: newest }),
    ];
    for (const [method, more] of [
      ["tasks/get", {}],
      ["tasks/update", { inputResponses: {} }],
      ["tasks/cancel", {}],
    ] as const) {
      const error = await errorOf(bob, method, { taskId, ...more });
      expect(error).toMatchObject({ code: -32602 });
      expect(await errorOf(bob, method, { taskId: "x", ...more })).toEqual(error);
    }
    expect(await again.task(taskId)).toMatchObject({ status: "working" });
  });

  test("E13: at 2025-11-25 the extension gives no tasks, and at 2026-07-28 the capability of 2025-11-25 does not", async () => {
    const { peer, open, gate } = await opened();
    expect(peer.opened.result.capabilities).toMatchObject({
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
    expect(peer.opened.result.capabilities).not.toHaveProperty("tasks");
    const legacy = await open({ capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } });
    const { taskId } = await legacy.start("may");
    const inline = legacy.call("may");
    const capabilities = { tasks: { requests: {} } };
    const other = peer.request("tools/call", { name: "may", arguments: {} }, capabilities);
    gate.resolve("inline");
    expect((await inline).result).toEqual({ content: text("inline") });
    expect((await other).result).toMatchObject({ resultType: "complete", content: text("inline") });
    // A task that was made at one revision is there at the other.
    expect(await peer.reached(taskId, "completed")).toMatchObject({ result: { content: text("inline") } });
    expect((await peer.request("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  });

  test("E15: a task is stored before its call is answered, for all processes", async () => {
    const memory = memoryTaskStore();
    const [asked, stored] = [deferred(), deferred()];
    const create = async (...args: Parameters<typeof memory.create>): Promise<void> => {
      asked.resolve();
      await stored.promise;
      await memory.create(...args);
    };
    const { peer } = await opened({ store: { ...memory, create }, keys });
    const other = await (
      await wired(serverOf({ store: memory, keys }).server, transport)
    )({ revision: newest });
    let isAnswered = false;
    const starting = peer.start("may").then((task) => {
      isAnswered = true;
      return task as Json;
    });
    await asked.promise;
    await peer.request("server/discover");
    expect(isAnswered).toBe(false);
    stored.resolve();
    const { taskId } = await starting;
    expect(await other.task(taskId)).toMatchObject({ taskId, status: "working" });
  });

  test("task methods that only 2025-11-25 has are unknown methods; params.task is ignored", async () => {
    const { peer, gate } = await opened();
    for (const method of ["tasks/result", "tasks/list"])
      expect(await errorOf(peer, method, { taskId: "x" })).toMatchObject({ code: -32601 });
    gate.resolve("done");
    expect((await peer.call("may", {}, { ttl: 5 })).result).toMatchObject({
      resultType: "task",
      ttlMs: 3_600_000,
    });
  });
});

/** The description of the sender in each message of 2026-07-28. */
function metaOf({ capabilities }: Peer): object {
  const prefix = "io.modelcontextprotocol/";
  return {
    _meta: {
      [`${prefix}protocolVersion`]: newest,
      [`${prefix}clientInfo`]: { name: "raw", version: "1" },
      [`${prefix}clientCapabilities`]: capabilities,
    },
  };
}
