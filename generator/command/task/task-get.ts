import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import type { TaskState } from "../../capture/live-tasks.js";
import { oneLine } from "../../print/one-line.js";
import { columns } from "../columns.js";
import type { RunCommand } from "../context.js";
import { serverSource } from "../servers/named-servers.js";
import { ServerTasks, isFinal } from "./server-tasks.js";
import { taskNamed } from "./task-id.js";
import { withTasks } from "./with-tasks.js";

/** Shows the state of a task. */
export const taskGet: RunCommand = async (args, context) => {
  const source = await serverSource(args.required("source"), args, context);
  const tasks = await ServerTasks.open(source, "", context);
  const named = taskNamed(args, tasks);
  const state = await withTasks(source, tasks, args, context, () => tasks.state(named));
  const tool = named.kept?.tool;
  return {
    text: columns(rowsOf(state, tool)),
    summary: `\`${tasks.commandFor("result", named.taskId)}\` ${isFinal(state.status) ? "prints its result" : waiting(state)}`,
    data: { ...(tool !== undefined && { tool }), task: state },
  };
};

function waiting({ status }: TaskState): string {
  return status === "input_required" ? "asks you what it waits for" : "waits for its result";
}

function rowsOf(state: TaskState, tool: string | undefined): string[][] {
  const { status, statusMessage, createdAt, lastUpdatedAt, error, inputRequests } = state;
  const failure = isJsonObject(error ?? null) ? (error as JsonObject)["message"] : undefined;
  const asked = isJsonObject(inputRequests ?? null) ? (inputRequests as JsonObject) : {};
  const rows: [string, unknown][] = [
    ["status", status],
    ["message", statusMessage],
    ["tool", tool],
    ["created", createdAt],
    ["changed", lastUpdatedAt],
    ["error", failure],
    ...Object.entries(asked).map(([key, request]): [string, unknown] => ["asks", questionOf(key, request)]),
  ];
  return rows.flatMap(([name, value]) => (typeof value === "string" ? [[name, oneLine(value, " ")]] : []));
}

/** What a request for input asks, and its key where it has no message. */
function questionOf(key: string, request: unknown): string {
  const { params } = (request ?? {}) as { readonly params?: { readonly message?: unknown } };
  return typeof params?.message === "string" ? params.message : key;
}
