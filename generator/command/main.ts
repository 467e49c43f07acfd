import { parseArgs } from "node:util";
import { CodedError, invariant } from "../diagnostics/coded-error.js";
import { packageVersion } from "../files/regular-file.js";
import { secrets } from "../secrets/secrets.js";
import { type ColorChoice, type ConsoleSettings, type Format, Console } from "./console.js";
import {
  type CommandContext,
  type CommandDefinition,
  present,
  presentError,
  Arguments,
  guarded,
  unguarded,
  exitCodeTable,
  selectedBy,
  formOf,
} from "./command.js";
import { Trust } from "./trust/trust.js";
import yargs, { type Argv, type Options } from "yargs";
import { commands, globalOptions, groups, parserCommands, parserOptions } from "./commands.js";
import { closest, nameAdvice } from "../diagnostics/suggest.js";
import { isServerSource } from "../capture/server-source.js";
import { shellLine } from "../print/terminal-text.js";

/** The environment of a command line: process, streams and folders. Tests supply their own. */
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
    let shown: ShownText | undefined;
    const selection = await parseCommandLine(args, packageVersion(), (text) => (shown = text));
    if (!selection) return shown === undefined ? 0 : await show(shown, console);
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

/** Prints a text of the parser, or the facts that it is made of as JSON. */
async function show({ kind, text, words }: ShownText, console: Console): Promise<number> {
  if (console.settings.format !== "json" || kind === "candidates") {
    console.result(text);
    return 0;
  }
  const { helpData } = await import("./help.js");
  const data = { help: helpData(words), version: { version: text }, completion: { script: text } };
  return present(kind, { data: data[kind] }, console);
}

function contextOf(
  words: readonly string[],
  args: Arguments,
  surrounding: Surrounding,
  console: Console,
): CommandContext {
  const { directory, env } = surrounding;
  const context = {
    console,
    words,
    directory,
    env,
    get stdin() {
      return surrounding.stdin;
    },
    get terminal() {
      return surrounding.terminal;
    },
  };
  return Object.assign(context, { trust: new Trust(context, args) });
}

/**
 * Turns an operating system error about a file into a coded error; commands do not handle these themselves.
 */
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

/** Wraps an unexpected error as a bug in mcpgen. */
function bug(error: unknown, console: Console): CodedError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.stack !== undefined) console.detail(error.stack);
  return new CodedError("MG7001", `a bug in mcpgen: ${message}`, {
    next: "Repeat the command with --verbose and report what it prints.",
    cause: error,
  });
}

type NamedCommand = Omit<CommandDefinition, "load">;
const everyCommand: readonly NamedCommand[] = [...commands, ...parserCommands];

const formats = ["text", "json", "github"] as const satisfies readonly Format[];
const colorChoices = ["auto", "always", "never"] as const satisfies readonly ColorChoice[];

/**
 * Reads the output options before anything else, so that errors in the rest of the command line are printed
 * accordingly. The parser later reports errors in these options themselves.
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

/** The command that a command line selects, with its arguments. */
interface Selection {
  readonly command: CommandDefinition;
  readonly args: Arguments;
}

/** A text that a command line requests of the parser. */
interface ShownText {
  /** `candidates`: the words that may come next, which a completion script asks for. */
  readonly kind: "help" | "version" | "completion" | "candidates";
  readonly text: string;
  /** The words of the command line that are not options. */
  readonly words: readonly string[];
}

/**
 * Reads a command line.
 *
 * @param show takes help, version and completion scripts
 * @returns undefined if the command line only requested such a text
 * @throws CodedError MG20xx
 */
