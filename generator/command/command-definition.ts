import type { Options, PositionalOptions } from "yargs";
import type { RunCommand } from "./context.js";

/** One command: its place in the table of commands, and the module of its code. */
export interface CommandDefinition {
  /** Words that select it, e.g. `revision add`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments in order; those with `demandOption` must be given. */
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  readonly options?: Readonly<Record<string, Options>>;
  readonly examples?: readonly (readonly [string, string])[];
  /** Loads the code, which `--help` and the other commands never pay for. */
  readonly load: () => Promise<RunCommand>;
}

/** An option with a value. */
export const text = (description: string, more: Options = {}): Options => ({
  type: "string",
  requiresArg: true,
  description,
  ...more,
});
/** An option with a value. */
export /** One that may be given several times. */
const texts = (description: string): Options => ({ ...text(description), array: true });
/** An option without a value. */
export const flag = (description: string): Options => ({ type: "boolean", description });
