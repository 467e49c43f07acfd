import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

const isGroup = process.platform !== "win32";

/** Ends the process with this id, and the group that it leads. Does nothing if they have ended. */
export function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(isGroup ? -leader : leader, "SIGKILL");
  } catch {
    // The group has ended.
  }
}

const endings = new Set<() => void>();

function endAll(): void {
  for (const end of endings) end();
}

/** Calls `end` when this process ends. @returns what takes that back */
export function atExit(end: () => void): () => void {
  // One listener for all: more than ten are taken for a leak.
  if (endings.size === 0) process.once("exit", endAll);
  endings.add(end);
  return () => {
    endings.delete(end);
    if (endings.size === 0) process.off("exit", endAll);
  };
}

interface RunOptions extends Pick<SpawnOptions, "cwd" | "env" | "shell"> {
  /** Ends the program. */
  readonly signal: AbortSignal;
  /** Its standard input. */
  readonly input?: string;
  /** Gets what it prints. */
  readonly heard: (text: string, from: "stdout" | "stderr") => void;
}

/**
 * Runs a program to its end in a process group. What is left of the group then is ended, too, and all of it when this
 * process ends.
 *
 * @returns its exit code, or the signal that has ended it
 * @throws Error of the system if the program cannot be started; the reason of a signal that is aborted already
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  { signal, heard, input, ...options }: RunOptions,
): Promise<readonly [code: number | null, signal: NodeJS.Signals | null]> {
  signal.throwIfAborted();
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(file, args, { ...options, detached: isGroup, stdio: [stdin, "pipe", "pipe"] });
  const end = (): void => endGroup(child.pid);
  const stop = (): void => {
    end();
    // A process that has left the group may hold them.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  };
  signal.addEventListener("abort", stop);
  const ended = atExit(end);
  try {
    for (const from of ["stdout", "stderr"] as const)
      child[from]!.setEncoding("utf8").on("data", (text: string) => heard(text, from));
    child.once("exit", end);
    // A program may end before it has read everything.
    child.stdin?.on("error", () => {}).end(input);
    return (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  } finally {
    signal.removeEventListener("abort", stop);
    ended();
  }
}
