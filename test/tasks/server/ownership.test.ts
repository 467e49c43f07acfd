import {
  cancelTask,
  getTask,
  updateTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import type { Client } from "@mcpgen/runtime";
import { memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { call, clientOf, serverOf } from "./served.js";

const key = "a secret of sixteen characters";

/** The refusals that a client gets for an id, by each method. */
async function refusalsOf(client: Client, taskId: string): Promise<unknown[]> {
  const failures = [
    failureOf(getTask(client, { taskId })),
    failureOf(updateTask(client, { taskId, inputResponses: {} })),
    failureOf(cancelTask(client, { taskId })),
  ];
  return (await Promise.all(failures)).map((error) => {
    const { rpcCode, message, data } = error as { rpcCode?: number; message: string; data?: unknown };
    // The client puts the method before it.
    return { rpcCode, message: message.replace(/^[\w/]+: /, ""), data };
  });
}

async function waiting() {
  const reads: string[] = [];
  const memory = memoryTaskStore();
  const store = { ...memory, read: (id: string) => (reads.push(id), memory.read(id)) };
  const served = serverOf({ store, keys: [key], keepMs: 2000 });
  served.server.tool("slow", { task: { support: "optional" } }, (_, { task }) => {
    task?.detach();
    return new Promise(() => {});
  });
  const client = await clientOf(served);
  const { taskId } = await call(client, "slow");
  return { ...served, reads, client, taskId };
}

test("C21, E12: another principal, a forged id, an unknown id: the same refusal, and the store is not read", async () => {
  const served = await waiting();
  const { client, reads, taskId } = served;
  const other = await clientOf(served, { principal: "bob" });
  const unnamed = await clientOf(served, { principal: "" });
  reads.length = 0;
  const flipped = (at: number): string =>
    taskId.slice(0, at) + (taskId[at] === "A" ? "B" : "A") + taskId.slice(at + 1);
  const foreign = await refusalsOf(other, taskId);
  expect(foreign[0]).toMatchObject({
    rpcCode: -32602,
    message: "there is no such task",
  });
  expect(new Set(foreign.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(await refusalsOf(unnamed, taskId)).toEqual(foreign);
  for (const forged of [flipped(0), flipped(30), `${taskId}A`, taskId.slice(1), "", "x", "ä".repeat(43)])
    expect(await refusalsOf(client, forged)).toEqual(foreign);
  expect(reads).toEqual([]);
  expect(await getTask(client, { taskId })).toMatchObject({ status: "working" });
});

test("guesses are refused, and an expired id is refused with the same text", async () => {
  const served = await waiting();
  const { client } = served;
  const refusal = (await refusalsOf(client, "x"))[0];
  for (let guess = 0; guess < 100; guess++) {
    const taskId = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
    expect((await refusalsOf(client, taskId))[guess % 3]).toEqual(refusal);
  }
  await cancelTask(client, { taskId: served.taskId });
  await served.clock.advance(4000);
  expect(await refusalsOf(client, served.taskId)).toEqual(await refusalsOf(client, "x"));
});

test("ids are unique, header-safe and short", async () => {
  const served = await waiting();
  const ids = new Set<string>();
  for (let index = 0; index < 50; index++) ids.add((await call(served.client, "slow")).taskId);
  expect(ids.size).toBe(50);
  for (const id of ids) expect(id).toMatch(/^[\w-]{43}$/);
});

test("ids made with an earlier key are accepted, ids made with another server's key are not", async () => {
  const store = memoryTaskStore();
  const made = serverOf({ store, keys: [key] });
  made.server.tool("slow", { task: { support: "optional" } }, (_, { task }) => {
    task?.detach();
    return new Promise(() => {});
  });
  const { taskId } = await call(await clientOf(made), "slow");
  const next = "the next secret, of more characters";
  expect(await getTask(await clientOf(serverOf({ store, keys: [next, key] })), { taskId })).toMatchObject({
    status: "working",
  });
  const other = await clientOf(serverOf({ store, keys: [next] }));
  expect(await refusalsOf(other, taskId)).toEqual(await refusalsOf(other, "x"));
});

test("any session of the principal may use the task", async () => {
  const served = await waiting();
  await served.client.close();
  expect(await getTask(await clientOf(served), served)).toMatchObject({ status: "working" });
});
