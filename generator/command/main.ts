import { parseArgs } from "node:util";
import { CodedError } from "../diagnostics/coded-error.js";
import { packageVersion } from "../files/package-folder.js";
import { secrets } from "../secrets/secrets.js";
import { type ColorChoice, type ConsoleSettings, type Format, Console } from "./console.js";
import type { CommandContext } from "./context.js";
import { parseCommandLine } from "./parse.js";
import { present, presentError } from "./present.js";
import type { Arguments } from "./arguments.js";
import { Trust } from "./trust/trust.js";

/** The process a command line runs in; tests bring their own. */
export interface Surrounding extends Omit<CommandContext, "console" | "words" | "trust"> {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/**
 * Runs one command line.
 *
 * @returns the exit code
 */
export async function main(args: readonly string[], surrounding: Surrounding): Promise<number> {
  const { stdout, stderr, env } = surrounding;
  const console = new Console(readSettings(args), { stdout, stderr, env });
  let name = "";
  secrets.learnVariables(env);
  secrets.learnWords(args);
  try {
    const selection = await parseCommandLine(args, packageVersion(), (text) => console.result(text));
    if (!selection) return 0;
    name = selection.command.name;
    const run = await selection.command.load();
    const outcome = await run(selection.args, contextOf(args, selection.args, surrounding, console));
    console.end();
    return present(name, outcome, console);
  } catch (error) {
    console.end();
    const coded = error instanceof CodedError ? error : (codedErrorOf(error) ?? bug(error, console));
    return presentError(name, coded, console, surrounding.directory);
  }
}

function contextOf(
  words: readonly string[],
  args: Arguments,
  surrounding: Surrounding,
  console: Console,
): CommandContext {
  const { directory, env } = surrounding;
  const asked = {
    console,
    directory,
    env,
    get terminal() {
      return surrounding.terminal;
    },
  };
  return {
    console,
    words,
    directory,
    env,
    trust: new Trust(asked, args),
    get stdin() {
      return surrounding.stdin;
    },
    get terminal() {
      return surrounding.terminal;
    },
  };
}

/** The operating system's refusal of a file, which no command handles itself. */
function codedErrorOf(error: unknown): CodedError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return undefined;
  return new CodedError("MG1001", `cannot be read (${path === undefined ? message : code})`, {
    ...(path !== undefined && { place: { file: path } }),
    next: "Check the path and its permissions.",
    cause: error,
  });
}

/** An error that no code foresees is a bug of mcpgen, never the user's. */
function bug(error: unknown, console: Console): CodedError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.stack !== undefined) console.detail(error.stack);
  return new CodedError("MG7001", `a bug in mcpgen: ${message}`, {
    next: "Repeat the command with --verbose and report what it prints.",
    cause: error,
  });
}

const formats = ["text", "json", "github"] as const satisfies readonly Format[];
const colorChoices = ["auto", "always", "never"] as const satisfies readonly ColorChoice[];

/**
 * How to print, read before anything else is: errors in the rest of the command line are printed that way
 * too. What is wrong with these options themselves the real parser reports.
 */
export function readSettings(args: readonly string[]): ConsoleSettings {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      json: { type: "boolean" },
      format: { type: "string" },
      quiet: { type: "boolean", short: "q" },
      verbose: { type: "boolean", short: "v" },
      color: { type: "string" },
    },
  });
  return {
    format: values.json === true ? "json" : oneOf(formats, values.format, "text"),
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    color: oneOf(colorChoices, values.color, "auto"),
  };
}

function oneOf<T extends string>(choices: readonly T[], value: unknown, otherwise: T): T {
  return choices.find((choice) => choice === value) ?? otherwise;
}
