// Tasks survive the death of the processes that run them. MCPGEN_SHARE=1 kills 20 processes, not 4.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isThorough, seed } from "../support/cases.mjs";
import { Cluster, leaseMs, randomFrom, sharedDrivers } from "./cluster.mjs";
import { engines } from "./engines.mjs";
import { newFolder } from "./guarded.mjs";

const kills = isThorough ? 20 : 4;
const tasksPerKill = 10;
const steps = 8;

const isFinal = ({ status }) => ["completed", "failed", "cancelled"].includes(status);

for (const [driver, engine] of sharedDrivers) {
  const { missing, start } = engines[engine];
  const title = `${driver}: ${kills * tasksPerKill} tasks and ${kills} deaths, none lost, no journalled effect repeated`;
  test(title, { skip: missing }, async (t) => {
    const random = randomFrom(seed);
    const [{ address, stop }, folder] = [await start(), newFolder()];
    const log = join(folder, "effects");
    const cluster = new Cluster(engines[engine], driver, address, log);
    t.after(async () => {
      await cluster.end();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    });
    await Promise.all(["server", "server", "worker", "worker"].map(cluster.start));

    const driving = [];
    let lastKill;
    for (let kill = 0; kill < kills; kill++) {
      for (let made = 0; made < tasksPerKill; made++) {
        const tool = made % 5 === 3 ? "ask" : made % 5 === 4 ? "fail" : "replay";
        driving.push(drive(cluster, tool, `${tool} ${kill}.${made}`));
        await sleep(random() * 150);
      }
      lastKill = await cluster.kill(random);
    }
    const known = await Promise.all(driving);
    assert.equal(known.length, kills * tasksPerKill);

    const lines = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { repeated, effects, again } = judged(lines);
    // Tasks whose creation was answered, and those whose answer was lost.
    const names = new Map(lines.filter(({ id }) => id).map(({ id, name }) => [id, name]));
    const ends = [];
    const failed = [];
    for (const [id, name] of names) {
      // A task that the client does not know waits for the answer to its question.
      if (name.startsWith("ask") && !known.includes(id)) continue;
      const task = await cluster.until(id, isFinal);
      ends.push(Date.parse(task.lastUpdatedAt));
      if (!name.startsWith("fail") || task.status === "completed")
        assert.equal(textOf(task), expected[name.split(" ")[0]]);
      else failed.push([name, task]);
    }
    for (const [name, { status, statusMessage }] of failed) {
      assert.deepEqual([status, statusMessage], ["failed", "the server that ran the task has stopped"]);
      const pids = new Set(lines.filter((line) => line.effect && line.name === name).map(({ pid }) => pid));
      assert.ok(pids.size <= 1 && [...pids].every((pid) => cluster.killed.includes(pid)), name);
    }
    assert.deepEqual(repeated, []);
    const after = Math.max(...ends) - lastKill;
    t.diagnostic(`${ends.length} tasks, ${failed.length} of them failed honestly`);
    t.diagnostic(`${effects} effects, ${again} of them again, before they were journalled`);
    // On an idle machine, at most 2 s after the end of the lease.
    t.diagnostic(`the last task ended ${after} ms after the last death, with a lease of ${leaseMs} ms`);
  });
}

const indices = Array.from({ length: steps }, (_, index) => index);
const expected = {
  replay: indices.join(" "),
  fail: indices.join(" "),
  ask: [...indices.slice(0, steps / 2), "accept", ...indices.slice(steps / 2)].join(" "),
};

/** Makes a task, answers what it asks, and waits for its end. Returns its id. */
async function drive(cluster, tool, name) {
  const id = await cluster.create(tool, name, steps);
  if (tool === "ask") {
    const task = await cluster.until(id, ({ status }) => status !== "working");
    assert.equal(task.status, "input_required");
    await cluster.answer(id, { "go on": { action: "accept", content: {} } });
  }
  return id;
}

/** Finds effects that were repeated after the journal had recorded them, in the order of the log. */
function judged(lines) {
  const journals = new Map();
  const repeated = [];
  const done = new Set();
  let effects = 0;
  for (const { name, journalled, effect, pid } of lines) {
    if (journalled) journals.set(name, new Set([...(journals.get(name) ?? []), ...journalled]));
    if (!effect) continue;
    effects++;
    done.add(`${name}: ${effect}`);
    if (journals.get(name)?.has(effect)) repeated.push(`${name}: ${effect} in ${pid}`);
  }
  return { repeated, effects, again: effects - done.size };
}

function textOf({ result }) {
  return result?.content[0].text;
}
