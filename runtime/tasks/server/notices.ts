import type { ServerNotifications } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import type { Server } from "@mcpgen/runtime";
import type { TaskRecord } from "../state/record.js";
import { detailedTask } from "./view.js";

// Changes of tasks travel on the bus of the server, to the subscriptions of all processes that share the bus.

export const notification: keyof ServerNotifications = "notifications/tasks";

/** Notifies clients, and other processes, of a task as it is now. */
export function notifyOf(server: Server, record: TaskRecord, now: number): void {
  server.notify(notification, detailedTask(record, now));
}
