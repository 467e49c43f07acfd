import { setImmediate as turn } from "node:timers/promises";
import type { Server } from "@mcpgen/runtime";
import { type VirtualClock } from "@mcpgen/testing";
import { describe, expect, test } from "vitest";
import { serverOf, text } from "./served.js";
import { type Json, type Peer, newest, relatedKey, transports, wired } from "./wire.js";

// The checks that modelcontextprotocol/conformance#244 proposes for tasks of 2025-11-25, by their numbers, and the one of #487
// for the tasks extension. No released suite has them.

const confirmation = {
  message: "Delete the file?",
  requestedSchema: { type: "object", properties: { confirm: { type: "boolean" } }, required: ["confirm"] },
} as const;

/** The value of `work`, which takes time of the clock. */
async function advancing<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  work.then(end, end);
  while (!state.isOver) {
    await clock.advance(100);
    await turn();
  }
  return work;
}

/** The tools that the proposal requires. Their seconds are those of the clock. */
function addTools(server: Server & ReturnType<typeof serverOf>["server"], clock: VirtualClock): void {
  const seconds = (count: number): Promise<void> =>
    new Promise((resolve) => void clock.schedule(resolve, count * 1000));
  server.tool("greet", {}, ({ name }) => `Hello, ${String(name)}!`);
  const optional = { task: { support: "optional" } } as const;
  const required = { task: { support: "required" } } as const;
  server.tool("slow_compute", optional, async ({ seconds: count, label }, { progress }) => {
    for (let second = 1; second <= Number(count); second++) {
      await seconds(1);
      progress(second, Number(count));
    }
    return `${String(label)}: computed`;
  });
  server.tool("failing_job", required, async () => {
    await seconds(1);
    return { content: text("the job failed") as never, isError: true };
  });
  server.tool("external_job", required, async () => {
    await seconds(1);
    return "done elsewhere";
  });
  server.tool("confirm_delete", required, async ({ filename }, { ask }) => {
    const answer = await ask.elicit("confirm", confirmation);
    return answer.action === "accept" ? `deleted ${String(filename)}` : "kept";
  });
  server.tool("write_haiku", required, async ({ topic }, { ask }) => {
    const { content } = await ask.sample("haiku", {
      messages: [{ role: "user", content: { type: "text", text: `a haiku on the ${String(topic)}` } }],
      maxTokens: 100,
    });
    const [first] = [content].flat() as readonly { readonly text?: string }[];
    return `${String(topic)}: ${first?.text ?? ""}`;
  });
}

