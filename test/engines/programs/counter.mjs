// Appends its name to the message of one task, as other processes do: node counter.mjs DRIVER ADDRESS NAME TIMES. Prints the
// version for each time, and the message at the end.
import { writeSync } from "node:fs";
import { sampleTask } from "../../support/store-rules/task-store-rules.mjs";
import { openStore } from "../stores.mjs";

const [driver, address, name, times] = process.argv.slice(2);
const { store, close } = await openStore(driver, address);
await store.create(sampleTask("counter", { message: "" })).catch(() => {});
for (let done = 0; done < Number(times);) {
  const task = await store.read("counter");
  const next = { ...task, version: task.version + 1, message: task.message + name };
  if (!(await store.replace(next, task.version))) continue;
  done++;
  writeSync(1, `${next.version}\n`);
}
console.log((await store.read("counter")).message);
await close();
