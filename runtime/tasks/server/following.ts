import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import { notification } from "./notices.js";
import type { Run } from "./run.js";

// What a process does while it has runs, or waits for those of others. Loaded when there is one.

/** A run has a task from now on. */
export function began(engine: Engine, run: Run, { id, limits }: TaskRecord): void {
  follow(engine);
  run.deadline = engine.clock.now() + (limits.maxRunMs ?? Infinity);
  engine.runs.set(id, run);
}

/** Follows the changes that other processes make, if the bus of the server carries them. */
export function follow(engine: Engine): void {
  const { bus } = engine;
  if (!bus || engine.isClosed) return;
  // Tasks need no bus: what waits for them looks at the store.
  engine.safely(() => {
    engine.unfollow ??= bus.subscribe(({ method, params }) => {
      if (method !== notification) return;
      const { taskId, status } = (params ?? {}) as { readonly taskId?: unknown; readonly status?: unknown };
      // A bus carries what another program publishes, too.
      if (typeof taskId !== "string") return;
      engine.wake(taskId);
      // A run whose task was ended elsewhere finds that it cannot go on.
      if (status !== "working") void prolong(engine, engine.runs.get(taskId));
    });
  });
}

export async function prolong(engine: Engine, run: Run | undefined): Promise<void> {
  await run?.prolong().catch((error: unknown) => engine.fault(error));
}
