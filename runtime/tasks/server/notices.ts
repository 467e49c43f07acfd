import type { ServerNotifications } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import type { NotificationBus, Server } from "@mcpgen/runtime";
import type { TaskRecord } from "../state/record.js";
import { detailedTask } from "./view.js";

// Changes of tasks travel on the bus of the server, to the subscriptions of all processes that share the bus.

const notification: keyof ServerNotifications = "notifications/tasks";

/** Notifies clients, and other processes, of a task as it is now. */
export function notifyOf(server: Server, record: TaskRecord, now: number): void {
  server.notify(notification, detailedTask(record, now));
}

/** Calls `listener` with each task that changed, here or elsewhere. Returns a function that ends this. */
export function followTasks(
  bus: NotificationBus,
  listener: (id: string, status: unknown) => void,
): () => void {
  return bus.subscribe(({ method, params }) => {
    if (method === notification) listener(params!["taskId"] as string, params!["status"]);
  });
}
