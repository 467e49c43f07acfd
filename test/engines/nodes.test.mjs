// Two nodes with one store: the tasks of one can be read, answered and cancelled at the other.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { clientRevisions } from "@mcpgen/protocol";
import {
  cancelTask,
  getTask,
  tasks as tasksExtension,
  updateTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { connect } from "@mcpgen/runtime";
import { seed } from "../support/cases.mjs";
import { hasBus } from "./buses.mjs";
import { Cluster, sharedDrivers } from "./cluster.mjs";
import { engines } from "./engines.mjs";
import { newFolder } from "./guarded.mjs";

const races = fileURLToPath(new URL("programs/races.mjs", import.meta.url));

for (const [driver, engine] of sharedDrivers) {
  const { missing, node, start } = engines[engine];

  test(`${driver}: 300 races of two nodes never leave the state machine`, { skip: missing }, async (t) => {
    const { address, stop } = await start();
    t.after(stop);
    const { stdout } = await promisify(execFile)(node, [races, driver, address, "300", `${seed}`]);
    t.diagnostic(`${stdout.trim()} writes were refused`);
    assert.ok(Number(stdout) > 0);
  });

  test(`${driver}: get, update, cancel and notifications on the other node`, { skip: missing }, async (t) => {
    const [{ address, stop }, folder] = [await start(), newFolder()];
    const cluster = new Cluster(engines[engine], driver, address, join(folder, "effects"));
    const clients = [];
    t.after(async () => {
      await Promise.all(clients.map((client) => client.close()));
      await cluster.end();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const elicit = () => ({ action: "cancel" });
    for (const url of await Promise.all([cluster.start("server"), cluster.start("server")]))
      clients.push(await connect(url, { revisions: clientRevisions, extensions: [tasksExtension], elicit }));
    const [one, other] = clients;
    const create = (tool, steps) =>
      one.request("tools/call", { name: tool, arguments: { name: tool, steps } });
    const until = async (client, { taskId }, status) => {
      for (;;) {
        const task = await getTask(client, { taskId });
        if (task.status === status) return task;
        assert.ok(["working", "input_required"].includes(task.status), task.status);
        await sleep(100);
      }
    };

    await until(other, await create("replay", 8), "completed");

    // The task waits for an answer, so that it cannot end before the subscription exists.
    const asked = await create("ask", 2);
    assert.deepEqual(Object.keys((await until(other, asked, "input_required")).inputRequests), ["go on"]);
    const subscription = hasBus(driver) ? await other.subscribe({ taskIds: [asked.taskId] }) : undefined;
    const inputResponses = { "go on": { action: "accept", content: {} } };
    await updateTask(other, { taskId: asked.taskId, inputResponses });
    for await (const { params } of subscription ?? []) {
      assert.equal(params.taskId, asked.taskId);
      if (params.status !== "completed") continue;
      // On an idle machine, at most 200 ms.
      const late = Date.now() - Date.parse(params.lastUpdatedAt);
      t.diagnostic(`the notification came ${late} ms after the end of the task`);
      break;
    }
    const { result } = await until(one, asked, "completed");
    assert.equal(result.content[0].text, "0 accept 1");

    const cancelled = await create("replay", 1000);
    await cancelTask(other, cancelled);
    await until(one, cancelled, "cancelled");
  });
}
