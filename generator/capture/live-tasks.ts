import type { JsonObject } from "@mcpgen/engine";
import { type LiveClient, type LiveOptions, load } from "./runtime.js";

/** A task as the server shows it. */
export interface TaskState extends JsonObject {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
}

/** What a client of another process needs to go on with a task. */
export interface StoredTask {
  readonly taskId: string;
  readonly answers: Readonly<Record<string, object>>;
}

/** The part of a task's handle that commands need (runtime/tasks/client/handle.ts has the whole of it). */
export interface LiveTask {
  readonly id: string;
  status(): Promise<TaskState>;
  updates(): AsyncIterable<TaskState>;
  result(): Promise<JsonObject>;
  cancel(): Promise<void>;
  toJSON(): StoredTask;
}

/** The options of tasks that commands use (runtime/tasks/client/extension.ts has all). */
interface TasksOptions {
  readonly handles: {
    put(task: StoredTask): void;
    delete(task: StoredTask): void;
  };
  readonly onAbort: "cancel" | "detach";
  readonly onTask: (task: LiveTask) => void;
}

/** The extension of tasks on one client. */
interface ClientTasks {
  start(tool: string, args: JsonObject, options?: LiveOptions): Promise<LiveTask | JsonObject>;
  resume(task: StoredTask): LiveTask;
}

/** The generated tables of the extension. */
interface Extension {
  readonly id: string;
}

/** Tasks on each client that a command connects. */
export class LiveTasks {
  readonly #make: () => ClientTasks;
  readonly #extension: string;
  #current: ClientTasks | undefined;

  private constructor(make: () => ClientTasks, extension: string) {
    this.#make = make;
    this.#extension = extension;
  }

  /**
   * Loads the package of tasks.
   *
   * @throws CodedError MG2013 where it is not installed, or not built
   */
  static async load(directory: string, options: TasksOptions): Promise<LiveTasks> {
    const folder = "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks";
    const [behaviour, tables, explanations] = await Promise.all(
      ["@mcpgen/tasks/client", `${folder}/client`, `${folder}/explained`].map((name) =>
        load(name, directory),
      ),
    );
    const make = behaviour!["tasks"] as (extension: Extension, options: TasksOptions) => ClientTasks;
    const explained = explanations!["explained"] as (extension: Extension) => Extension;
    const extension = explained(tables!["tasks"] as Extension);
    return new LiveTasks(() => make(extension, options), extension.id);
  }

  /** For the option `extensions` of a connection: a client has its own. */
  readonly extensions = (): readonly object[] => [(this.#current = this.#make())];

  /** Calls a tool, and resolves as soon as the server answers: with a task, or with the result of the tool. */
  start(tool: string, args: JsonObject, options: LiveOptions): Promise<LiveTask | JsonObject> {
    return this.#current!.start(tool, args, options);
  }

  resume(task: StoredTask): LiveTask {
    return this.#current!.resume(task);
  }

  /** Whether the server of the client has tasks, in any form. */
  offeredBy({ serverCapabilities }: LiveClient): boolean {
    const { tasks, extensions, experimental } = serverCapabilities as Readonly<Record<string, JsonObject>>;
    return (
      tasks !== undefined ||
      extensions?.[this.#extension] !== undefined ||
      experimental?.["tasks"] !== undefined
    );
  }
}

/** Whether the server has answered with a task, and not with the result of the tool. */
export function isTask(answer: LiveTask | JsonObject): answer is LiveTask {
  return typeof (answer as Partial<LiveTask>).updates === "function";
}
