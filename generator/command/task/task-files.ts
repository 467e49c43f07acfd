import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { StoredTask } from "../../capture/live-tasks.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { stateFolder } from "../../files/state-folder.js";
import type { CommandContext } from "../context.js";
import type { ServerKey } from "./server-key.js";

/** A task that a command of this machine has started and not seen ended. */
export interface KeptTask {
  /** The server as messages show it. */
  readonly source: string;
  readonly tool: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly task: StoredTask;
}

/** A task that a command names. */
export interface NamedTask {
  readonly taskId: string;
  /** Undefined for a task that no command of this machine has started. */
  readonly kept: KeptTask | undefined;
}

/** The layout of a file. */
const format = 1;

/**
 * The tasks of servers, a file for each in a folder for each server. They hold answers of the user, so others cannot read
 * them.
 */
export class TaskFiles {
  readonly #folder: string;

  constructor({ env }: Pick<CommandContext, "env">) {
    this.#folder = join(stateFolder(env), "tasks");
  }

  /** @throws CodedError MG1010 for a file with other content */
  read(server: ServerKey, taskId: string): KeptTask | undefined {
    return this.#read(this.#fileOf(server, taskId));
  }

  /** @param broken gets the error of a file that is none, and the rest is listed */
  list(server: ServerKey, broken: (error: CodedError) => void): KeptTask[] {
    return this.#listed(join(this.#folder, server), broken);
  }

  /** The tasks of all servers. */
  all(broken: (error: CodedError) => void): KeptTask[] {
    return inOrder(
      namesIn(this.#folder).flatMap((server) => this.#listed(join(this.#folder, server), broken)),
    );
  }

  /** The task of another server with this id. */
  elsewhere(server: ServerKey, taskId: string): KeptTask | undefined {
    const others = namesIn(this.#folder).filter((name) => name !== server);
    for (const other of others) {
      const found = this.#read(this.#fileOf(other as ServerKey, taskId));
      if (found) return found;
    }
    return undefined;
  }

  /** @throws where the file cannot be written */
  put(server: ServerKey, kept: KeptTask): void {
    const file = this.#fileOf(server, kept.task.taskId);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    for (const folder of [dirname(this.#folder), this.#folder, dirname(file)]) chmodSync(folder, 0o700);
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify({ format, ...kept }, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  }

  delete(server: ServerKey, taskId: string): void {
    const file = this.#fileOf(server, taskId);
    if (existsSync(file)) rmSync(file, { force: true });
  }

  #fileOf(server: ServerKey, taskId: string): string {
    return join(this.#folder, server, `${createHash("sha256").update(taskId).digest("hex")}.json`);
  }

  #listed(folder: string, broken: (error: CodedError) => void): KeptTask[] {
    const files = namesIn(folder).filter((name) => name.endsWith(".json"));
    const tasks = files.flatMap((name): KeptTask[] => {
      try {
        const kept = this.#read(join(folder, name));
        return kept ? [kept] : [];
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        broken(error);
        return [];
      }
    });
    return inOrder(tasks);
  }

  #read(file: string): KeptTask | undefined {
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw error;
    }
    const kept = parsed(text);
    if (kept) return kept;
    throw new CodedError("MG1010", "the file is no handle of a task", {
      place: { file },
      next: "Remove the file. The task goes on, and its id still works; answers that the server did not get are asked for again.",
    });
  }
}

function parsed(text: string): KeptTask | undefined {
  try {
    const { format: layout, ...kept } = JSON.parse(text) as Partial<KeptTask> & { readonly format?: unknown };
    const { source, tool, startedAt, task } = kept;
    const isWhole = [source, tool, startedAt, task?.taskId].every((each) => typeof each === "string");
    return layout === format && isWhole && typeof task?.answers === "object" ? (kept as KeptTask) : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No task was started.
    return [];
  }
}

function inOrder(tasks: KeptTask[]): KeptTask[] {
  return tasks.sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
}
