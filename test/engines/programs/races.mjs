// Two nodes change a task at the same time: node races.mjs DRIVER ADDRESS SCHEDULES SEED. Prints how often a write was refused.
import { advance } from "@mcpgen/tasks";
import { sampleTask } from "../../support/store-rules/task-store-rules.mjs";
import { randomFrom } from "../cluster.mjs";
import { openStore } from "../stores.mjs";

const [driver, address, schedules, seed] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const nodes = [await openStore(driver, address), await openStore(driver, address)];

const allowed = {
  working: ["working", "input_required", "completed", "failed", "cancelled"],
  input_required: ["input_required", "working", "completed", "failed", "cancelled"],
};
const wanted = { name: { method: "elicitation/create", params: {} } };
const result = { content: [] };

/** Pairs of events that happen at the same time, on alternating nodes. */
const plans = [
  [
    { type: "asked", run: "first", wanted },
    { type: "completed", run: "first", result },
  ],
  [
    { type: "answered", answers: { name: { action: "accept" } } },
    { type: "queued", waitMs: 1 },
    { type: "leased", lease: { run: "second", until: 9000 } },
    { type: "completed", run: "second", result },
  ],
  [{ type: "cancelled" }],
  [
    { type: "noted", run: "first", message: "half" },
    { type: "failed", run: "first", error: { code: -32603, message: "" } },
  ],
];

let refused = 0;
for (let schedule = 0; schedule < Number(schedules); schedule++) {
  const id = `race ${seed} ${schedule}`;
  const first = sampleTask(id, { lease: { run: "first", until: 5000 }, dueAt: 5000 });
  await nodes[0].store.create(first);
  const held = [];
  await Promise.all(
    plans.map(async (plan, index) => {
      const { store } = nodes[index % nodes.length];
      for (const event of plan) await apply(store, id, event, held);
    }),
  );
  // Each version was written once.
  held.sort((one, other) => one.version - other.version);
  let before = first;
  for (const after of held) {
    if (after.version !== before.version + 1)
      throw new Error(`${id}: version ${after.version} after ${before.version}`);
    if (!allowed[before.status]?.includes(after.status))
      throw new Error(`${id}: ${before.status} to ${after.status}`);
    before = after;
  }
  if (allowed[before.status]) throw new Error(`${id}: it has not ended`);
  const last = await nodes[1].store.read(id);
  if (last.version !== before.version || last.status !== before.status)
    throw new Error(`${id}: it was written again`);
}
for (const { close } of nodes) await close();
console.log(refused);

async function apply(store, id, event, held) {
  for (;;) {
    await pause();
    const record = await store.read(id);
    const next = advance(record, event, 1500);
    if (next === record) return;
    await pause();
    if (await store.replace(next, record.version)) return held.push(next);
    refused++;
  }
}

/** A random number of turns of the event loop. */
async function pause() {
  for (let turns = Math.floor(random() * 4); turns > 0; turns--) await new Promise(setImmediate);
}
