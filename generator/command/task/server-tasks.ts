import type { JsonObject } from "@mcpgen/engine";
import { interruption } from "../../capture/interruption.js";
import { type LiveTask, type StoredTask, type TaskState, LiveTasks } from "../../capture/live-tasks.js";
import type { LiveClient } from "../../capture/runtime.js";
import { errorData, isRuntimeError, refusesParams } from "../../capture/server-error.js";
import { type ServerSource, kindOfServer, shownSource } from "../../capture/server-source.js";
import { type WarningFinding, CodedError } from "../../diagnostics/coded-error.js";
import { asTyped, oneLine, operands, shellLine, printable } from "../../print/terminal-text.js";
import type { CommandContext } from "../command.js";
import { type ServerKey, type KeptTask, type NamedTask, serverKey, TaskFiles } from "./task-files.js";

/** The tasks of one server, as one command uses them. Stores handles in files and shows states. */
export class ServerTasks {
  readonly files: TaskFiles;
  readonly key: ServerKey;
  /** Warnings about handles that could not be stored. */
  readonly findings: WarningFinding[] = [];
  /** Called when the command begins to wait for a task. */
  onWait: () => void = () => {};
  readonly #source: ServerSource;
  readonly #context: CommandContext;
  readonly #tool: string;
  #live!: LiveTasks;
  #waitedFor: LiveTask | undefined;
  #status: string | undefined;
  #shown: Promise<void> | undefined;

  private constructor(source: ServerSource, tool: string, context: CommandContext) {
    this.files = new TaskFiles(context);
    this.key = serverKey(source, context.directory);
    this.#source = source;
    this.#context = context;
    this.#tool = tool;
  }

