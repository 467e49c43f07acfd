import { spawnSync } from "node:child_process";

/**
 * Keeps this process, and all that it starts from now on, on one core. Where two processes talk in turns, what
 * a wake-up costs depends on whether they share one, and the kernel decides that for each process.
 */
export function pinToOneCore() {
  const { status } = spawnSync("taskset", ["-acp", "1", String(process.pid)], { stdio: "ignore" });
  if (status !== 0) console.log("(not pinned to one core: rows with 1 in flight may differ between runs)");
}
