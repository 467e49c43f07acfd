import type { Arguments } from "./arguments.js";
import type { Console } from "./console.js";
import type { Terminal } from "./init/questions.js";
import type { Outcome } from "./outcome.js";
import type { Trust } from "./trust/trust.js";

/** The surroundings of a command, besides its arguments. */
export interface CommandContext {
  readonly console: Console;
  /** The command line, for telling how to repeat it. */
  readonly words: readonly string[];
  /** Paths on the command line are relative to it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** The terminal for questions; undefined where standard input or standard error is no terminal. */
  readonly terminal?: Terminal | undefined;
  /** Decides which configuration of a folder is believed. */
  readonly trust: Trust;
}

export type RunCommand = (args: Arguments, context: CommandContext) => Promise<Outcome>;

/** Whether the command may ask questions: at a terminal, outside of CI, without `--quiet`, in text format. */
export function canAsk({
  terminal,
  env,
  console,
}: Pick<CommandContext, "terminal" | "env" | "console">): boolean {
  const { format, quiet } = console.settings;
  return terminal !== undefined && !env["CI"] && format === "text" && !quiet;
}
