import type { TaskStatus } from "../state/record.js";

/** What happened to a task. */
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
  /** Of `refused`: as the client sent it, 64 characters at most; empty for a call that did not become a task. */
  readonly id: string;
  /** Name of the authenticated client, or an empty string. */
  readonly owner: string;
  /** Name of the tool; empty if an id was refused. */
  readonly tool: string;
  /** Absent of `refused`. */
  readonly status?: TaskStatus;
  /**
   * Of `refused`: the quota, such as `quotas.running`, `unknown` for an id that this client does not have, or `scopes` for a token
   * without the scopes of the call. A call of a tool that does not require tasks runs inline where a quota is exceeded.
   */
  readonly reason?: string;
}

export type TaskEventListener = (event: TaskAudit) => void;

/** Reports an event. */
export type Reporter = (type: TaskAudit["type"], about: Omit<TaskAudit, "type">) => void;

/** Reports events, whatever the listener does. */
export function reporter(listener: TaskEventListener | undefined): Reporter {
  return (type, { id, owner, tool, status, reason }) => {
    if (!listener) return;
    const event = { type, id, owner, tool, ...(status && { status }), ...(reason && { reason }) };
    // A task depends neither on what a listener throws nor on its promise.
    void (async () => listener(event))().catch(() => {});
  };
}
