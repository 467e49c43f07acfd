import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import type { LiveClient } from "../capture/runtime.js";
import type { TaskState } from "../capture/live-tasks.js";
import { type Finding, CodedError, findingOfError } from "../diagnostics/coded-error.js";
import { counted, oneLine, columns, printable } from "../print/terminal-text.js";
import {
  type RunCommand,
  type CommandContext,
  type Outcome,
  type Arguments,
  withFindings,
} from "./command.js";
import { serverSource } from "./servers/named-servers.js";
import { ServerTasks, isFinal } from "./task/server-tasks.js";
import { type KeptTask, type NamedTask, TaskFiles } from "./task/task-files.js";
import { askServer } from "./ask/ask-server.js";
import { toolOutcome } from "./call/tool-outcome.js";
import { expectFree } from "./content.js";
import type { ServerSource } from "../capture/server-source.js";
import { type Questions, withServer } from "../capture/with-server.js";
import { expectReach, serverOptions } from "./server-options.js";

/**
 * Lists tasks. With a SOURCE: the tasks that the server lists and those that this machine has started there,
 * with their states. Without: all tasks that this machine has started.
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
    // Sequentially, because servers limit the rate of requests.
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

/** Maximum number of pages read from a list. */
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

/** The question of a request for input; its key if it has no message. */
function questionOf(key: string, request: unknown): string {
  const { params } = (request ?? {}) as { readonly params?: { readonly message?: unknown } };
  return typeof params?.message === "string" ? params.message : key;
}

/** Asks the server to cancel a task. A task that has ended stays as it is. */
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

/** Waits for a task, and prints its result as `call` does. */
export const taskResult: RunCommand = async (args, context) => {
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  const tasks = await ServerTasks.open(source, "task", context);
  const named = taskNamed(args, tasks);
  const use = async (client: LiveClient): Promise<JsonObject> => {
    tasks.expectOffered(client);
    return tasks.result(tasks.waitedFor ?? named);
  };
  const tool = named.kept?.tool ?? "task";
  const show = (result: JsonObject): Outcome =>
    withFindings(toolOutcome(result, { tool, source }, args, context), tasks.findings);
  return askServer({ source, args, context, tasks, use, show });
};

/**
 * Selects the task: by the argument `id`, else the only one that this machine has started on the server.
 *
 * @throws CodedError MG2018 if there is not exactly one, MG6323 for a task of another server, MG1010 for an
 * invalid file
 */
function taskNamed(args: Arguments, { files, key, shown }: ServerTasks): NamedTask {
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

/**
 * Leaves the server's questions unanswered. Up to 2025-06-18 a task asks whichever client is connected. A
 * command that only shows tasks must not decline for the user: the server will ask the next client, `task
 * result`.
 */
const unanswered: Questions = {
  elicit: () => new Promise(() => {}),
  elicitUrl: () => new Promise(() => {}),
};

/**
 * Connects to a server that supports tasks. Leaves its questions unanswered.
 *
 * @throws CodedError as `withServer`, and MG6324 for a server without tasks
 */
function withTasks<T>(
  source: ServerSource,
  tasks: ServerTasks,
  args: Arguments,
  context: CommandContext,
  use: (client: LiveClient) => Promise<T>,
): Promise<T> {
  expectReach(args, source, context.directory);
  const options = {
    ...serverOptions(args, context),
    extensions: tasks.live.extensions,
    questions: unanswered,
  };
  return withServer(source, options, (client) => {
    tasks.expectOffered(client);
    return use(client);
  });
}
