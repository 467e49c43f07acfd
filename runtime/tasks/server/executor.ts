/** Hands runs of tasks to a queue, whose workers run them: they call `run(taskId)` of `Tasks`, in any process. */
export interface Executor {
  /**
   * Called when a task is to run. If it rejects, or if no worker begins the run, it is called again: first after `leaseMs`,
   * then after twice the wait each time. A task that is in the queue twice runs once.
   */
  enqueue(taskId: string): unknown;
}