export async function parseCommandLine(
  args: readonly string[],
  version: string,
  show: (shown: ShownText) => void,
): Promise<Selection | undefined> {
  let selection: Selection | undefined;
  const select = (command: CommandDefinition, values: Record<string, unknown>): void => {
    refuseRepeated(command, values);
    refuseEmpty({ ...globalOptions, ...command.options }, values);
    selection = { command, args: new Arguments(values) };
  };
  const parser = configure(yargs([]), version);
  for (const entry of new Set(commands.map((command) => groupOf(command) ?? command))) {
    if (typeof entry !== "string") addCommand(parser, entry, select);
    else if (groups.has(entry)) addGroup(parser, entry, select);
  }
  for (const command of parserCommands)
    addCommand(parser, command, (_, { shell }) => {
      invariant(command.name === "completion", "`help` is rewritten to `--help`");
      const script = scripts.get(String(shell));
      if (script === undefined) parser.showCompletionScript();
      else show({ kind: "completion", text: script, words: [] });
    });
  parser.fail((message: string | null, error: Error | undefined) => {
    throw error instanceof CodedError ? error : usageError(unguarded(message ?? error?.message ?? ""), args);
  });
  // A request for completions is followed by the words typed so far, which the parser must see unchanged.
  const completes = args[0] === "--get-yargs-completions";
  // `-v` alone means `--version`; with a command it means `--verbose`.
  const words = args.join(" ") === "-v" ? ["--version"] : completes ? args : helpWords(args);
  const given = completes ? words : guarded(words);
  await parser.parseAsync(given, {}, (_error, values, output) => {
    if (!output) return;
    const asked = Object.keys(parserOptions).find((option) => values[option] === true);
    const kind = asked ?? (completes ? "candidates" : "completion");
    show({ kind: kind as ShownText["kind"], text: output, words: values["_"].map(String) });
  });
  return selection;
}

/**
 * Rewrites `help COMMAND` to `COMMAND --help`, which the parser understands. A command line without a command, or with
 * only the first word of some, asks for help, too.
 *
 * @throws CodedError MG2001 for an unknown command, MG2002 for an unknown option; the parser checks neither beside `--help`
 */
function helpWords(words: readonly string[]): readonly string[] {
  const options = wordsBefore(words, "--").filter((word) => word.startsWith("-"));
  const plain = plainWords(words);
  const named = plain[0] === "help" ? plain.slice(1) : plain;
  const isAsked = named !== plain || options.some((word) => /^(?:--help|-[A-Za-z]*h[A-Za-z]*)$/.test(word));
  const name = named.join(" ");
  const isOpen = (name === "" || groups.has(name)) && !options.includes("--version");
  if (!isAsked && !isOpen) return words;
  const misspelt = unknownOption([...named, ...options]);
  if (misspelt) throw misspelt;
  const command = commandOf(named);
  if (!command && name !== "" && !groups.has(name))
    throw usageError(`Unknown command: ${named[groups.has(named[0]!) ? 1 : 0]}`, named);
  return [...(command ? command.name.split(" ") : named), "--help"];
}

/** Each command has its own: the parser would merge the choices of an option that a command within it replaces. */
function ownOptions(options: Readonly<Record<string, Options>>): Record<string, Options> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, global: false }]),
  );
}

function configure(parser: Argv, version: string): Argv {
  return parser
    .scriptName("mcpgen")
    .usage("mcpgen: the compiler for the Model Context Protocol\n\nmcpgen COMMAND [options]")
    .locale("en")
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .options(ownOptions(globalOptions))
    .updateStrings({ "Options:": "Options of every command:" })
    .demandCommand(1)
    .strict()
    .help("help", parserOptions.help.description)
    .alias("help", parserOptions.help.alias)
    .version("version", parserOptions.version.description!, version)
    .wrap(100)
    .epilogue(exitCodeTable())
    .exitProcess(false);
}

type Select<Command> = (command: Command, values: Record<string, unknown>) => void;

function addCommand<Command extends NamedCommand>(
  parser: Argv,
  command: Command,
  select: Select<Command>,
): void {
  parser.command(
    formOf(command),
    command.summary,
    (builder) => {
      for (const [name, options] of Object.entries(command.positionals ?? {}))
        builder.positional(name, options);
      // The parser would wrap an example printed next to its description, and it could not be copied.
      for (const [example, description] of command.examples ?? [])
        builder.example(`# ${description}\n${example}`, "");
      // Words of two commands may begin with those of one.
      for (const other of commands)
        if (groupOf(other) === command.name) addCommand(builder, other, select as Select<NamedCommand>);
      // For this command `--version` is an option with a value, not the version of the program.
      return (command.options?.["version"] ? builder.version(false) : builder)
        .options(ownOptions({ ...globalOptions, ...command.options }))
        .group(Object.keys(command.options ?? {}), `Options of ${command.name}:`);
    },
    (values) => select(command, values),
  );
}

function groupOf({ name }: CommandDefinition): string | undefined {
  return name.includes(" ") ? name.split(" ")[0] : undefined;
}

function addGroup(parser: Argv, group: string, select: Select<CommandDefinition>): void {
  parser.command(
    group,
    groups.get(group)!,
    (builder) => {
      for (const command of commands) if (groupOf(command) === group) addCommand(builder, command, select);
      return builder.options(globalOptions).demandCommand(1);
    },
    () => {},
  );
}

