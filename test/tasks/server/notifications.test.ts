import { cancelTask } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { call, clientOf, deferred, serverOf } from "./served.js";

interface Notice {
  readonly params?: { readonly taskId: string; readonly status: string; readonly result?: unknown };
}

test("a subscription gets each status of its tasks, as tasks/get shows it, and no status of other tasks", async () => {
  const served = serverOf();
  const gates = new Map<string, ReturnType<typeof deferred<string>>>();
  served.server.tool("slow", { task: { support: "optional" } }, ({ name }, { task }) => {
    const gate = deferred<string>();
    gates.set(String(name), gate);
    task?.detach();
    return gate.promise;
  });
  const client = await clientOf(served);
  const bob = await clientOf(served, { principal: "bob" });
  const mine = await call(client, "slow", { name: "mine" });
  const second = await call(client, "slow", { name: "second" });
  const foreign = await call(bob, "slow", { name: "foreign" });
  const subscription = await client.subscribe<{ taskIds: string[] }>({
    taskIds: [mine.taskId, foreign.taskId],
  });
  expect(subscription.honoured).toEqual({ taskIds: [mine.taskId] });
  for (const gate of gates.values()) gate.resolve("done");
  await cancelTask(client, second);
  await served.clock.advance(0);
  const notices: Notice[] = [];
  for await (const notice of subscription) {
    notices.push(notice as object as Notice);
    break;
  }
  expect(notices).toHaveLength(1);
  expect(notices[0]!.params).toMatchObject({
    taskId: mine.taskId,
    status: "completed",
    result: { resultType: "complete", content: [{ text: "done" }] },
  });
});

test("a client without the extension may not subscribe to tasks", async () => {
  const served = serverOf();
  served.server.tool("slow", { task: { support: "optional" } }, () => "done");
  const plain = await clientOf(served, { extensions: [], validation: { send: "off" } });
  const refused = failureOf(
    plain.request("subscriptions/listen" as string, { notifications: { taskIds: ["x"] } }),
  );
  expect(await refused).toMatchObject({ rpcCode: -32021 });
});