  /**
   * @param tool the tool whose call may become a task
   * @throws CodedError MG2013 if the package @mcpgen/tasks is not installed
   */
  static async open(source: ServerSource, tool: string, context: CommandContext): Promise<ServerTasks> {
    const tasks = new ServerTasks(source, tool, context);
    tasks.#live = await LiveTasks.load({
      handles: {
        put: (task) => tasks.#put(task),
        delete: ({ taskId }) => tasks.files.delete(tasks.key, taskId),
      },
      // When the command ends, the task continues.
      onAbort: "detach",
      onTask: (task) => tasks.#waitFor(task),
    });
    return tasks;
  }

  get live(): LiveTasks {
    return this.#live;
  }

  /** The server's name in messages. */
  get shown(): string {
    return shownSource(this.#source);
  }

  /**
   * The task that the command waits for. After a login, the command continues with it instead of calling the
   * tool again.
   */
  get waitedFor(): NamedTask | undefined {
    const task = this.#waitedFor;
    return task && { taskId: task.id, kept: this.files.read(this.key, task.id) };
  }

  /** @throws CodedError MG6324 if the server does not support tasks */
  expectOffered(client: LiveClient, next = "Name the server that has started the task."): void {
    if (this.#live.offeredBy(client)) return;
    throw new CodedError("MG6324", `the server has no tasks (${client.revision})`, {
      place: { file: this.shown },
      next,
    });
  }

  /** The current state of a task. @throws CodedError MG6322 */
  async state(named: NamedTask): Promise<TaskState> {
    return this.#known(named.taskId, () => this.#live.resume(storedOf(named)).status());
  }

  /** The current state of a task; `unknown` if the server does not have it. */
  async stateOrUnknown(kept: KeptTask): Promise<TaskState> {
    const { taskId } = kept.task;
    try {
      return await this.state({ taskId, kept });
    } catch (error) {
      if (error instanceof CodedError) return { taskId, status: "unknown" };
      throw error;
    }
  }

  /** Asks the server to cancel a task. @throws CodedError MG6322 */
  async cancel(named: NamedTask): Promise<void> {
    await this.#known(named.taskId, () => this.#live.resume(storedOf(named)).cancel());
  }

  async #known<T>(taskId: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw this.#unknown(taskId, error) ?? error;
    }
  }

  /**
   * Waits for the result of a task, and shows its states meanwhile.
   *
   * @throws CodedError MG6322 to MG6326
   */
  async result(named: NamedTask): Promise<JsonObject> {
    const task = this.#live.resume(storedOf(named));
    this.#waitFor(task);
    return this.settled(task.result());
  }

  /**
   * Waits for the result of a call that may become a task.
   *
   * @throws CodedError MG6325 and MG6326 if it became a task; other errors are rethrown unchanged
   */
  async settled(work: Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await work;
    } catch (error) {
      await this.#shown;
      throw this.#endOf(error) ?? error;
    }
  }

  /** The command line for an action on a task. */
  commandFor(verb: "get" | "result" | "cancel", taskId: string): string {
    return shellLine(["mcpgen", "task", verb, this.shown, ...operands([taskId])]);
  }

  /** A sentence about how to continue with a task that is still running. */
  whatNext(taskId: string): string {
    const [result, cancel] = (["result", "cancel"] as const).map((verb) => this.commandFor(verb, taskId));
    const condition =
      kindOfServer(this.#source) === "stdio" ? ", if its server keeps tasks when it ends" : "";
    return printable(
      asTyped(`the task goes on${condition}: \`${result}\` waits for its result, \`${cancel}\` ends it`),
    );
  }

  #waitFor(task: LiveTask): void {
    this.#waitedFor = task;
    this.onWait();
    const { console } = this.#context;
    console.note(printable(`task ${task.id}`));
    const released = interruption.endsFirst(async () => console.error(this.whatNext(task.id)));
    this.#shown = this.#show(task).finally(released);
  }

  async #show(task: LiveTask): Promise<void> {
    try {
      for await (const state of task.updates()) {
        this.#status = state.status;
        if (!isFinal(state.status)) this.#context.console.note(printable(stateText(state)));
      }
    } catch {
      // The result rejects with the same error.
    }
  }

  #put(task: StoredTask): void {
    const { taskId } = task;
    try {
      const known = this.files.read(this.key, taskId);
      const kept: KeptTask = {
        source: this.shown,
        tool: known?.tool ?? this.#tool,
        startedAt: known?.startedAt ?? new Date().toISOString(),
        task,
      };
      this.files.put(this.key, kept);
    } catch (error) {
      if (this.findings.length > 0) return;
      this.findings.push({
        code: "MG4108",
        severity: "warning",
        message: `the task ${taskId} cannot be kept: ${(error as Error).message}`,
        next: "Note its id: it works without the file.",
      });
    }
  }

  #endOf(error: unknown): CodedError | undefined {
    const place = { place: { file: this.shown }, cause: error };
    const { id } = this.#waitedFor ?? {};
    if (!isRuntimeError(error) || id === undefined) return undefined;
    if (this.#status === "cancelled") return new CodedError("MG6325", `the task ${id} was cancelled`, place);
    if (this.#status === "failed")
      return new CodedError("MG6326", `the task ${id} failed: ${oneLine(error.message, "; ")}`, {
        ...place,
        ...errorData(error),
        next: "Read the server's log: the error comes from the server. A call starts a new task.",
      });
    return this.#unknown(id, error);
  }

  /** The error for an id that the server does not have; undefined for other errors. */
  #unknown(taskId: string, error: unknown): CodedError | undefined {
    if (!refusesParams(error)) return undefined;
    return new CodedError("MG6322", `the server has no task ${JSON.stringify(taskId)}`, {
      place: { file: this.shown },
      next: `It has expired, or ended with its server, or belongs to another login; \`${shellLine(["mcpgen", "task", "list", this.shown])}\` shows those that there are.`,
      cause: error,
    });
  }
}

/**
 * The stored handle, with the user's answers to earlier questions. The file's folder already identifies the
 * server, so the handle is accepted even if the server has changed its name.
 */
function storedOf({ taskId, kept }: NamedTask): StoredTask {
  return { ...kept?.task, taskId, endpoint: undefined, answers: kept?.task.answers ?? {} };
}

export function isFinal(status: string): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The state of a task in a line. */
function stateText({ status, statusMessage }: TaskState): string {
  return statusMessage === undefined ? status : `${status}: ${statusMessage}`;
}
