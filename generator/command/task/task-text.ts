import type { TaskState } from "../../capture/live-tasks.js";

/** The state of a task in a line. */
export function stateText({ status, statusMessage }: TaskState): string {
  return statusMessage === undefined ? status : `${status}: ${statusMessage}`;
}
