import type { ProcessTree } from "./process-tree.js";

/** All that runs for this process, and what ends it. */
const running = new Map<ProcessTree, "SIGTERM" | "SIGKILL">();

/**
 * Has `tree` told to end when this process exits, also by an exception: not every server ends when its input
 * does, which is all that happens when this process is killed.
 *
 * @param signal SIGKILL for what has been told before
 */
export function afterProcess(tree: ProcessTree, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): void {
  if (running.size === 0) process.on("exit", endAll);
  running.set(tree, signal);
}

/** Takes that back. */
export function noLongerAfterProcess(tree: ProcessTree): void {
  running.delete(tree);
  if (running.size === 0) process.off("exit", endAll);
}

function endAll(): void {
  for (const [tree, signal] of running) tree.signal(signal);
}
