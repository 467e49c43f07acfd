import { type TaskRecord, internal, isFinal } from "../state/record.js";
import { giveUp, start, take } from "./again.js";
import type { Engine } from "./engine.js";
import { type QuotaCounter, minute } from "./quotas.js";
import type { Run } from "./run.js";

// What is due is looked at by one timer for all tasks. Loaded when the timer fires first.

/** Tasks that are looked at in one step of a sweep. */
const sweepStep = 100;

/** Looks at what is due: runs of this process first, then tasks of the store. */
export async function sweep(engine: Engine): Promise<void> {
  const now = engine.now();
  forgetCounts(engine.quotas, engine.clock.now());
  const seen = new Set<string>();
  for (let isMore = true; isMore;) {
    // In each step: no lease lapses while many tasks are due.
    await Promise.all([...engine.runs.values()].map((run) => keep(engine, run)));
    const due = await engine.store.due(now, sweepStep);
    const fresh = due.filter(({ id }) => !seen.has(id));
    for (const record of fresh) {
      seen.add(record.id);
      // One that cannot be changed does not keep others waiting.
      await look(engine, record).catch((error: unknown) => engine.fault(error));
    }
    isMore = fresh.length > 0 && due.length === sweepStep;
  }
  await forgetVoices(engine);
}

/** Forgets clients that made nothing in the last minute, and tasks that were not polled of late. */
function forgetCounts({ creations, polls }: QuotaCounter, now: number): void {
  for (const [owner, made] of creations) if (made.at(-1)! <= now - minute) creations.delete(owner);
  for (const [id, until] of polls) if (until <= now) polls.delete(id);
}

/** Looks at a run of this process. */
async function keep(engine: Engine, run: Run): Promise<void> {
  const left = run.leasedUntil - engine.now();
  if (run.outcome) {
    if (left > 0) await run.save().catch((error: unknown) => engine.fault(error));
    else run.end();
  } else if (run.deadline <= engine.clock.now()) tooLong(engine, run);
  else if (left <= engine.leaseMs / 2) await engine.prolong(run);
}

/** `maxRunMs` is over. */
function tooLong(engine: Engine, run: Run): void {
  const { deadline } = run;
  run.deadline = Infinity;
  const error = internal("the task took too long");
  run.apply({ type: "failed", run: run.name, error }).catch((cause: unknown) => {
    // The next sweep tries again.
    run.deadline = deadline;
    engine.fault(cause);
  });
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

/** Lets go of the clients of tasks that another process has ended. */
async function forgetVoices({ voices, runs, store }: Engine): Promise<void> {
  const oldest = [...voices].slice(0, sweepStep);
  for (const [id, voice] of oldest) {
    // The next sweep looks at others.
    voices.delete(id);
    voices.set(id, voice);
    const record = runs.has(id) ? undefined : await store.read(id);
    if (runs.has(id) || (record && !isFinal(record.status)) || voices.get(id) !== voice) continue;
    voices.delete(id);
    if (record) voice.changed?.(record);
  }
}
