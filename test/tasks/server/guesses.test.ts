import { type TaskStore, memoryTaskStore } from "@mcpgen/tasks";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { serverOf } from "./served.js";
import { type Json, type Peer, newest, wired } from "./wire.js";

// Ownership (2025-11-25: C21; tasks extension: E12). Every id that is not the client's gets the same answer.

const key = "a secret of sixteen characters";
const methods = ["tasks/get", "tasks/cancel", "tasks/update", "tasks/result"] as const;

async function guarded() {
  const trips: string[] = [];
  const memory = memoryTaskStore();
  const store: TaskStore = new Proxy(memory, {
    get: (target, name: keyof TaskStore) => {
      const member = target[name];
      if (typeof member !== "function") return member;
      return (...args: never[]) => {
        trips.push(name);
        return (member as (...given: never[]) => unknown)(...args);
      };
    },
  });
  // Handlers that never end are running for ever, whatever becomes of their tasks.
  const limits = { work: Infinity };
  const served = serverOf({ store, keys: [key], keepMs: 1000, list: true, limits });
  served.server.tool("slow", { task: { support: "optional" } }, (_, { task }) => {
    task?.detach();
    return new Promise(() => {});
  });
  const open = await wired(served.server, "stdio");
  return { ...served, trips, open };
}

const params = (taskId: string, method: string): Record<string, unknown> =>
  method === "tasks/update" ? { taskId, inputResponses: { a: {} } } : { taskId };

/** Base64url of some bytes. */
const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

test("C21, E12: guesses of any form get one refusal, and the store is not asked", async () => {
  const { open, trips, clock } = await guarded();
  const principals: Record<string, Peer> = {};
  for (const principal of ["ann", "bob", "eve"])
    for (const revision of ["2025-11-25", newest])
      principals[`${principal} ${revision}`] = await open({ principal, revision });
  const elsewhere = serverOf({ store: memoryTaskStore(), keys: ["another secret of a server"] });
  elsewhere.server.tool("slow", { task: { support: "optional" } }, (_, { task }) => {
    task?.detach();
    return new Promise(() => {});
  });
  const ids: Record<string, string> = {
    ann: (await principals["ann 2025-11-25"]!.start("slow")).taskId,
    bob: (await principals[`bob ${newest}`]!.start("slow")).taskId,
    // Of ann, too, but made with the key of another server.
    elsewhere: (await (await (await wired(elsewhere.server, "stdio"))()).start("slow")).taskId,
  };
  const expected = await principals["eve 2025-11-25"]!.request("tasks/get", { taskId: "x" });
  expect(expected.error).toEqual({ code: -32602, message: "there is no such task" });
  trips.length = 0;
  const guess = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encoded),
    fc.uint8Array({ maxLength: 70 }).map(encoded),
    fc.string({ maxLength: 100 }),
    // An id of a task, with one character changed, or of another client.
    fc
      .tuple(fc.constantFrom(...Object.keys(ids)), fc.nat(42), fc.constantFrom(..."AZaz09-_"))
      .map(([owner, at, character]) => ids[owner]!.slice(0, at) + character + ids[owner]!.slice(at + 1)),
    fc.constantFrom(...Object.values(ids)),
  );
  await fc.assert(
    fc.asyncProperty(
      guess,
      fc.constantFrom(...methods),
      fc.constantFrom(...Object.keys(principals)),
      async (taskId, method, who) => {
        const isModern = who.endsWith(newest);
        // Methods that the revision does not have are refused as such.
        if (method === (isModern ? "tasks/result" : "tasks/update")) return;
        if (ids[who.split(" ")[0]!] === taskId) return;
        const { id: _, ...answer } = await principals[who]!.request(method, params(taskId, method));
        expect(answer).toEqual({ jsonrpc: "2.0", error: expected.error });
      },
    ),
    { numRuns: cases(10_000) },
  );
  expect(trips).toEqual([]);
  // A task that has expired is refused in the same words, too.
  const ann = principals["ann 2025-11-25"]!;
  await ann.request("tasks/cancel", { taskId: ids["ann"] });
  await clock.advance(4000);
  for (const method of ["tasks/get", "tasks/cancel", "tasks/result"])
    expect((await ann.request(method, { taskId: ids["ann"] })).error).toEqual(expected.error);
});

test("C19, C21: lists have all tasks of their client, and no other tasks", async () => {
  const { open, clock } = await guarded();
  const names = ["ann", "bob", "eve"] as const;
  const peers = new Map<string, Peer>();
  const own = new Map<string, Set<string>>(names.map((name) => [name, new Set()]));
  for (const principal of names) peers.set(principal, await open({ principal }));
  const listed = async (peer: Peer): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | undefined; ;) {
      const { result } = await peer.request("tasks/list", cursor === undefined ? {} : { cursor });
      found.push(...result.tasks.map(({ taskId }: Json) => taskId as string));
      if (result.nextCursor === undefined) return found.sort();
      cursor = result.nextCursor;
    }
  };
  const step = fc.tuple(fc.constantFrom(...names), fc.constantFrom("start", "start", "cancel", "expire"));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const [name, action] of steps) {
        const peer = peers.get(name)!;
        if (action === "start") own.get(name)!.add((await peer.start("slow")).taskId as string);
        const [first] = own.get(name)!;
        if (action === "start" || first === undefined) continue;
        await peer.request("tasks/cancel", { taskId: first });
        if (action === "cancel") continue;
        // All tasks that have ended expire, those of other clients included.
        await clock.advance(3000);
        for (const each of names) {
          const states = await Promise.all(
            [...own.get(each)!].map((taskId) => peers.get(each)!.request("tasks/get", { taskId })),
          );
          for (const [index, taskId] of [...own.get(each)!].entries())
            if (states[index]!.error) own.get(each)!.delete(taskId);
        }
      }
      for (const name of names) {
        for (const taskId of own.get(name)!) await peers.get(name)!.request("tasks/cancel", { taskId });
        expect(await listed(peers.get(name)!)).toEqual([...own.get(name)!].sort());
        own.get(name)!.clear();
      }
      await clock.advance(3000);
    }),
    { numRuns: cases(200, 10) },
  );
});
