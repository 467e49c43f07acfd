import { type TaskRecord, internal, isFinal } from "../state/record.js";
import { giveUp, start, take } from "./again.js";
import type { Engine } from "./engine.js";
import type { Run } from "./run.js";

// What is due is looked at by one timer for all tasks. Loaded when the timer fires first.

/** Tasks that are looked at in one step of a sweep. */
const sweepStep = 100;

/** Looks at what is due: runs of this process first, then tasks of the store. */
export async function sweep(engine: Engine): Promise<void> {
  const now = engine.now();
  engine.quotas.sweep(now);
  const prolonged: Promise<unknown>[] = [];
  for (const run of engine.runs.values()) {
    if (run.deadline <= engine.clock.now()) tooLong(run);
    else if (run.leasedUntil - now <= engine.leaseMs / 2) prolonged.push(engine.prolong(run));
  }
  await Promise.all(prolonged);
  const seen = new Set<string>();
  for (let isMore = true; isMore;) {
    const due = await engine.store.due(now, sweepStep);
    const fresh = due.filter(({ id }) => !seen.has(id));
    for (const record of fresh) {
      seen.add(record.id);
      await look(engine, record);
    }
    isMore = fresh.length > 0 && due.length === sweepStep;
  }
}

/** `maxRunMs` is over. */
function tooLong(run: Run): void {
  run.deadline = Infinity;
  const error = internal("the task took too long");
  void run.apply({ type: "failed", run: run.name, error }).catch(() => undefined);
}

async function look(engine: Engine, record: TaskRecord): Promise<void> {
  const { id, version, status } = record;
  if (isFinal(status)) {
    await engine.store.remove(id, version);
    return engine.report("expired", record);
  }
  if (status === "input_required") return giveUp(engine, record, "the client gave no input in time");
  await take(engine, record, () => start(engine, record));
}
