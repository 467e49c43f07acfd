// Adds, changes and removes tasks under limits: node bounds.mjs DRIVER ADDRESS NAME STEPS SEED. Prints the numbers of
// accepted and refused tasks, the largest usage of a client at any time, and the usage of the clients at the end.
import { sampleTask } from "../../support/store-rules/task-store-rules.mjs";
import { limits, owners } from "../bounds.mjs";
import { openStore } from "../stores.mjs";

const [driver, address, name, steps, seed] = process.argv.slice(2);
const { store, close } = await openStore(driver, address);

let state = Number(seed) + 1;
/** A number below another one that looks random: a linear congruential generator. */
const below = (count) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * count);
};

const own = [];
const counts = { taken: 0, full: 0, most: 0 };
for (let step = 0; step < Number(steps); step++) {
  const at = below(own.length);
  const task = own[at];
  const size = below(400);
  const act = below(10);
  let answer;
  if (act < 5 || !task) {
    const added = { id: `${name} ${step}`, owner: owners[below(owners.length)], version: 1 };
    answer = await store.create(sampleTask(added.id, { ...added, size }), limits);
    if (answer !== "full") own.push(added);
  } else if (act < 9) {
    const { version } = task;
    answer = await store.replace(
      sampleTask(task.id, { ...task, version: version + 1, size }),
      version,
      limits,
    );
    if (answer === false) throw new Error(`${task.id} is gone`);
    if (answer === true) task.version++;
  } else {
    answer = await store.remove(task.id, task.version);
    if (!answer) throw new Error(`${task.id} was gone`);
    own.splice(at, 1);
  }
  if (answer === "full") counts.full++;
  else counts.taken++;
  for (const owner of owners) counts.most = Math.max(counts.most, (await store.usage(owner)).bytes);
}
const ends = owners.map(async (owner) => {
  const records = await store.list(owner, undefined, 10_000);
  const bytes = records.reduce((sum, { size }) => sum + size, 0);
  return { usage: await store.usage(owner), listed: { tasks: records.length, bytes } };
});
console.log(JSON.stringify({ ...counts, ends: await Promise.all(ends) }));
await close();
