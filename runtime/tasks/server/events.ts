import type { TaskStatus } from "../state/record.js";

/** An event in the life of a task, for audit. */
export interface TaskAudit {
  /**
   * - `created`: a call became a task. Its handler runs already.
   * - `started`: a run of the handler began after input, or after the end of another process.
   * - `asked`: the task waits for input. `answered`: the client answered, perhaps in part.
   * - `ended`: it has its final status.
   * - `read`: a client got the state or the result.
   * - `expired`: it was removed after its retention.
   * - `refused`: a client may not have what it wants.
   */
  readonly type: "created" | "started" | "asked" | "answered" | "ended" | "read" | "expired" | "refused";
  /**
   * Id of the task. For `refused`: the id that the client sent, cut to 64 characters; empty for a call that did not
   * become a task.
   */
  readonly id: string;
  /** Name of the authenticated client, or an empty string. */
  readonly owner: string;
  /** Name of the tool; empty if an id was refused. */
  readonly tool: string;
  /** Absent for `refused`. */
  readonly status?: TaskStatus;
  /**
   * For `refused`: the exceeded limit, such as `limits.work`; `unknown` for an id that is not a task of this client;
   * or `scopes` for a token without the scopes of the call. If a limit is exceeded, a call still runs inline, unless
   * its tool requires tasks.
   */
  readonly reason?: string;
}

export type TaskEventListener = (event: TaskAudit) => void;

/** Reports an event. */
export type Reporter = (type: TaskAudit["type"], about: Omit<TaskAudit, "type">) => void;

/** Makes a reporter that ignores errors of the listener. */
export function reporter(listener: TaskEventListener | undefined): Reporter {
  return (type, { id, owner, tool, status, reason }) => {
    if (!listener) return;
    const event = { type, id, owner, tool, ...(status && { status }), ...(reason && { reason }) };
    // Neither an exception nor a rejected promise of the listener affects the task.
    void (async () => listener(event))().catch(() => {});
  };
}
