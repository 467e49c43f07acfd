import type { TaskRecord } from "../state/record.js";

/**
 * What the client that made a task gets without a request. The process that the client is connected to keeps the voice until
 * the task ends.
 */
export interface Voice {
  /** The status of the task has changed. */
  readonly changed?: (record: TaskRecord) => void;
  readonly progressed?: (id: string, ...report: Report) => void;
  /** The handler sends a notification, or a log message. */
  readonly sent?: (id: string, method: string, params: object | undefined) => void;
}

/** Progress, as handlers report it. */
export type Report = [progress: number, total?: number | undefined, message?: string | undefined];
