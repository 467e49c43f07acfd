import { CodedError } from "../../diagnostics/coded-error.js";
import { printable } from "../../print/terminal-text.js";
import type { Arguments } from "../arguments.js";
import { counted } from "../../print/counted.js";
import type { ServerTasks } from "./server-tasks.js";
import type { KeptTask, NamedTask } from "./task-files.js";

/**
 * The task of the argument `id`; without it, the only one that this machine has started on the server.
 *
 * @throws CodedError MG2018 for none and for several, MG6323 for a task of another server, MG1010 for a broken file
 */
export function taskNamed(args: Arguments, { files, key, shown }: ServerTasks): NamedTask {
  const taskId = args.string("id");
  if (taskId === undefined)
    return onlyOf(
      files.list(key, (error) => {
        throw error;
      }),
      shown,
    );
  const kept = files.read(key, taskId);
  const other = kept ? undefined : files.elsewhere(key, taskId);
  if (other === undefined) return { taskId, kept };
  throw new CodedError("MG6323", `the task ${JSON.stringify(taskId)} is one of another server`, {
    place: { file: shown },
    next: `Name its server: ${printable(other.source)}.`,
  });
}

function onlyOf(tasks: readonly KeptTask[], shown: string): NamedTask {
  const [first] = tasks;
  if (first && tasks.length === 1) return { taskId: first.task.taskId, kept: first };
  throw new CodedError(
    "MG2018",
    `expected the id of a task: ${counted(tasks.length, "task")} of ${shown} are kept here`,
    {
      next: first
        ? `Name one: ${tasks.map(({ task, tool }) => `${task.taskId} (${tool})`).join(", ")}.`
        : "Give the id that `mcpgen call … --detach` printed.",
    },
  );
}