/** Rejects a repeated option that takes one value; the parser would make a list of it. */
function refuseRepeated(command: CommandDefinition, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (name === "_" || !Array.isArray(value)) continue;
    if (command.options?.[name]?.array || command.positionals?.[name]?.array) continue;
    throw new CodedError("MG2004", `--${name} is given ${value.length} times`, { next: "Give it once." });
  }
}

/** Rejects an empty value. For a folder it would mean the working directory. */
function refuseEmpty(
  options: NonNullable<CommandDefinition["options"]>,
  values: Record<string, unknown>,
): void {
  for (const name of Object.keys(options)) {
    const given = [values[name]].flat();
    if (!given.some((value) => typeof value === "string" && /^[\s,]*$/.test(value))) continue;
    throw new CodedError("MG2003", `expected a value after --${name}`, {
      next: "Give one, or leave the option out.",
    });
  }
}

/** Completion scripts for shells that the parser does not support. Each calls mcpgen for the completions. */
const scripts: ReadonlyMap<string, string> = new Map([
  [
    "fish",
    `# mcpgen completion fish > ~/.config/fish/completions/mcpgen.fish
function __mcpgen_complete
    set -l words (commandline -opc) (commandline -ct)
    mcpgen --get-yargs-completions $words[2..-1]
end
complete -c mcpgen -a '(__mcpgen_complete)'
`,
  ],
  [
    "powershell",
    `# mcpgen completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName mcpgen -ScriptBlock {
    param($word, $line)
    $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($word -eq '') { $words += '' }
    mcpgen --get-yargs-completions @words |
        Where-Object { $_ -like "$word*" } |
        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
  ],
]);

/** Turns an error message of the parser into a coded error with a suggestion. */
function usageError(message: string, args: readonly string[]): CodedError {
  // The parser checks for missing arguments first, but a misspelt option is often why one is missing.
  const misspelt = unknownOption(args);
  if (misspelt) return misspelt;
  const command = commandOf(args);
  const help = helpOf(command?.name);
  const unknown = /^Unknown (?:argument|command)s?: ([^]*)$/.exec(message)?.[1];
  if (unknown !== undefined) return unknownArgument(unknown.split(", ")[0]!, args, command, help);
  const choice = /Argument: (.*), Given: ([^]*), Choices: (.*)/.exec(message);
  if (choice) return wrongChoice(named(choice[1]!, command), choice[2]!, choice[3]!);
  if (message.startsWith("Missing required argument")) {
    return new CodedError("MG2003", `expected ${required(message, command)}`, { next: help });
  }
  const exclusive = /^Arguments (\S+) and (\S+) are mutually exclusive$/.exec(message);
  if (exclusive) {
    const [one, other] = [`--${exclusive[1]}`, `--${exclusive[2]}`];
    return new CodedError("MG2005", `${one} and ${other} exclude each other`, {
      next: `Leave ${one} or ${other} out.`,
    });
  }
  const needed = /^Missing dependent arguments:\s+(\S+) -> (\S+)/.exec(message);
  if (needed) {
    return new CodedError("MG2005", `--${needed[1]} needs --${needed[2]}`, {
      next: `Give --${needed[2]}, too, or leave --${needed[1]} out.`,
    });
  }
  const valueOf = /^Not enough arguments following: (.*)$/.exec(message)?.[1];
  if (valueOf !== undefined)
    return new CodedError("MG2003", `expected a value after --${valueOf}`, { next: help });
  if (message.startsWith("Not enough non-option arguments")) return missingPositional(message, command, help);
  return new CodedError("MG2003", message || "the command line cannot be read", { next: help });
}

/** @param name of a command or of a group */
function helpOf(name: string | undefined): string {
  return `See \`mcpgen ${name === undefined ? "" : `${name} `}--help\`.`;
}

/** The error for the first option that the selected command does not have; undefined if all are known. */
function unknownOption(args: readonly string[]): CodedError | undefined {
  const command = commandOf(args);
  const options: Readonly<Record<string, Options>> = {
    ...parserOptions,
    ...globalOptions,
    ...command?.options,
  };
  const names = new Set(Object.keys(options));
  const letters = new Set(Object.values(options).flatMap(({ alias = [] }) => alias));
  for (const arg of wordsBefore(args, "--")) {
    const [, name, cluster = ""] = /^(?:--([^=]+)|-([A-Za-z]+))/.exec(arg) ?? [];
    const letter = [...cluster].find((each) => !letters.has(each));
    if (name === undefined ? letter === undefined : names.has(name)) continue;
    // A word after one dash is several options of one letter, or a name that lacks a dash.
    const written = name ?? arg.slice(1).replace(/=.*/, "");
    const suggestion = names.has(written) ? written : closest(written, names);
    const shown =
      name === undefined ? (suggestion === undefined ? `-${letter}` : `-${written}`) : `--${name}`;
    return new CodedError("MG2002", `there is no option ${shown}`, {
      next: suggestion === undefined ? helpOf(command?.name) : `Did you mean --${suggestion}?`,
    });
  }
  return undefined;
}

function wordsBefore(words: readonly string[], end: string): readonly string[] {
  return words.includes(end) ? words.slice(0, words.indexOf(end)) : words;
}

/** The global options whose value is the next word. */
const valued = new Set(
  Object.entries(globalOptions).flatMap(([name, { type }]) => (type === "string" ? [`--${name}`] : [])),
);

/** The words that are neither options nor values of global options. */
function plainWords(words: readonly string[]): readonly string[] {
  const before = wordsBefore(words, "--");
  return [
    ...before.filter((word, index) => !word.startsWith("-") && !valued.has(before[index - 1] ?? "")),
    ...words.slice(before.length + 1),
  ];
}

/** Finds the command that the leading words select. Skips options between them. */
function commandOf(args: readonly string[]): NamedCommand | undefined {
  return selectedBy(plainWords(args), everyCommand);
}

function unknownArgument(
  name: string,
  args: readonly string[],
  command: NamedCommand | undefined,
  help: string,
): CodedError {
  if (command) {
    // The parser cuts its list of unknown arguments at commas, which a command may contain.
    const server =
      command.options?.["server"] && args.find((arg) => arg.startsWith(name) && isServerSource(arg));
    return new CodedError("MG2002", `unexpected argument ${JSON.stringify(server ?? name)}`, {
      next: server
        ? `Did you mean --server ${shellLine([server])}?`
        : command.positionals
          ? `Put a value with spaces in quotes. ${help}`
          : help,
    });
  }
  const group = plainWords(args).find((arg) => groups.has(arg));
  const candidates = commands.map((each) => each.name).filter((each) => !group || each.startsWith(group));
  const whole = group ? `${group} ${name}` : name;
  const known = [...candidates, ...groups.keys(), ...parserCommands.map(({ name: own }) => own)];
  return new CodedError("MG2001", `there is no command ${JSON.stringify(whole)}`, {
    next: nameAdvice(whole, known, helpOf(group), (meant) => `\`mcpgen ${meant}\``),
  });
}

/** A positional argument or an option in the form that `--help` shows. */
function named(name: string, command: NamedCommand | undefined): string {
  return command?.positionals && Object.hasOwn(command.positionals, name) ? name.toUpperCase() : `--${name}`;
}

function wrongChoice(name: string, given: string, choices: string): CodedError {
  const plain = choices.split(", ").map((choice) => choice.replaceAll('"', ""));
  return new CodedError("MG2004", `expected ${name} to be one of ${plain.join(", ")}, got ${given}`, {
    next: nameAdvice(given.replaceAll('"', ""), plain, "Choose one of these."),
  });
}

/** Names the missing options. A single one also gets its description. */
function required(message: string, command: NamedCommand | undefined): string {
  const names = message.replace(/^[^:]*: /, "").split(", ");
  const [name, ...others] = names;
  const { description } = (others.length === 0 && command?.options?.[name!]) || {};
  if (description !== undefined) return `--${name}: ${inSentence(description)}`;
  return names.map((each) => (each === "" ? "an argument" : `--${each}`)).join(" and ");
}

function missingPositional(message: string, command: NamedCommand | undefined, help: string): CodedError {
  const required = Object.entries(command?.positionals ?? {}).filter(([, { demandOption }]) => demandOption);
  const given = Number(/got (\d+)/.exec(message)?.[1] ?? 0);
  const [name, { description }] = required[given] ?? required[0] ?? ["argument", {}];
  // If several arguments are required, the parser does not report which one is missing.
  const which = required.length > 1 ? `${name.toUpperCase()}: ` : "";
  return new CodedError("MG2003", `expected ${which}${inSentence(description ?? name)}`, {
    next: help,
  });
}

/** Makes a description part of a sentence: lowers the first letter, unless the first word is all capitals. */
function inSentence(description: string): string {
  return description.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
