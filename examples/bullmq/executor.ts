// Tasks on workers of BullMQ: each run is a job with the id of its task.
import type { Executor, Tasks } from "@mcpgen/tasks";
import { type ConnectionOptions, Queue, Worker } from "bullmq";

/** What both sides of a queue need. */
export interface QueueOptions {
  readonly connection: ConnectionOptions;
  /** Name of the queue. Default: `mcp-tasks`. */
  readonly name?: string;
}

/** The option `executor` of `tasks()`. */
export function bullExecutor({ connection, name = "mcp-tasks" }: QueueOptions): Executor & AsyncDisposable {
  const queue = new Queue<{ taskId: string }>(name, {
    connection,
    // The store of tasks knows how they end.
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  return {
    // Jobs have ids of BullMQ: a task is in the queue again after each input, while its last job may not be removed yet.
    enqueue: (taskId) => queue.add("run", { taskId }),
    [Symbol.asyncDispose]: () => queue.close(),
  };
}

/**
 * Runs the tasks of a queue in this process.
 *
 * @param concurrency tasks that run at once
 * @returns a worker; `close()` waits for its runs, unless `tasks.close()` was called before
 */
export function bullWorker(
  tasks: Tasks,
  { connection, name = "mcp-tasks", concurrency = 10 }: QueueOptions & { readonly concurrency?: number },
): Worker {
  const worker = new Worker<{ taskId: string }>(name, ({ data }) => tasks.run(data.taskId), {
    connection,
    concurrency,
  });
  // A job that fails here is no lost task: the server hands it over again.
  worker.on("error", (error) => console.error(error));
  return worker;
}
