import { type TaskAudit, type TasksOptions, memoryTaskStore } from "@mcpgen/tasks";
import { VirtualClock } from "@mcpgen/testing";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../support/until.mjs";
import { serverOf } from "./served.js";
import { type Peer, newest, wired } from "./wire.js";

// Events for audit and telemetry (2025-11-25, tasks: C23).

const keys = ["a secret of sixteen characters"];
const form = (message: string) =>
  ({ message, requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } }) as const;

async function audited(options: TasksOptions = {}, onEvent?: TasksOptions["onEvent"]) {
  const events: TaskAudit[] = [];
  const served = serverOf({ keepMs: 2000, ...options, onEvent: onEvent ?? ((event) => events.push(event)) });
  for (const support of ["optional", "required"] as const)
    served.server.tool(support, { task: { support } }, async (_, { ask, task }) => {
      task?.detach();
      await ask.all({
        one: { method: "elicitation/create", params: { mode: "form", ...form("one") } },
        two: { method: "elicitation/create", params: { mode: "form", ...form("two") } },
      });
      return "done";
    });
  return { ...served, events, open: await wired(served.server, "stdio") };
}

const lines = (events: readonly TaskAudit[]): string[] =>
  events.map(({ type, owner, tool, status, reason }) =>
    [type, owner, tool, status, reason].filter(Boolean).join(" "),
  );

/** Runs the loop until the task has a status: checks of answers load code on demand. */
async function reached(events: readonly TaskAudit[], type: TaskAudit["type"]): Promise<void> {
  await until(type, () => events.some((event) => event.type === type));
}

test("events of a task of 2026-07-28, from its creation to its removal, name client, tool and status", async () => {
  const { events, open, clock } = await audited();
  const ann = await open({ revision: newest });
  const { taskId } = await ann.start("optional");
  await reached(events, "asked");
  await ann.task(taskId);
  for (const key of ["one", "two"])
    await ann.request("tasks/update", { taskId, inputResponses: { [key]: { action: "decline" } } });
  await reached(events, "ended");
  await ann.task(taskId);
  await clock.advance(4000);
  expect(lines(events)).toEqual([
    "created ann optional working",
    "asked ann optional input_required",
    "read ann optional input_required",
    "answered ann optional input_required",
    "answered ann optional working",
    "started ann optional working",
    "ended ann optional completed",
    "read ann optional completed",
    "expired ann optional completed",
  ]);
  expect(new Set(events.map(({ id }) => id))).toEqual(new Set([taskId]));
});

test("events of a task of 2025-11-25: results and lists are reads, too", async () => {
  const { events, open } = await audited({ list: true });
  const ann = await open();
  ann.answer = () => ({ result: { action: "decline" } });
  const { taskId } = await ann.start("optional");
  await ann.request("tasks/result", { taskId });
  await ann.request("tasks/list");
  await ann.request("tasks/cancel", { taskId });
  expect(lines(events)).toEqual([
    "created ann optional working",
    "asked ann optional input_required",
    "answered ann optional input_required",
    "answered ann optional working",
    "started ann optional working",
    "ended ann optional completed",
    "read ann optional completed",
    "read ann optional completed",
  ]);
});

test("refusals: ids of other clients, unknown ids, early polls", async () => {
  const { events, open } = await audited({ limits: { work: 1 } });
  const ann = await open({ revision: newest });
  const eve = await open({ revision: newest, principal: "eve" });
  const { taskId } = await ann.start("optional");
  const attempts: readonly [Peer, string, object][] = [
    [eve, "tasks/get", { taskId }],
    [eve, "tasks/cancel", { taskId: "x".repeat(1000) }],
    ...Array.from({ length: 62 }, () => [ann, "tasks/get", { taskId }] as [Peer, string, object]),
  ];
  for (const [peer, method, params] of attempts) await peer.request(method, { ...params });
  const refused = events.filter(({ type }) => type === "refused");
  expect(lines(refused)).toEqual(["refused eve unknown", "refused eve unknown", "refused ann pollMs"]);
  expect(refused.map(({ id }) => id)).toEqual([taskId, "x".repeat(64), taskId]);
});

test("refusals of calls name the tool and the limit, also where the call runs inline instead", async () => {
  const { events, open } = await audited({ limits: { work: 0 } });
  const ann = await open({ revision: newest });
  expect((await ann.call("required")).error).toMatchObject({ code: -32600 });
  expect((await ann.call("optional")).result).toMatchObject({ resultType: "input_required" });
  expect(lines(events)).toEqual(["refused ann required limits.work", "refused ann optional limits.work"]);
});

test("events of a task that another process takes over: it is started again", async () => {
  const store = memoryTaskStore();
  const first = await audited({ store, keys, leaseMs: 2000, keepMs: 60_000 });
  first.server.tool("slow", { task: { support: "optional", onRestart: "replay" } }, (_, { task }) => {
    task?.detach();
    return new Promise(() => {});
  });
  await (await first.open({ revision: newest })).start("slow");
  const events: TaskAudit[] = [];
  const options = { store, keys, leaseMs: 2000, onEvent: (event: TaskAudit) => void events.push(event) };
  const second = serverOf(options, {}, new VirtualClock(1_000_000));
  second.server.tool("slow", { task: { support: "optional", onRestart: "replay" } }, () => "by the other");
  await wired(second.server, "stdio");
  await second.clock.advance(3000);
  await reached(events, "ended");
  expect(lines(events)).toEqual(["started ann slow working", "ended ann slow completed"]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("the log is full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("the log is full"))],
])("a listener that %s does no harm", async (_, onEvent) => {
  const unhandled: unknown[] = [];
  const listener = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", listener);
  onTestFinished(() => void process.off("unhandledRejection", listener));
  const { open, clock, errors } = await audited({}, onEvent as () => void);
  const ann = await open({ revision: newest });
  const { taskId } = await ann.start("optional");
  expect((await ann.request("tasks/get", { taskId: "x" })).error).toMatchObject({ code: -32602 });
  await ann.request("tasks/cancel", { taskId });
  expect(await ann.task(taskId)).toMatchObject({ status: "cancelled" });
  await clock.advance(4000);
  expect((await ann.request("tasks/get", { taskId })).error).toMatchObject({ code: -32602 });
  await turn();
  expect([unhandled, errors]).toEqual([[], []]);
});
