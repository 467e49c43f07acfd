import {
  type Asked,
  type Done,
  type Journal,
  type Lease,
  type Note,
  type TaskError,
  type TaskRecord,
  isFinal,
} from "./record.js";

/** What happens to a task. Events with `run` come from a run of its handler. */
export type TaskEvent =
  /** A run takes the task, or goes on with it. */
  | { readonly type: "leased"; readonly lease: Lease }
  /** The task is handed to a queue, or waits for a free place. Without a run, it is due again after the wait, which doubles each time. */
  | { readonly type: "queued"; readonly waitMs: number }
  /** A run gives the task back: any worker may take it. */
  | { readonly type: "released"; readonly run: string }
  /** The handler reports what it does. */
  | ({ readonly type: "noted"; readonly run: string } & Note)
  /** An effect of `context.once` has ended. */
  | { readonly type: "done"; readonly run: string; readonly effect: Done }
  /** The handler waits for input. */
  | { readonly type: "asked"; readonly run: string; readonly wanted: { readonly [key: string]: Asked } }
  /** The client answers. Keys that are not outstanding are ignored. */
  | { readonly type: "answered"; readonly answers: Journal["answers"] }
  | { readonly type: "completed"; readonly run: string; readonly result: object; readonly size?: number }
  /** With `run`, the handler failed; without, the server gives up. */
  | { readonly type: "failed"; readonly run?: string; readonly error: TaskError }
  | { readonly type: "cancelled"; readonly message?: string };

/**
 * The state of a task after an event (2025-11-25, tasks, task status lifecycle).
 *
 * @param at milliseconds since 1970
 * @returns `record` itself if the event has no effect: the task has ended, or another run has it
 */
export function advance(record: TaskRecord, event: TaskEvent, at: number): TaskRecord {
  if (isFinal(record.status)) return record;
  if (event.type === "leased") return leased(record, event.lease, at);
  if ("run" in event && event.run !== record.lease?.run) return record;
  switch (event.type) {
    case "queued":
      return queued(record, event.waitMs, at);
    case "released":
      return released(record, at);
    case "noted":
      return noted(record, event, at);
    case "done":
      return done(record, event.effect);
    case "asked":
      return asked(record, event.wanted, at);
    case "answered":
      return answered(record, event.answers, at);
    case "completed":
      return ended(
        record,
        { status: "completed", result: event.result, ...(event.size && { size: event.size }) },
        at,
      );
    case "failed":
      return ended(record, { status: "failed", error: event.error, message: event.error.message }, at);
    case "cancelled":
      return ended(record, { status: "cancelled", ...messageOf(event) }, at);
  }
}

/** A lease is free if it has lapsed; a run may prolong its own. */
function leased(record: TaskRecord, lease: Lease, at: number): TaskRecord {
  const { status, lease: held } = record;
  if (status !== "working" || (held && held.run !== lease.run && held.until > at)) return record;
  const { queued: _, ...rest } = record;
  const isRestart = held !== undefined && held.run !== lease.run;
  return next(rest, { lease, dueAt: lease.until, ...(isRestart && restarted(record)) });
}

/** Only a task that is due waits for a run. */
function queued(record: TaskRecord, waitMs: number, at: number): TaskRecord {
  if (record.status !== "working" || record.dueAt > at) return record;
  const { lease, queued: before = 0, ...rest } = record;
  const dueAt = at + waitMs * 2 ** Math.min(before, 10);
  return next(rest, { queued: before + 1, dueAt, ...(lease && restarted(record)) });
}

function restarted({ restarts = 0 }: TaskRecord): Partial<TaskRecord> {
  return { restarts: restarts + 1 };
}

function noted(record: TaskRecord, event: TaskEvent & { type: "noted" }, at: number): TaskRecord {
  const { type: _, run: __, ...note } = event;
  const { message = record.message, progress = record.progress } = note;
  const isSame = message === record.message && progress === record.progress;
  return isSame ? record : next(record, { ...note, updatedAt: at });
}

/** An effect is stored once: the next run takes its first result. */
function done(record: TaskRecord, effect: Done): TaskRecord {
  const journal = journalOf(record);
  if (journal.once.some(({ key }) => key === effect.key)) return record;
  return next(record, {
    journal: { ...journal, once: [...journal.once, effect] },
    size: grown(record, effect),
  });
}

/** Characters of a record that keeps another value. */
function grown({ size = 0 }: TaskRecord, value: object): number {
  return size + JSON.stringify(value).length;
}

function released(record: TaskRecord, at: number): TaskRecord {
  const { lease: _, ...rest } = record;
  return next(rest, { dueAt: at });
}

function asked(record: TaskRecord, wanted: { readonly [key: string]: Asked }, at: number): TaskRecord {
  const { answers } = journalOf(record);
  // A key is used once in the life of a task.
  const fresh = Object.entries(wanted).filter(([key]) => !Object.hasOwn(answers, key));
  if (fresh.length === 0) return record;
  const { lease: _, ...rest } = record;
  return next(rest, {
    status: "input_required",
    wanted: Object.fromEntries(fresh),
    updatedAt: at,
    dueAt: at + record.limits.waitMs,
  });
}

/** The task goes on when nothing is outstanding: any worker may take it. */
function answered(record: TaskRecord, answers: Journal["answers"], at: number): TaskRecord {
  const { wanted = {}, ...rest } = record;
  const isAnswered = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(answers, key);
  const outstanding = Object.entries(wanted);
  const taken = outstanding.filter(isAnswered).map(([key]) => [key, answers[key]!] as const);
  if (taken.length === 0) return record;
  const old = journalOf(record);
  const fresh = Object.fromEntries(taken);
  const journal = { ...old, answers: { ...old.answers, ...fresh } };
  const size = grown(record, fresh);
  const left = outstanding.filter((each) => !isAnswered(each));
  return left.length > 0
    ? next(rest, {
        journal,
        size,
        wanted: Object.fromEntries(left),
        updatedAt: at,
        dueAt: at + record.limits.waitMs,
      })
    : next(rest, { journal, size, status: "working", updatedAt: at, dueAt: at });
}

/** A task that has ended keeps what clients can still ask for. A copy of all other members takes more memory. */
function ended(record: TaskRecord, outcome: Partial<TaskRecord>, at: number): TaskRecord {
  const { id, owner, version, createdAt, limits, tool, onRestart, message } = record;
  return {
    id,
    owner,
    version: version + 1,
    status: record.status,
    createdAt,
    updatedAt: at,
    dueAt: at + limits.keepMs,
    limits,
    tool,
    onRestart,
    ...(message !== undefined && { message }),
    ...outcome,
  };
}

function next(record: TaskRecord, changes: Partial<TaskRecord>): TaskRecord {
  return { ...record, ...changes, version: record.version + 1 };
}

function journalOf({ journal = { answers: {}, once: [] } }: TaskRecord): NonNullable<TaskRecord["journal"]> {
  return journal;
}

function messageOf({ message }: { readonly message?: string }): { readonly message?: string } {
  return message === undefined ? {} : { message };
}
