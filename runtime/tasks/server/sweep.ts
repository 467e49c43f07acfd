import { withTimeout } from "@mcpgen/base";
import { type TaskRecord, internal, isFinal } from "../state/record.js";
import type { Engine } from "./engine.js";
import { type QuotaCounter, minute } from "./quotas.js";
import type { Run } from "./run.js";
import { giveUp, prolong, start, take } from "./runs.js";
import { alignClock, prepareStore } from "./shared-store.js";

// One timer checks all due tasks. Loaded when the timer first fires.

/** Number of tasks that one step of a sweep checks. */
const sweepStep = 100;

/** Engines whose stored tasks are being checked. This may take longer than the time to the next sweep. */
const looking = new WeakSet<Engine>();

/** Runs that are being checked. */
const keeping = new WeakSet<Run>();

/**
 * Checks the runs of this process, then the due tasks of the store. If the store is slow, resolves earlier,
 * so that the next sweep can renew the leases of other runs meanwhile.
 */
export async function sweep(engine: Engine): Promise<void> {
  await prepareStore(engine);
  const work = looking.has(engine) ? keepAll(engine) : lookAtAll(engine);
  const done = work.catch((error: unknown) => engine.fault(error));
  await withTimeout(engine.leaseMs / 4, done, engine.clock);
}

async function lookAtAll(engine: Engine): Promise<void> {
  looking.add(engine);
  try {
    await alignClock(engine);
    await lookAtDue(engine);
    await forgetVoices(engine);
    await forgetQueued(engine);
  } finally {
    looking.delete(engine);
  }
}

async function lookAtDue(engine: Engine): Promise<void> {
  const now = engine.now();
  forgetCounts(engine.quotas, engine.clock.now());
  const seen = new Set<string>();
  for (let isMore = true; isMore;) {
    // Repeated in each step, so that no lease expires while many tasks are due.
    await keepAll(engine);
    const due = await engine.store.due(now, sweepStep);
    const fresh = due.filter(({ id }) => !seen.has(id));
    for (const record of fresh) {
      seen.add(record.id);
      // A task that cannot be changed must not block others.
      await look(engine, record).catch((error: unknown) => engine.fault(error));
    }
    isMore = fresh.length > 0 && due.length === sweepStep;
  }
}

/** Checks the runs of this process, except runs whose previous check still waits for the store. */
async function keepAll(engine: Engine): Promise<void> {
  const runs = [...engine.runs.values()].filter((run) => !keeping.has(run));
  await Promise.all(
    runs.map((run) => {
      keeping.add(run);
      return keep(engine, run).finally(() => keeping.delete(run));
    }),
  );
}

/**
 * Drops the counts of clients without new tasks in the last minute, and of tasks without recent early polls.
 */
function forgetCounts({ creations, polls }: QuotaCounter, now: number): void {
  for (const [owner, made] of creations) if (made.at(-1)! <= now - minute) creations.delete(owner);
  for (const [id, until] of polls) if (until <= now) polls.delete(id);
}

/** Checks a run of this process: saves its outcome, ends it after `maxRunMs`, or renews its lease. */
async function keep(engine: Engine, run: Run): Promise<void> {
  const left = run.leasedUntil - engine.now();
  if (run.outcome) {
    if (left > 0) await run.save().catch((error: unknown) => engine.fault(error));
    else run.end();
  } else if (run.deadline <= engine.clock.now()) tooLong(engine, run);
  else if (left <= engine.leaseMs / 2) await prolong(engine, run);
}

/** Fails a task whose `maxRunMs` is over. */
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
    // Several processes may see that the task is due. Only one removes it.
    if (await engine.store.remove(id, version)) engine.report("expired", record);
    return;
  }
  if (status === "input_required") return giveUp(engine, record, "the client gave no input in time");
  await take(engine, record, () => start(engine, record));
}

/** Stops counting queued tasks that workers in other processes have ended. */
async function forgetQueued({ quotas, store }: Engine): Promise<void> {
  const { queued } = quotas;
  for (const [id, owner] of [...queued].slice(0, sweepStep)) {
    const record = await store.read(id);
    if (!record || isFinal(record.status) || record.status === "input_required") quotas.unqueued(id);
    // Move it to the end, so that the next sweep checks others.
    else if (queued.delete(id)) queued.set(id, owner);
  }
}

/** Drops the voices of tasks that another process has ended, after a last message. */
async function forgetVoices({ voices, runs, store }: Engine): Promise<void> {
  const oldest = [...voices].slice(0, sweepStep);
  for (const [id, voice] of oldest) {
    // Move it to the end, so that the next sweep checks others.
    voices.delete(id);
    voices.set(id, voice);
    const record = runs.has(id) ? undefined : await store.read(id);
    if (runs.has(id) || (record && !isFinal(record.status)) || voices.get(id) !== voice) continue;
    voices.delete(id);
    if (record) voice.changed?.(record);
  }
}
