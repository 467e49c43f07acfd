import type { RunCommand } from "../context.js";
import { serverSource } from "../servers/named-servers.js";
import { ServerTasks, isFinal } from "./server-tasks.js";
import { taskNamed } from "./task-id.js";
import { withTasks } from "./with-tasks.js";

/** Asks the server to cancel a task. One that has ended stays as it is. */
export const taskCancel: RunCommand = async (args, context) => {
  const source = await serverSource(args.required("source"), args, context);
  const tasks = await ServerTasks.open(source, "", context);
  const named = taskNamed(args, tasks);
  const { taskId } = named;
  const [before, after] = await withTasks(source, tasks, args, context, async () => {
    const found = await tasks.state(named);
    if (isFinal(found.status)) return [found, found];
    await tasks.cancel(named);
    return [found, await tasks.state(named)];
  });
  if (after!.status === "cancelled") tasks.files.delete(tasks.key, taskId);
  const hadEnded = isFinal(before!.status);
  return {
    text: after!.status,
    ...(hadEnded && { summary: "the task had ended before" }),
    ...(!isFinal(after!.status) && {
      summary: `the server was asked to cancel the task; \`${tasks.commandFor("get", taskId)}\` shows whether it did`,
    }),
    data: { task: after },
  };
};
