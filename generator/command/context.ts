import type { Arguments } from "./arguments.js";
import type { Outcome } from "./outcome.js";
import type { Surroundings } from "./terminal.js";
import type { Trust } from "./trust/trust.js";

/** The surroundings of a command, besides its arguments. */
export interface CommandContext extends Surroundings {
  /** The command line, for telling how to repeat it. */
  readonly words: readonly string[];
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Decides which configuration of a folder is believed. */
  readonly trust: Trust;
}

export type RunCommand = (args: Arguments, context: CommandContext) => Promise<Outcome>;
