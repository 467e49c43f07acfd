import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { endGroup, interruption, isGroup } from "./interruption.js";

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
  /** Whether what is left of its group is ended, once the program itself has ended. */
  readonly endsRest?: boolean;
  /** Gets what it prints. */
  readonly heard: (text: string, from: "stdout" | "stderr") => void;
}

/**
 * Runs a program in a process group, until it has ended and its output is closed. If this process ends before, by a
 * signal or otherwise, it ends the group.
 *
 * @returns its exit code, or the signal that has ended it
 * @throws Error of the system if the program cannot be started; the reason of a signal that is aborted already
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  { signal, heard, input, endsRest, ...options }: RunOptions,
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
  const [ended, released] = [atExit(end), interruption.endsFirst(async () => stop())];
  try {
    for (const from of ["stdout", "stderr"] as const)
      child[from]!.setEncoding("utf8").on("data", (text: string) => heard(text, from));
    if (endsRest) child.once("exit", end);
    // A program may end before it has read everything.
    child.stdin?.on("error", () => {}).end(input);
    return (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  } finally {
    signal.removeEventListener("abort", stop);
    ended();
    const goesOn = released();
    // After an interruption, only a caller that has ended the program itself has something to do.
    if (!signal.aborted) await goesOn;
  }
}
