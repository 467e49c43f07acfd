import type { Environment } from "./environment.js";

export interface StartOptions {
  /** Added to the inherited environment, and stronger; `undefined` takes a variable away. */
  readonly env?: Environment | undefined;
  /** What is inherited: `safe` (unless told otherwise) only `safeVariables`, `all` everything. */
  readonly inheritEnv?: "safe" | "all" | undefined;
  /** Working directory. */
  readonly cwd?: string | undefined;
  /**
   * What becomes of the child's standard error, beside its end being kept for errors: written to ours as it is
   * (escape sequences, too), given to a function, or nothing. `ignore` opens none: nothing is kept.
   */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
}

export interface ChildOptions extends StartOptions {
  /** Milliseconds to wait for the processes to end after their input has ended: 2000. */
  readonly inputGrace?: number | undefined;
  /** Milliseconds to wait after SIGTERM, before SIGKILL: 2000. */
  readonly terminateGrace?: number | undefined;
}

/** How a process ended; or, if it never began, why not. */
export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}
