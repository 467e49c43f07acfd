import type { Readable, Writable } from "node:stream";
import type { Console } from "./console.js";

/** The streams that questions and answers pass. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** The surroundings that say whether a command may ask, and whom. */
export interface Surroundings {
  readonly console: Console;
  /** Paths on the command line are relative to it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The terminal for questions; undefined where standard input or standard error is no terminal. */
  readonly terminal?: Terminal | undefined;
}

/** Whether the command may ask questions: at a terminal, outside of CI, without `--quiet`, in text format. */
export function canAsk({
  terminal,
  env,
  console,
}: Pick<Surroundings, "terminal" | "env" | "console">): boolean {
  const { format, quiet } = console.settings;
  return terminal !== undefined && !env["CI"] && format === "text" && !quiet;
}
