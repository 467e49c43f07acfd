import type { TaskRecord, TaskStatus } from "../state/record.js";

/** What happened to a task. */
export interface TaskAudit {
  /** `expired`: it was removed after its retention. */
  readonly type: "created" | "started" | "asked" | "answered" | "ended" | "read" | "expired";
  readonly id: string;
  /** Name of the authenticated client, or an empty string. */
  readonly owner: string;
  readonly tool: string;
  readonly status: TaskStatus;
}

export type TaskEventListener = (event: TaskAudit) => void;

/** Reports events, whatever the listener does. */
export function reporter(
  listener: TaskEventListener | undefined,
): (type: TaskAudit["type"], record: TaskRecord) => void {
  return (type, { id, owner, tool, status }) => {
    try {
      listener?.({ type, id, owner, tool, status });
    } catch {
      // A task does not depend on who listens.
    }
  };
}
