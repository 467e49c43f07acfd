import type { Rules } from "../options/option-check.js";
import type { Environment } from "./environment.js";

// These types stand apart from the process: programs without Node's types read them.

export interface StartOptions {
  /** Added to the inherited environment; replaces inherited variables. `undefined` removes a variable. */
  readonly env?: Environment | undefined;
  /** The variables that are inherited: `safe` (default) only `safeVariables`, `all` all. */
  readonly inheritEnv?: "safe" | "all" | undefined;
  /** Working directory. */
  readonly cwd?: string | undefined;
  /**
   * Where standard error of the child goes: to standard error of this process (with escape sequences) or to a function.
   * Default: its last 8 KiB are kept for errors only. With `ignore` nothing is kept.
   */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
}

export interface ChildOptions extends StartOptions {
  /** Milliseconds between the end of the input and SIGTERM. Default: 2000. */
  readonly inputGrace?: number | undefined;
  /** Milliseconds between SIGTERM and SIGKILL. Default: 2000. */
  readonly terminateGrace?: number | undefined;
}

export interface StdioClientOptions extends ChildOptions {
  /** Bytes of one incoming message; a longer one is dropped. Default: 10 MiB. */
  readonly limit?: number | undefined;
}

export const clientRules: Rules<StdioClientOptions> = {
  cwd: "anything",
  env: "object",
  stderr: "anything",
  inheritEnv: ["safe", "all"],
  inputGrace: "amount",
  terminateGrace: "amount",
  limit: "amount",
};

/** How a process ended, or the error with which it did not start. */
export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}
