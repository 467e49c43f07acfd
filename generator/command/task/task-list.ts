import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import type { LiveClient } from "../../capture/runtime.js";
import type { TaskState } from "../../capture/live-tasks.js";
import type { CodedError } from "../../diagnostics/coded-error.js";
import { type Finding, findingOfError } from "../../diagnostics/finding.js";
import { counted } from "../../print/counted.js";
import { oneLine } from "../../print/one-line.js";
import { columns } from "../columns.js";
import type { RunCommand } from "../context.js";
import type { Outcome } from "../outcome.js";
import { serverSource } from "../servers/named-servers.js";
import { ServerTasks } from "./server-tasks.js";
import { type KeptTask, TaskFiles } from "./task-files.js";
import { withTasks } from "./with-tasks.js";

/**
 * Shows tasks: of one server, with their states, those that it lists and those that this machine has started; without a
 * SOURCE those that this machine has started on any server.
 */
export const taskList: RunCommand = async (args, context) => {
  const findings: Finding[] = [];
  const broken = (error: CodedError): void =>
    void findings.push({ ...findingOfError(error), code: "MG1010", severity: "warning" });
  const given = args.string("source");
  if (given === undefined) return listedHere(new TaskFiles(context).all(broken), findings);
  const source = await serverSource(given, args, context);
  const tasks = await ServerTasks.open(source, "", context);
  const kept = tasks.files.list(tasks.key, broken);
  const rows = await withTasks(source, tasks, args, context, async (client) => {
    const listed = await listedBy(client);
    const others = kept.filter(({ task }) => !listed.some(({ taskId }) => taskId === task.taskId));
    const found: Row[] = listed.map((state) => ({
      state,
      kept: kept.find(({ task }) => task.taskId === state.taskId),
    }));
    // One after the other: servers bound how often they are asked.
    for (const each of others) found.push({ state: await tasks.stateOrUnknown(each), kept: each });
    return found;
  });
  return {
    findings,
    ...(rows.length > 0 && { text: columns(rows.map(cellsOf)) }),
    summary: counted(rows.length, "task"),
    data: { tasks: rows.map(({ state, kept: from }) => ({ ...state, ...aboutOf(from) })) },
  };
};

interface Row {
  readonly state: TaskState;
  readonly kept: KeptTask | undefined;
}

function cellsOf({ state, kept }: Row): string[] {
  const { taskId, status, statusMessage = "" } = state;
  return [taskId, status, kept?.tool ?? "", oneLine(statusMessage, " ")];
}

function aboutOf(kept: KeptTask | undefined): object {
  return kept === undefined ? {} : { tool: kept.tool, startedAt: kept.startedAt };
}

function listedHere(kept: readonly KeptTask[], findings: readonly Finding[]): Outcome {
  const rows = kept.map(({ task, tool, source, startedAt }) => [task.taskId, tool, startedAt, source]);
  return {
    findings,
    ...(rows.length > 0 && { text: columns(rows) }),
    summary: `${counted(rows.length, "task")} that this machine has started; \`mcpgen task list SOURCE\` shows their states`,
    data: {
      tasks: kept.map(({ task, tool, source, startedAt }) => ({
        taskId: task.taskId,
        tool,
        startedAt,
        source,
      })),
    },
  };
}

/** Pages that are read of a list. */
const mostPages = 100;

/** The tasks that the server lists, if it lists them (2025-11-25, tasks). */
async function listedBy(client: LiveClient): Promise<TaskState[]> {
  const { tasks } = client.serverCapabilities;
  if (!isJsonObject(tasks ?? null) || (tasks as JsonObject)["list"] === undefined) return [];
  const all: TaskState[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const result = await client.request("tasks/list", cursor === undefined ? {} : { cursor });
    all.push(...(result["tasks"] as readonly JsonObject[] as readonly TaskState[]));
    cursor = result["nextCursor"] as string | undefined;
    if (cursor === undefined) break;
  }
  return all;
}
