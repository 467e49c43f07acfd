import type { ProcessTree } from "./process-tree.js";

/** All that runs for this process. */
const running = new Set<ProcessTree>();

/**
 * Has `tree` told to end when this process exits, also by an exception: not every server ends when its input
 * does, which is all that happens when this process is killed.
 */
export function afterProcess(tree: ProcessTree): void {
  if (running.size === 0) process.on("exit", endAll);
  running.add(tree);
}

/** Takes that back. */
export function noLongerAfterProcess(tree: ProcessTree): void {
  running.delete(tree);
  if (running.size === 0) process.off("exit", endAll);
}

function endAll(): void {
  for (const tree of running) tree.signal("SIGTERM");
}