describe.each(transports)("2025-11-25 over %s", (transport) => {
  async function opened() {
    const served = serverOf({ list: true });
    addTools(served.server, served.clock);
    const peer = await (await wired(served.server, transport))();
    const slow = (label: string, count = 1, task: object = {}): Promise<Json> =>
      peer.start("slow_compute", { seconds: count, label }, task);
    const ended = async (taskId: string): Promise<Json> => {
      await served.clock.advance(3000);
      return peer.reached(taskId, "completed", "failed", "cancelled");
    };
    return { ...served, peer, slow, ended };
  }

  const resultOf = async (peer: Peer, taskId: string): Promise<Json> =>
    (await peer.request("tasks/result", { taskId })).result;

  test("conformance#244-01: a tool without tasks answers at once", async () => {
    const { peer } = await opened();
    expect((await peer.call("greet", { name: "World" })).result).toEqual({ content: text("Hello, World!") });
  });

  test("conformance#244-02, 16, 17: the task of a call has an id, times, ttl, interval and no final status", async () => {
    const { slow } = await opened();
    const task = await slow("created", 2, { ttl: 30_000 });
    expect(task).toEqual({
      taskId: expect.stringMatching(/./),
      status: "working",
      createdAt: expect.stringMatching(/Z$/),
      lastUpdatedAt: expect.stringMatching(/Z$/),
      ttl: 30_000,
      pollInterval: 1000,
    });
  });

  test("conformance#244-03, 27: tasks/get is flat, and has no related task", async () => {
    const { slow, peer } = await opened();
    const { taskId } = await slow("poll");
    const task = await peer.task(taskId);
    expect(task).toMatchObject({ taskId, status: "working" });
    expect(task._meta?.[relatedKey]).toBeUndefined();
  });

  test("conformance#244-04, 20: a tool that fails makes the task failed; the result says isError", async () => {
    const { peer, ended } = await opened();
    const { taskId } = await peer.start("failing_job");
    expect(await ended(taskId)).toMatchObject({ status: "failed", statusMessage: "the job failed" });
    expect(await resultOf(peer, taskId)).toMatchObject({ isError: true });
  });

  test("conformance#244-05, 26: tasks/result is the result of the tool, with the related task", async () => {
    const { slow, peer, ended } = await opened();
    const { taskId } = await slow("result");
    expect(await ended(taskId)).toMatchObject({ status: "completed" });
    expect(await resultOf(peer, taskId)).toEqual({
      content: text("result: computed"),
      _meta: { [relatedKey]: { taskId } },
    });
  });

  test("conformance#244-06: a cancelled task is cancelled at once, and stays so", async () => {
    const { slow, peer, clock } = await opened();
    const { taskId } = await slow("cancel", 60);
    expect((await peer.request("tasks/cancel", { taskId })).result).toMatchObject({
      taskId,
      status: "cancelled",
    });
    await clock.advance(61_000);
    expect(await peer.task(taskId)).toMatchObject({ status: "cancelled" });
  });

  test("conformance#244-07: the list has the task", async () => {
    const { slow, peer } = await opened();
    const { taskId } = await slow("list");
    expect(peer.opened.result.capabilities.tasks).toHaveProperty("list");
    expect((await peer.request("tasks/list")).result.tasks).toMatchObject([{ taskId }]);
  });

  test("conformance#244-08, 09: a call without the task that its tool requires, or with one that it forbids: -32601", async () => {
    const { peer } = await opened();
    expect((await peer.call("failing_job")).error).toMatchObject({ code: -32601 });
    expect((await peer.call("greet", { name: "x" }, {})).error).toMatchObject({ code: -32601 });
  });

  test("conformance#244-10, 11: a job that ends elsewhere: tasks/get, then its result", async () => {
    const { peer, ended } = await opened();
    const { taskId } = await peer.start("external_job", { job_id: "1" });
    expect(await peer.task(taskId)).toMatchObject({ taskId, status: "working" });
    expect(await ended(taskId)).toMatchObject({ status: "completed" });
    expect((await resultOf(peer, taskId))._meta).toEqual({ [relatedKey]: { taskId } });
  });

  test("conformance#244-12: a call that asks for no task is answered with its result", async () => {
    const { peer, clock } = await opened();
    const called = peer.call("slow_compute", { seconds: 1, label: "inline" });
    expect((await advancing(clock, called)).result).toEqual({ content: text("inline: computed") });
  });

  test("conformance#244-13, 14, 15: unknown ids, and an ended task: -32602", async () => {
    const { slow, peer, ended } = await opened();
    for (const method of ["tasks/get", "tasks/cancel"])
      expect((await peer.request(method, { taskId: "nonexistent" })).error).toMatchObject({ code: -32602 });
    const { taskId } = await slow("ended");
    await ended(taskId);
    expect((await peer.request("tasks/cancel", { taskId })).error).toMatchObject({ code: -32602 });
  });

  test("conformance#244-18: a task does not expire before its ttl", async () => {
    const { slow, peer, clock, ended } = await opened();
    const { taskId } = await slow("kept", 1, { ttl: 5000 });
    await ended(taskId);
    await clock.advance(1900);
    expect(await peer.task(taskId)).toMatchObject({ status: "completed" });
  });

  test("conformance#244-19: five calls at once make five tasks", async () => {
    const { slow, ended } = await opened();
    const tasks = await Promise.all(Array.from({ length: 5 }, (_, index) => slow(`concurrent ${index}`)));
    expect(new Set(tasks.map(({ taskId }) => taskId)).size).toBe(5);
    for (const { taskId } of tasks) expect(await ended(taskId)).toMatchObject({ status: "completed" });
  });

  test("conformance#244-21: tools/list says which tools run as tasks", async () => {
    const { peer } = await opened();
    const { tools } = (await peer.request("tools/list")).result;
    const support = Object.fromEntries(tools.map((tool: Json) => [tool.name, tool.execution?.taskSupport]));
    expect(support).toMatchObject({ greet: undefined, slow_compute: "optional", failing_job: "required" });
  });

  test.each([
    ["22", "confirm_delete", { filename: "a.txt" }, "elicitation/create", "deleted a.txt"],
    ["23", "write_haiku", { topic: "ocean" }, "sampling/createMessage", "ocean: waves"],
  ])("conformance#244-%s: %s asks through tasks/result", async (_, name, args, method, expected) => {
    const { peer } = await opened();
    peer.answer = (request) => ({
      result:
        request.method === "elicitation/create"
          ? { action: "accept", content: { confirm: true } }
          : { model: "m", role: "assistant", content: { type: "text", text: "waves" } },
    });
    const { taskId, status } = await peer.start(name, args);
    expect(["working", "input_required"]).toContain(status);
    expect(await peer.reached(taskId, "input_required")).toMatchObject({ status: "input_required" });
    expect((await resultOf(peer, taskId)).content).toEqual(text(expected));
    expect(peer.heard.filter((message) => message.id !== undefined).map((each) => each.method)).toEqual([
      method,
    ]);
    expect(await peer.task(taskId)).toMatchObject({ status: "completed" });
  });

  test("conformance#244-24, 25: progress and status notifications belong to the task", async () => {
    const { peer, ended } = await opened();
    const { taskId } = await peer.start(
      "slow_compute",
      { seconds: 2, label: "p" },
      {},
      { _meta: { progressToken: 7 } },
    );
    await ended(taskId);
    await peer.until(({ params }) => params?.progress === 2);
    const heard = peer.heard.filter(({ method }) => method === "notifications/progress");
    for (const { params } of heard)
      expect(params).toMatchObject({ progressToken: 7, total: 2, _meta: { [relatedKey]: { taskId } } });
    const states = peer.heard.filter(({ method }) => method === "notifications/tasks/status");
    for (const { params } of states) expect(params).toMatchObject({ taskId });
    const last = states.at(-1);
    if (last) expect(last.params).toMatchObject({ status: "completed" });
  });
});

test.each(transports)(
  "conformance#487, sep-2663-tasks-get-status-cancelled over %s: a task that is cancelled settles to cancelled",
  async (transport) => {
    const served = serverOf();
    addTools(served.server, served.clock);
    const peer = await (await wired(served.server, transport))({ revision: newest });
    const task = await advancing(served.clock, peer.start("slow_compute", { seconds: 60, label: "cancel" }));
    expect((await peer.request("tasks/cancel", { taskId: task.taskId })).result).toMatchObject({
      resultType: "complete",
    });
    await served.clock.advance(61_000);
    expect(await peer.task(task.taskId)).toMatchObject({ status: "cancelled" });
  },
);
