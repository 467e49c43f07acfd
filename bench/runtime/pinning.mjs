import { spawnSync } from "node:child_process";

/**
 * Keeps this process, and all processes that it starts from now on, on one core. If two processes exchange
 * messages, the cost of waking one up depends on whether they share a core, and the kernel decides that for
 * each process.
 */
export function pinToOneCore() {
  if (pin(process.pid, 1)) return;
  console.log("(not pinned to one core: rows with 1 in flight may differ between runs)");
}

/**
 * Keeps a process on one core, with all its threads and the processes that it starts from now on; returns
 * whether that is possible here.
 */
export function pin(pid, core) {
  return spawnSync("taskset", ["-acp", String(core), String(pid)], { stdio: "ignore" }).status === 0;
}
