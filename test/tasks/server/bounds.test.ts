import { cancelTask, getTask } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { type Client, McpError } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { type MemoryTaskStore, type TaskRecord, type TaskStore, memoryTaskStore } from "@mcpgen/tasks";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases, seed } from "../../support/cases.mjs";
import { until } from "../../support/until.mjs";
import { call, clientOf, deferred, serverOf } from "./served.js";

// Clients that want all, cancel all, or never end. The bounds are looked at with each write of the store, and with each handler
// that begins.

const limits = { work: 3, memory: 12_000 };
/** Characters that all clients together may store. */
const total = 2.5 * limits.memory;
const principals = ["ann", "bob", "eve"] as const;

const step = fc.record({
  what: fc.constantFrom(
    "call",
    "call",
    "finish",
    "finish",
    "fail",
    "once",
    "report",
    "ask",
    "answer",
    "cancel",
    "tick",
  ),
  who: fc.constantFrom(...principals),
  /** Which of the handlers, or of the tasks. */
  which: fc.nat(30),
  /** Characters of what is kept. */
  size: fc.oneof(fc.nat(300), fc.nat(22_000)),
});

/** Characters that a record keeps, whatever it says. */
function keptBy({ request, journal, wanted, result, error, message = "" }: TaskRecord): number {
  const parts = [request, journal, wanted, result, error].filter((part) => part !== undefined);
  return parts.reduce<number>((sum, part) => sum + JSON.stringify(part).length, message.length);
}

/** Characters of punctuation between what is counted one by one. */
const punctuation = 40;

/** A store that checks its bounds with each write. */
function watched(memory: MemoryTaskStore): TaskStore {
  const check = async (): Promise<void> => {
    let [all, tasks] = [0, 0];
    for (const owner of principals) {
      const records = await memory.list!(owner, undefined, Infinity);
      const kept = records.reduce((sum, record) => sum + keptBy(record), 0);
      expect(kept).toBeLessThanOrEqual(limits.memory + records.length * punctuation);
      all += kept;
      tasks += records.length;
    }
    expect(all).toBeLessThanOrEqual(total + tasks * punctuation);
  };
  return {
    ...memory,
    create: async (...values) => {
      const made = await memory.create(...values);
      await check();
      return made;
    },
    replace: async (...values) => {
      const replaced = await memory.replace(...values);
      await check();
      return replaced;
    },
  };
}

/** A handler that runs, and does not heed its signal. */
interface Running {
  readonly finish: (size: number) => void;
  readonly fail: (size: number) => void;
  readonly once: (size: number) => void;
  readonly report: (size: number) => void;
  readonly ask: (size: number) => void;
}

/** A process with a client of each principal. */
async function processOf(store: TaskStore, clock: VirtualClock) {
  const options = {
    store,
    limits,
    keepMs: 60_000,
    waitMs: 600_000,
    keys: ["a secret of sixteen characters"],
  };
  const served = serverOf(options, {}, clock);
  const running: Running[] = [];
  const live = new Map<string, number>();
  const failures: unknown[] = [];
  served.server.tool("any", { task: { support: "required", inlineMs: 0 } }, async (_, context) => {
    const { task, once, ask, progress } = context;
    const owner = task!.principal;
    live.set(owner, (live.get(owner) ?? 0) + 1);
    if (live.get(owner)! > limits.work) failures.push(`${live.get(owner)} handlers of ${owner}`);
    const end = deferred<string>();
    let count = 0;
    const ended = (): void => void running.splice(running.indexOf(handler), 1);
    const handler: Running = {
      finish: (size) => (ended(), end.resolve("x".repeat(size))),
      fail: (size) => (
        ended(),
        end.reject(new McpError("invalid-params", "no", { rpcCode: -32602, data: "x".repeat(size) }))
      ),
      once: (size) => void once(`effect ${count++}`, () => "x".repeat(size)).catch(() => undefined),
      report: (size) => progress(count++, undefined, "x".repeat(size)),
      ask: (size) => {
        ended();
        const properties = { text: { type: "string", description: "x".repeat(size) } } as const;
        const asked = ask.elicit(`ask ${count++}`, {
          message: "?",
          requestedSchema: { type: "object", properties },
        });
        asked.then(() => end.resolve("asked"), end.reject);
      },
    };
    running.push(handler);
    try {
      task!.detach();
      return await end.promise;
    } finally {
      live.set(owner, live.get(owner)! - 1);
    }
  });
  const clients = new Map<string, Client>();
  for (const principal of principals)
    clients.set(principal, await clientOf(served, { principal, elicit: () => ({ action: "decline" }) }));
  return { ...served, clients, running, live, failures };
}

