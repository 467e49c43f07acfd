import { spawnSync } from "node:child_process";

/**
 * Keeps this process, and all processes that it starts from now on, on one core. If two processes exchange
 * messages, the cost of waking one up depends on whether they share a core, and the kernel decides that for
 * each process.
 */
export function pinToOneCore() {
  const { status } = spawnSync("taskset", ["-acp", "1", String(process.pid)], { stdio: "ignore" });
  if (status !== 0) console.log("(not pinned to one core: rows with 1 in flight may differ between runs)");
}
