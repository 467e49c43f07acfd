import {
  type Asked,
  type Done,
  type Journal,
  type Lease,
  type Note,
  type TaskError,
  type TaskRecord,
  charactersOf,
  isFinal,
} from "./record.js";

/** An event of a task. Events with `run` come from a run of its handler. */
export type TaskEvent =
  /** A run takes the task or renews its lease. */
  | { readonly type: "leased"; readonly lease: Lease }
  /**
   * The task is in a queue, or waits for a free place. If no run takes it, it is due again after the wait,
   * which doubles each time.
   */
  | { readonly type: "queued"; readonly waitMs: number }
  /** A run returns the task: any worker may take it. */
  | { readonly type: "released"; readonly run: string }
  /** The handler reports progress. */
  | ({ readonly type: "noted"; readonly run: string } & Note)
  /** An effect of `context.once` is complete. */
  | { readonly type: "done"; readonly run: string; readonly effect: Done }
  /** The handler has ended while input is missing. */
  | { readonly type: "asked"; readonly run: string; readonly wanted: { readonly [key: string]: Asked } }
  /** The client answers. Keys that are not outstanding are ignored. */
  | { readonly type: "answered"; readonly answers: Journal["answers"] }
  | { readonly type: "completed"; readonly run: string; readonly result: object; readonly size?: number }
  /** With `run`, the handler failed; without it, the server gave up. */
  | { readonly type: "failed"; readonly run?: string; readonly error: TaskError; readonly size?: number }
  | { readonly type: "cancelled"; readonly message?: string };

/**
 * Returns the record of a task after an event (2025-11-25, tasks, task status lifecycle).
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
    case "completed": {
      const { result, size = charactersOf(result) } = event;
      return ended(record, { status: "completed", result }, size, at);
    }
    case "failed": {
      const { error, size = charactersOf(error) } = event;
      return ended(record, { status: "failed", error, message: error.message }, size, at);
    }
    case "cancelled":
      return ended(record, { status: "cancelled", ...messageOf(event) }, 0, at);
  }
}

/** A run may take an expired lease, or renew its own. */
function leased(record: TaskRecord, lease: Lease, at: number): TaskRecord {
  const { status, lease: held } = record;
  if (status !== "working" || (held && held.run !== lease.run && held.until > at)) return record;
  const { queued: _, ...rest } = record;
  const isRestart = held !== undefined && held.run !== lease.run;
  return next(rest, { lease, dueAt: lease.until, ...(isRestart && restarted(record)) });
}

/** Only a due task can be queued. */
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
  const more = (message?.length ?? 0) - (record.message?.length ?? 0);
  return isSame ? record : next(record, { ...note, ...grown(record, more), updatedAt: at });
}

/** An effect is stored once: later runs use its first result. */
function done(record: TaskRecord, effect: Done): TaskRecord {
  const journal = journalOf(record);
  if (journal.once.some(({ key }) => key === effect.key)) return record;
  return next(record, {
    journal: { ...journal, once: [...journal.once, effect] },
    ...grown(record, charactersOf(effect)),
  });
}

/** @param more characters by which the record grows; negative if it shrinks */
function grown({ size = 0 }: TaskRecord, more: number): { readonly size?: number } {
  return more === 0 ? {} : { size: Math.max(0, size + more) };
}

function released(record: TaskRecord, at: number): TaskRecord {
  const { lease: _, ...rest } = record;
  return next(rest, { dueAt: at });
}

function asked(record: TaskRecord, wanted: { readonly [key: string]: Asked }, at: number): TaskRecord {
  const { answers } = journalOf(record);
  // A key is used only once in the life of a task.
  const fresh = Object.entries(wanted).filter(([key]) => !Object.hasOwn(answers, key));
  if (fresh.length === 0) return record;
  const { lease: _, ...rest } = record;
  const asks = Object.fromEntries(fresh);
  return next(rest, {
    status: "input_required",
    wanted: asks,
    ...grown(record, charactersOf(asks)),
    updatedAt: at,
    dueAt: at + record.limits.waitMs,
  });
}

/** When no request is outstanding, the task is due, and any worker may take it. */
function answered(record: TaskRecord, answers: Journal["answers"], at: number): TaskRecord {
  const { wanted = {}, ...rest } = record;
  const isAnswered = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(answers, key);
  const outstanding = Object.entries(wanted);
  const taken = outstanding.filter(isAnswered).map(([key]) => [key, answers[key]!] as const);
  if (taken.length === 0) return record;
  const old = journalOf(record);
  const fresh = Object.fromEntries(taken);
  const journal = { ...old, answers: { ...old.answers, ...fresh } };
  const left = outstanding.filter((each) => !isAnswered(each));
  const still = left.length > 0 ? Object.fromEntries(left) : undefined;
  const size = grown(record, charactersOf(fresh) + charactersOf(still) - charactersOf(wanted));
  return still
    ? next(rest, { journal, ...size, wanted: still, updatedAt: at, dueAt: at + record.limits.waitMs })
    : next(rest, { journal, ...size, status: "working", updatedAt: at, dueAt: at });
}

/**
 * Makes the record of an ended task, with only the members that clients can still read.
 *
 * @param kept characters of the outcome
 */
function ended(record: TaskRecord, outcome: Partial<TaskRecord>, kept: number, at: number): TaskRecord {
  const { id, owner, version, createdAt, limits, tool, scopes, onRestart } = record;
  const { message = record.message } = outcome;
  const size = kept + (message?.length ?? 0);
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
    ...(scopes && { scopes }),
    onRestart,
    ...outcome,
    ...(message !== undefined && { message }),
    ...(size > 0 && { size }),
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
