import type { JsonObject } from "@mcpgen/engine";
import { tasksExtensionId } from "../contract/tasks.js";
import { loadPackage } from "../files/installed-package.js";
import type { LiveClient, LiveOptions } from "./runtime.js";

/** The state of a task as the server reports it. */
export interface TaskState extends JsonObject {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
}

/** Data with which another process can continue with a task. */
export interface StoredTask {
  readonly taskId: string;
  /** Identifies the server; if absent, any server is accepted. */
  readonly endpoint?: string | undefined;
  readonly answers: Readonly<Record<string, object>>;
}

/**
 * The part of a task's handle that commands use (runtime/tasks/client/handle.ts has the complete interface).
 */
export interface LiveTask {
  readonly id: string;
  status(): Promise<TaskState>;
  updates(): AsyncIterable<TaskState>;
  result(): Promise<JsonObject>;
  cancel(): Promise<void>;
  /** Stops polling; `result` and `updates` then reject. */
  detach(): void;
  toJSON(): StoredTask;
}

/** The task options that commands use (runtime/tasks/client/extension.ts has all). */
interface TasksOptions {
  readonly handles: {
    put(task: StoredTask): void;
    delete(task: StoredTask): void;
  };
  readonly onAbort: "cancel" | "detach";
  readonly onTask: (task: LiveTask) => void;
}

/** The tasks extension of one client. */
interface ClientTasks {
  start(tool: string, args: JsonObject, options?: LiveOptions): Promise<LiveTask | JsonObject>;
  resume(task: StoredTask): LiveTask;
}

/** The generated tables of an extension. */
interface Extension {
  readonly id: string;
}

/** The extension instances of one client. */
interface Made {
  readonly tasks: ClientTasks;
  readonly extensions: readonly object[];
}

/** Id of the extension for tasks of older revisions. */
const dialectId = "dev.mcpgen/experimental-tasks";

/** Ids of the extensions that a client with tasks declares. */
export const taskExtensions = [tasksExtensionId, dialectId] as const;

/** Loads the tables of an extension, including the functions that explain invalid messages. */
async function extensionOf(id: string, name: string): Promise<Extension> {
  const [tables, explanations] = await Promise.all(
    ["client", "explained"].map((module) => loadPackage(`@mcpgen/protocol/extensions/${id}/${module}`)),
  );
  const explained = explanations!["explained"] as (extension: Extension) => Extension;
  return explained(tables![name] as Extension);
}

/** Tasks of all clients that a command connects. */
export class LiveTasks {
  readonly #make: () => Made;
  readonly #extension: string;
  #current: ClientTasks | undefined;

  private constructor(make: () => Made, extension: string) {
    this.#make = make;
    this.#extension = extension;
  }

  /**
   * Loads the package @mcpgen/tasks.
   *
   * @throws CodedError MG2013 if it is not installed or not built
   */
  static async load(options: TasksOptions): Promise<LiveTasks> {
    const [core, dialect, extension, older] = await Promise.all([
      loadPackage("@mcpgen/tasks/client"),
      loadPackage("@mcpgen/tasks/experimental-client"),
      extensionOf(tasksExtensionId, "tasks"),
      extensionOf(dialectId, "experimentalTasks"),
    ]);
    const make = core["tasks"] as (extension: Extension, options: TasksOptions) => ClientTasks;
    const extend = dialect["experimentalTasks"] as (extension: Extension, tasks: ClientTasks) => object;
    const made = (): Made => {
      const own = make(extension, options);
      return { tasks: own, extensions: [own, extend(older, own)] };
    };
    return new LiveTasks(made, extension.id);
  }

  /** For the connection option `extensions`; creates separate instances for each client. */
  readonly extensions = (): readonly object[] => {
    const { tasks, extensions } = this.#make();
    this.#current = tasks;
    return extensions;
  };

  /** Calls a tool, and resolves with the server's first response: a task, or the tool's result. */
  start(tool: string, args: JsonObject, options: LiveOptions): Promise<LiveTask | JsonObject> {
    return this.#current!.start(tool, args, options);
  }

  resume(task: StoredTask): LiveTask {
    return this.#current!.resume(task);
  }

  /** Whether the client's server supports tasks in any form. */
  offeredBy({ serverCapabilities }: LiveClient): boolean {
    const { tasks, extensions, experimental } = serverCapabilities as Readonly<Record<string, JsonObject>>;
    return (
      tasks !== undefined ||
      extensions?.[this.#extension] !== undefined ||
      experimental?.["tasks"] !== undefined
    );
  }
}

/** Whether the response is a task rather than the tool's result. */
export function isTask(answer: LiveTask | JsonObject): answer is LiveTask {
  return typeof (answer as Partial<LiveTask>).updates === "function";
}
