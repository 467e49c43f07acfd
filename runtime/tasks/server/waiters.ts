import type { HandlerContext } from "@mcpgen/runtime";
import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import { follow } from "./runs.js";

/**
 * Waits for the next change of a task. Resolves with its record. A change by a process that does not share the server's
 * bus is seen after `pollMs`.
 *
 * @throws the reason of `signal`
 */
export async function changeOf(
  engine: Engine,
  record: TaskRecord,
  signal: HandlerContext["signal"],
): Promise<TaskRecord | undefined> {
  const { id, version, limits } = record;
  follow(engine);
  let wake!: () => void;
  const change = new Promise<void>((resolve) => (wake = resolve));
  const remove = addWaiter(engine.waiters, id, wake);
  signal.addEventListener("abort", wake);
  const timer = engine.clock.schedule(wake, limits.pollMs);
  try {
    const now = await engine.store.read(id);
    if (now?.version !== version) return now;
    await change;
  } finally {
    remove();
    signal.removeEventListener("abort", wake);
    engine.clock.clear(timer);
  }
  if (signal.aborted) throw signal.reason;
  return engine.store.read(id);
}

/** Registers a function to call at the next change of a task. Returns a function that removes it. */
function addWaiter(waiters: Map<string, Set<() => void>>, id: string, wake: () => void): () => void {
  const all = waiters.get(id) ?? new Set();
  waiters.set(id, all.add(wake));
  return () => {
    all.delete(wake);
    if (all.size === 0 && waiters.get(id) === all) waiters.delete(id);
  };
}
