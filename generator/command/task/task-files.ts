import { join } from "node:path";
import type { StoredTask } from "../../capture/live-tasks.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { parsedText } from "../../files/json-file.js";
import { sha256 } from "../../files/regular-file.js";
import { StateFiles } from "../../files/state-files.js";
import type { CommandContext } from "../command.js";
import type { ServerSource } from "../../capture/server-source.js";

/** A task that a command on this machine has started and not seen end. */
export interface KeptTask {
  /** The server's name in messages. */
  readonly source: string;
  readonly tool: string;
  /** Start time in ISO 8601. */
  readonly startedAt: string;
  readonly task: StoredTask;
}

/** A task that a command refers to. */
export interface NamedTask {
  readonly taskId: string;
  /** Undefined if no command on this machine has started the task. */
  readonly kept: KeptTask | undefined;
}

/** Version of the file format. */
const format = 1;

/**
 * The stored tasks: one file per task, in one folder per server. They contain answers of the user, so only
 * this user can read them.
 */
export class TaskFiles {
  readonly #files: StateFiles;

  constructor({ env }: Pick<CommandContext, "env">) {
    this.#files = new StateFiles(env, "tasks");
  }

  /** @throws CodedError MG1010 for invalid content, MG3008 for a file that other users could have written */
  read(server: ServerKey, taskId: string): KeptTask | undefined {
    return readTask(this.#files.in(server), nameOf(taskId));
  }

  /** @param broken receives the error of an invalid file; the other files are still listed */
  list(server: ServerKey, broken: (error: CodedError) => void): KeptTask[] {
    return listed(this.#files.in(server), broken);
  }

  /** The stored tasks of all servers. */
  all(broken: (error: CodedError) => void): KeptTask[] {
    return inOrder(this.#files.names().flatMap((server) => listed(this.#files.in(server), broken)));
  }

  /** A stored task of another server with this id. */
  elsewhere(server: ServerKey, taskId: string): KeptTask | undefined {
    const others = this.#files.names().filter((name) => name !== server);
    for (const other of others) {
      const found = readTask(this.#files.in(other), nameOf(taskId));
      if (found) return found;
    }
    return undefined;
  }

  /** @throws if the file cannot be written */
  put(server: ServerKey, kept: KeptTask): void {
    const text = `${JSON.stringify({ format, ...kept }, null, 2)}\n`;
    this.#files.in(server).write(nameOf(kept.task.taskId), text);
  }

  delete(server: ServerKey, taskId: string): void {
    this.#files.in(server).delete(nameOf(taskId));
  }
}

function nameOf(taskId: string): string {
  return `${sha256(taskId)}.json`;
}

function listed(files: StateFiles, broken: (error: CodedError) => void): KeptTask[] {
  const names = files.names().filter((name) => name.endsWith(".json"));
  const tasks = names.flatMap((name): KeptTask[] => {
    try {
      const kept = readTask(files, name);
      return kept ? [kept] : [];
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      broken(error);
      return [];
    }
  });
  return inOrder(tasks);
}

function readTask(files: StateFiles, name: string): KeptTask | undefined {
  const text = files.read(name);
  if (text === undefined) return undefined;
  const kept = parsed(text);
  if (kept) return kept;
  throw new CodedError("MG1010", "the file is no handle of a task", {
    place: { file: join(files.folder, name) },
    next: "Remove the file. The task goes on, and its id still works; answers that the server did not get are asked for again.",
  });
}

function parsed(text: string): KeptTask | undefined {
  const written = (parsedText(text) ?? {}) as Partial<KeptTask> & { readonly format?: unknown };
  const { format: layout, ...kept } = written;
  const { source, tool, startedAt, task } = kept;
  const isWhole = [source, tool, startedAt, task?.taskId].every((each) => typeof each === "string");
  return layout === format && isWhole && typeof task?.answers === "object" ? (kept as KeptTask) : undefined;
}

function inOrder(tasks: KeptTask[]): KeptTask[] {
  return tasks.sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
}

/** Identifies a server in file paths, so that tasks of one server are never shown for another. */
export type ServerKey = string & { readonly of: "server" };

/**
 * Derives the key of a server from its URL, or from its program and folder. Ignores the server's name and a
 * password in the URL.
 */
export function serverKey(source: ServerSource, directory: string): ServerKey {
  return sha256(JSON.stringify(identityOf(source, directory))) as ServerKey;
}

function identityOf(source: ServerSource, directory: string): readonly string[] {
  if (typeof source !== "string") {
    const { address } = source;
    return address.kind === "http" ? urlIdentity(address.url) : ["stdio", address.cwd, ...address.command];
  }
  return /^stdio:/i.test(source)
    ? ["stdio", directory, source.slice("stdio:".length).trim()]
    : urlIdentity(source);
}

function urlIdentity(text: string): readonly string[] {
  if (!URL.canParse(text)) return ["http", text];
  const url = new URL(text);
  [url.username, url.password, url.hash] = ["", "", ""];
  return ["http", url.href];
}