/** Turns of the event loop in which code is loaded, and requests are answered. */
async function turns(clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.each([1, 2])("%i processes with one store", (count) => {
  test("no client, and not all together, have more than they may, whatever they do", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
        const clock = new VirtualClock(1_000_000);
        const memory = memoryTaskStore();
        const store = watched(memory);
        const nodes = await Promise.all(Array.from({ length: count }, () => processOf(store, clock)));
        const made: { readonly who: string; readonly taskId: string }[] = [];
        const ignored = (work: Promise<unknown>): void => void work.catch(() => undefined);
        for (const { what, who, which, size } of steps) {
          const node = nodes[which % count]!;
          const client = node.clients.get(who)!;
          const handler = node.running[which % Math.max(1, node.running.length)];
          const task = made[which % Math.max(1, made.length)];
          if (what === "call") {
            const called = call(client, "any", { text: "x".repeat(size) });
            ignored(called.then(({ taskId }) => made.push({ who, taskId })));
          } else if (what === "tick") await clock.advance(1000);
          else if (what === "cancel") {
            if (task) ignored(cancelTask(node.clients.get(task.who)!, task));
          } else if (what === "answer") {
            if (!task) continue;
            const { wanted = {} } = memory.find(task.taskId) ?? {};
            const text = "x".repeat(size);
            const answers = Object.keys(wanted).map((key) => [key, { action: "accept", content: { text } }]);
            const params = { taskId: task.taskId, inputResponses: Object.fromEntries(answers) };
            ignored(node.clients.get(task.who)!.request("tasks/update" as string, params));
          } else handler?.[what as keyof Running](size);
          await turns(clock);
        }
        // No task is lost: each that a client knows can be read.
        for (const { who, taskId } of made)
          expect((await getTask(nodes[0]!.clients.get(who)!, { taskId })).taskId).toBe(taskId);
        for (const { running } of nodes) for (const each of [...running]) each.finish(1);
        await turns(clock);
        for (const { who, taskId } of made) ignored(cancelTask(nodes[0]!.clients.get(who)!, { taskId }));
        await until("the end of all handlers", async () => {
          await turns(clock);
          for (const { running } of nodes) for (const each of [...running]) each.finish(1);
          return nodes.every(({ live }) => [...live.values()].every((each) => each === 0));
        });
        for (const { failures, errors } of nodes)
          expect([...failures, ...errors.filter(isFault)]).toEqual([]);
        // What was used is free again.
        await clock.advance(65_000);
        await until("an empty store", async () => {
          await clock.advance(1000);
          return memory.size === 0;
        });
        for (const owner of principals) expect(memory.usage(owner)).toEqual({ tasks: 0, bytes: 0 });
        for (const node of nodes)
          for (let each = 0; each < limits.work; each++) {
            const called = call(node.clients.get("ann")!, "any");
            await turns(clock);
            expect((await called).resultType).toBe("task");
          }
        for (const { running, engine } of nodes) {
          for (const each of [...running]) each.finish(1);
          await engine.close();
        }
      }),
      { seed, numRuns: cases(300, 15) },
    );
  });
});

/** An assertion that failed inside of the store. */
function isFault(error: unknown): boolean {
  return (
    !(error instanceof McpError) || !["invalid-params", "cancelled", "limit-exceeded"].includes(error.code)
  );
}
