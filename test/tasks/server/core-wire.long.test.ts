import { McpError } from "@mcpgen/runtime";
import type { TasksOptions } from "@mcpgen/tasks";
import { describe, expect, test, vi } from "vitest";
import { deferred, serverOf, text } from "./served.js";
import { type Json, type Message, type Peer, relatedKey, transports, wired } from "./wire.js";

// The rules of 2025-11-25, tasks, for a server that runs them, over both transports. test/tasks/rules.test.ts lists them.

const optional = { task: { support: "optional" } } as const;
const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(transports)("over %s", (transport) => {
  async function opened(options: TasksOptions = {}) {
    const served = serverOf(options);
    const { server } = served;
    const gate = deferred<unknown>();
    server.tool("plain", {}, () => "plain");
    server.tool("may", optional, async () => (await gate.promise) as string);
    server.tool("must", { task: { support: "required" } }, () => "done");
    server.tool("never", { task: { support: "forbidden" } }, () => "done");
    server.tool("asks", optional, async (_, { ask }) => {
      const answer = await ask.elicit("name", form);
      return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
    });
    const open = await wired(server, transport);
    return { ...served, gate, open, peer: await open() };
  }

  const errorOf = async (peer: Peer, method: string, params: object): Promise<Message["error"]> =>
    (await peer.request(method, { ...params })).error;

  test("C01: the server declares the calls that it runs as tasks, and nothing if it runs none", async () => {
    const { peer } = await opened();
    expect(peer.opened.result.capabilities.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    const bare = serverOf();
    bare.server.tool("plain", {}, () => "plain");
    const plain = await (await wired(bare.server, transport))();
    expect(plain.opened.result.capabilities).not.toHaveProperty("tasks");
  });

  test("C04: a call that does not fit the support of its tool gets -32601; an optional task may be left out", async () => {
    const { peer, gate } = await opened();
    for (const [name, task] of [
      ["plain", {}],
      ["never", {}],
      ["must", undefined],
    ] as const)
      expect((await peer.call(name, {}, task)).error).toMatchObject({ code: -32601 });
    gate.resolve("inline");
    expect((await peer.call("may")).result.content).toEqual(text("inline"));
    expect((await peer.start("must")).status).toBe("working");
  });

  test("C05: a server that does not declare tasks ignores params.task", async () => {
    const bare = serverOf();
    bare.server.tool("plain", {}, () => "plain");
    const peer = await (await wired(bare.server, transport))();
    expect((await peer.call("plain", {}, { ttl: 1000 })).result).toEqual({ content: text("plain") });
  });

  test("C05: whether a server declares tasks follows its tools, and calls do not look through them", async () => {
    const { server } = serverOf();
    server.tool("plain", {}, () => "plain");
    const peer = await (await wired(server, transport))();
    const called = async () => peer.call("plain", {}, {});
    expect((await called()).result.content).toEqual(text("plain"));
    const added = server.tool("may", optional, () => "done");
    const looks = vi.spyOn(server.features.tools.entries, "values");
    expect((await called()).error).toMatchObject({ code: -32601 });
    expect((await peer.start("may")).status).toBe("working");
    expect(looks).not.toHaveBeenCalled();
    added.remove();
    expect((await called()).result.content).toEqual(text("plain"));
  });

  test("C06, C07: a task is created before its handler ends, works, and has an id that no other has", async () => {
    const { peer } = await opened();
    const tasks = await Promise.all(Array.from({ length: 10 }, () => peer.start("may")));
    expect(tasks.map(({ status }) => status)).toEqual(Array(10).fill("working"));
    expect(new Set(tasks.map(({ taskId }) => taskId)).size).toBe(10);
    for (const { taskId } of tasks) expect(typeof taskId).toBe("string");
  });

  test("C08: a status follows the life cycle, and a final one does not change", async () => {
    const { peer, gate } = await opened();
    const [done, cancelled] = [await peer.start("may"), await peer.start("may")];
    await peer.request("tasks/cancel", { taskId: cancelled.taskId });
    gate.resolve("done");
    expect(await peer.reached(done.taskId, "completed")).toMatchObject({ status: "completed" });
    expect(await errorOf(peer, "tasks/cancel", { taskId: done.taskId })).toMatchObject({ code: -32602 });
    expect(await peer.task(done.taskId)).toMatchObject({ status: "completed" });
    expect(await peer.task(cancelled.taskId)).toMatchObject({ status: "cancelled" });
    const asking = await peer.start("asks");
    expect(await peer.reached(asking.taskId, "input_required")).toMatchObject({ status: "input_required" });
  });

  test("C09: each answer has times and the actual ttl, which the server bounds", async () => {
    const { peer, clock } = await opened({ keepMs: 60_000, pollMs: 250 });
    const created = await peer.start("may", {}, { ttl: 9e9 });
    expect(created).toMatchObject({ ttl: 60_000, pollInterval: 250 });
    await clock.advance(1000);
    const polled = await peer.task(created.taskId);
    const cancelled = (await peer.request("tasks/cancel", { taskId: created.taskId })).result;
    for (const task of [created, polled, cancelled])
      expect([task.createdAt, task.lastUpdatedAt]).toEqual([
        expect.stringMatching(isoTime),
        expect.stringMatching(isoTime),
      ]);
    expect(cancelled.ttl).toBe(61_000);
    await clock.advance(62_000);
    expect(await errorOf(peer, "tasks/get", { taskId: created.taskId })).toMatchObject({ code: -32602 });
  });

  test("C12: tasks/result waits for the end, and then returns the result of the call, each time", async () => {
    const { server, peer, gate } = await opened();
    const { taskId } = await peer.start("may");
    let isAnswered = false;
    const waiting = peer.request("tasks/result", { taskId }).then((answer) => {
      isAnswered = true;
      return answer.result;
    });
    await peer.request("ping");
    expect(isAnswered).toBe(false);
    gate.resolve({ content: text("the text"), structuredContent: { a: 1 } });
    const expected = {
      content: text("the text"),
      structuredContent: { a: 1 },
      _meta: { [relatedKey]: { taskId } },
    };
    expect(await waiting).toEqual(expected);
    expect((await peer.request("tasks/result", { taskId })).result).toEqual(expected);
    const error = { code: -32000, message: "no such report", data: { report: 7 } };
    server.tool("broken", optional, () => {
      throw new McpError("invalid-params", error.message, { rpcCode: error.code, data: error.data });
    });
    const broken = await peer.start("broken");
    expect(await errorOf(peer, "tasks/result", broken)).toEqual(error);
  });

  test("C13: a JSON-RPC error, and a result with isError, make the task failed, with a message", async () => {
    const { server, peer } = await opened();
    server.tool("broken", optional, () => {
      throw new McpError("invalid-params", "no such report", { rpcCode: -32602 });
    });
    server.tool("odd", optional, () => ({ content: text("odd") as never, isError: true }));
    for (const [name, statusMessage] of [
      ["broken", "no such report"],
      ["odd", "odd"],
    ] as const) {
      const { taskId } = await peer.start(name);
      expect(await peer.reached(taskId, "failed")).toMatchObject({ status: "failed", statusMessage });
    }
  });

  test("C14, C15: a task that needs input says so, asks with its id, and goes on", async () => {
    const { peer } = await opened();
    const asked: Message[] = [];
    peer.answer = (request) => {
      asked.push(request);
      return { result: { action: "accept", content: { name: "Ada" } } };
    };
    const { taskId } = await peer.start("asks");
    expect(await peer.reached(taskId, "input_required")).toMatchObject({ status: "input_required" });
    expect((await peer.request("tasks/result", { taskId })).result.content).toEqual(text("Hello, Ada"));
    expect(asked).toMatchObject([
      {
        method: "elicitation/create",
        params: { message: "Your name?", _meta: { [relatedKey]: { taskId } } },
      },
    ]);
    expect(await peer.task(taskId)).toMatchObject({ status: "completed" });
  });

  test("C16: the parameter names the task, whatever _meta says; answers have no related task, but tasks/result has", async () => {
    const { peer, gate } = await opened({ list: true });
    const [one, other] = [await peer.start("may"), await peer.start("may")];
    const _meta = { [relatedKey]: { taskId: other.taskId } };
    const got = await peer.request("tasks/get", { taskId: one.taskId, _meta });
    const cancelled = await peer.request("tasks/cancel", { taskId: one.taskId, _meta });
    const listed = await peer.request("tasks/list", { _meta });
    for (const { result } of [got, cancelled, listed]) expect(result._meta?.[relatedKey]).toBeUndefined();
    expect([got.result.taskId, cancelled.result.taskId]).toEqual([one.taskId, one.taskId]);
    gate.resolve("done");
    const { result } = await peer.request("tasks/result", {
      taskId: other.taskId,
      _meta: { [relatedKey]: { taskId: one.taskId } },
    });
    expect(result._meta).toEqual({ [relatedKey]: { taskId: other.taskId } });
    expect(await peer.task(other.taskId)).toMatchObject({ status: "completed" });
  });

  test("C15, C18: progress has the token of the call and the id of the task, until the end", async () => {
    const { server, peer } = await opened();
    const [go, end] = [deferred(), deferred()];
    server.tool("steps", optional, async (_, { progress }) => {
      await go.promise;
      progress(1, 2, "half");
      await end.promise;
      setImmediate(() => progress(2, 2, "late"));
      return "done";
    });
    const { taskId } = await peer.start("steps", {}, {}, { _meta: { progressToken: "token" } });
    go.resolve();
    const { params } = await peer.until(({ method }) => method === "notifications/progress");
    expect(params).toMatchObject({
      progressToken: "token",
      progress: 1,
      _meta: { [relatedKey]: { taskId } },
    });
    end.resolve();
    await peer.request("tasks/result", { taskId });
    for (let round = 0; round < 3; round++) await peer.request("ping");
    expect(peer.heard.filter(({ method }) => method === "notifications/progress")).toHaveLength(1);
  });

  test("C17: a client that only polls misses nothing", async () => {
    const { peer, gate } = await opened();
    const { taskId } = await peer.start("may");
    gate.resolve("done");
    expect(await peer.reached(taskId, "completed")).toMatchObject({ status: "completed" });
  });

  test("C19: lists have pages, and every task that tasks/get finds; wrong cursors get -32602", async () => {
    const { peer } = await opened({ list: true, limits: { work: Infinity } });
    const ids = new Set<string>();
    for (let index = 0; index < 101; index++) ids.add((await peer.start("may")).taskId);
    const first = (await peer.request("tasks/list")).result;
    const second = (await peer.request("tasks/list", { cursor: first.nextCursor })).result;
    expect(second).not.toHaveProperty("nextCursor");
    const listed = [...first.tasks, ...second.tasks] as Json[];
    expect(new Set(listed.map(({ taskId }) => taskId))).toEqual(ids);
    for (const cursor of ["x", "after x", ""])
      expect(await errorOf(peer, "tasks/list", { cursor })).toMatchObject({ code: -32602 });
  });

  test("C20: a task is cancelled before the answer, and stays cancelled; the end of its request does not cancel it", async () => {
    const { peer, gate } = await opened();
    const { taskId } = await peer.start("may");
    // The request of the call was answered: its id has no meaning.
    for (let requestId = 0; requestId < 5; requestId++)
      await peer.notify({ method: "notifications/cancelled", params: { requestId } });
    expect(await peer.task(taskId)).toMatchObject({ status: "working" });
    expect((await peer.request("tasks/cancel", { taskId })).result).toMatchObject({ status: "cancelled" });
    gate.resolve("too late");
    await peer.request("ping");
    expect(await peer.task(taskId)).toMatchObject({ status: "cancelled" });
    expect(await errorOf(peer, "tasks/cancel", { taskId })).toMatchObject({ code: -32602 });
    expect(await errorOf(peer, "tasks/result", { taskId })).toMatchObject({ code: -32603 });
  });

  test("C21: tasks belong to a principal: others get the refusal of an unknown id, its other sessions the task", async () => {
    const { peer, open } = await opened({ list: true });
    const { taskId } = await peer.start("may");
    const [bob, again] = [await open({ principal: "bob" }), await open()];
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      const error = await errorOf(bob, method, { taskId });
      expect(error).toMatchObject({ code: -32602 });
      expect(await errorOf(bob, method, { taskId: "x" })).toEqual(error);
    }
    expect((await bob.request("tasks/list")).result.tasks).toEqual([]);
    expect((await again.request("tasks/list")).result.tasks).toMatchObject([{ taskId }]);
    expect((await again.request("tasks/cancel", { taskId })).result).toMatchObject({ status: "cancelled" });
  });

  test("C22: without principals there is no list; ids have 128 random bits", async () => {
    const { open } = await opened();
    const unnamed = await open({ principal: "" });
    expect(unnamed.opened.result.capabilities.tasks).not.toHaveProperty("list");
    expect(await errorOf(unnamed, "tasks/list", {})).toMatchObject({ code: -32601 });
    const ids = await Promise.all(Array.from({ length: 20 }, () => unnamed.start("may")));
    // 43 characters of base64url: 16 random bytes, and 16 that bind them to the client.
    const random = ids.map(({ taskId }) =>
      Buffer.from(taskId as string, "base64url")
        .subarray(0, 16)
        .toString("hex"),
    );
    expect(new Set(random).size).toBe(20);
    for (const bytes of random) expect(bytes).toHaveLength(32);
  });

  test("C23: tasks at once and their ttl are bounded, and polls; the operator gets events", async () => {
    const events: string[] = [];
    const options = { limits: { work: 1 }, keepMs: 1000 };
    const { peer } = await opened({
      ...options,
      onEvent: ({ type, owner }) => void events.push(`${type} ${owner}`),
    });
    const { taskId, ttl } = await peer.start("may", {}, { ttl: 1e9 });
    expect(ttl).toBe(1000);
    expect((await peer.call("may", {}, {})).error).toMatchObject({
      code: -32600,
      data: { limit: "limits.work" },
    });
    for (let poll = 0; poll < 61; poll++) await peer.request("tasks/get", { taskId });
    const { error, status } = await peer.request("tasks/get", { taskId });
    expect(error).toMatchObject({ code: -31429 });
    expect(status).toBe(transport === "HTTP" ? 429 : undefined);
    const reads = Array<string>(61).fill("read ann");
    expect(events).toEqual(["created ann", "refused ann", ...reads, "refused ann"]);
  });
});

test("C11: tasks/get is answered with JSON, without a stream; a client may leave the stream of tasks/result and ask again", async () => {
  const served = serverOf();
  const gate = deferred<string>();
  served.server.tool("may", optional, () => gate.promise);
  const open = await wired(served.server, "HTTP");
  const peer = await open();
  const { taskId } = await peer.start("may");
  expect((await peer.request("tasks/get", { taskId })).type).toBe("application/json");
  await peer.abandon("tasks/result", { taskId });
  expect(await peer.task(taskId)).toMatchObject({ status: "working" });
  gate.resolve("still there");
  expect((await peer.request("tasks/result", { taskId })).result.content).toEqual(text("still there"));
});
