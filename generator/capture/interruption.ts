import { constants } from "node:os";

export const isGroup = process.platform !== "win32";

/** Ends the process with this id, and the group that it leads. Does nothing if they have ended. */
export function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(isGroup ? -leader : leader, "SIGKILL");
  } catch {
    // The group has ended.
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Time limit in milliseconds for all registered functions together. */
const endTimeout = 3_000;

/**
 * Time in milliseconds during which a second signal counts as an echo: npm forwards Ctrl-C, so one key press
 * arrives twice.
 */
const echo = 200;

/** A process that leads a group. */
export interface StartedProcess {
  readonly pid: number | undefined;
  /** Resolves when it has ended. */
  readonly exited: Promise<unknown>;
}

/** Handles signals while resources, such as server processes, must be released before this process ends. */
export class Interruption {
  readonly #exit: (code: number) => void;
  readonly #endings = new Set<() => Promise<unknown>>();
  readonly #groups = new Set<number>();
  #arrived: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;

  /** @param exit ends this process */
  constructor(exit: (code: number) => void) {
    this.#exit = exit;
  }

  /**
   * Registers `end`; the returned function unregisters it. Meanwhile a signal calls `end`, then exits with 128 plus
   * the signal's number. A second signal exits at once. After a signal, the promise of the returned function never
   * resolves, so that the code after it does not run.
   */
  endsFirst(end: () => Promise<unknown>): () => Promise<void> {
    if (this.#endings.size === 0) for (const signal of signals) process.on(signal, this.#interrupted);
    // Wrap the function, because a set would merge two registrations of the same one.
    const ending = (): Promise<unknown> => end();
    this.#endings.add(ending);
    return async () => {
      if (this.#arrived) await new Promise<never>(() => {});
      this.#endings.delete(ending);
      if (this.#endings.size === 0) for (const signal of signals) process.off(signal, this.#interrupted);
    };
  }

  /** Ends the group of a process that still runs when a signal ends this process. @returns the process */
  watched<T extends StartedProcess>(started: T): T {
    const { pid, exited } = started;
    if (pid !== undefined) {
      this.#groups.add(pid);
      void exited.then(() => this.#groups.delete(pid));
    }
    return started;
  }

  readonly #interrupted = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    const exit = (): void => {
      // The runtime sends SIGTERM to them when this process exits, which a server may ignore.
      for (const group of this.#groups) endGroup(group);
      this.#exit(128 + constants.signals[signal]);
    };
    if (this.#arrived) {
      if (signal !== this.#arrived.signal || now - this.#arrived.at > echo) exit();
      return;
    }
    this.#arrived = { signal, at: now };
    setTimeout(exit, endTimeout);
    void Promise.allSettled([...this.#endings].map((end) => end())).then(exit);
  };
}

/** The signal handling of this process. */
export const interruption = new Interruption((code) => process.exit(code));
