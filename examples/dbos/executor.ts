// Tasks on workers of DBOS: each run is a workflow with one step, in a queue that PostgreSQL keeps.
import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Executor, Tasks } from "@mcpgen/tasks";

/** What both sides of a queue need. */
export interface QueueOptions {
  /** URL of the database of DBOS. */
  readonly systemDatabaseUrl: string;
  /** Name of the queue. Default: `mcp-tasks`. */
  readonly name?: string;
}

const workflowName = "runTask";
const applicationName = "mcp-tasks";

/** The option `executor` of `tasks()`, for a process that runs no workflows. */
export async function dbosExecutor({
  systemDatabaseUrl,
  name = "mcp-tasks",
}: QueueOptions): Promise<Executor> {
  const client = await DBOSClient.create({ systemDatabaseUrl, applicationName });
  return {
    // Workflows have ids of DBOS: a task is in the queue again after each input.
    enqueue: (taskId) => client.enqueue({ queueName: name, workflowName }, taskId),
  };
}

/**
 * Runs the tasks of a queue in this process, until `DBOS.shutdown()`.
 *
 * @param concurrency tasks that run at once
 */
export async function dbosWorker(
  tasks: Tasks,
  {
    systemDatabaseUrl,
    name = "mcp-tasks",
    concurrency = 10,
  }: QueueOptions & { readonly concurrency?: number },
): Promise<void> {
  DBOS.setConfig({ name: applicationName, systemDatabaseUrl });
  // A handler is no workflow of DBOS: its journal is in the store of tasks.
  DBOS.registerWorkflow((taskId: string) => DBOS.runStep(() => tasks.run(taskId), { name: "run" }), {
    name: workflowName,
  });
  await DBOS.launch();
  await DBOS.registerQueue(name, { workerConcurrency: concurrency, minPollingIntervalMs: 100 });
}
