// A worker that also reports its memory: after a collection, so that garbage is not counted.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

await import("./worker.mjs");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

process.on("message", ({ wants }) => {
  if (wants !== "memory") return;
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ memory: { rss, heap: heapUsed } });
});
