import yargs, { type Argv } from "yargs";
import { CodedError } from "../diagnostics/coded-error.js";
import { Arguments, guarded, unguarded } from "./arguments.js";
import { completionScript } from "./completion.js";
import type { CommandDefinition } from "./command-definition.js";
import { commands, globalOptions, groups } from "./commands.js";
import { exitCodeTable } from "./exit-codes.js";
import { unknownOption, usageError } from "./usage-error.js";

/** The command that a command line selects, with its arguments. */
interface Selection {
  readonly command: CommandDefinition;
  readonly args: Arguments;
}

/**
 * Reads a command line.
 *
 * @param print shows help, version and completion scripts
 * @returns undefined where such a text was all that was asked for
 * @throws CodedError MG20xx
 */
export async function parseCommandLine(
  args: readonly string[],
  version: string,
  print: (text: string) => void,
): Promise<Selection | undefined> {
  const script = completionScript(args);
  if (script !== undefined) {
    print(script);
    return undefined;
  }
  let selection: Selection | undefined;
  const select = (command: CommandDefinition, values: Record<string, unknown>): void => {
    refuseRepeated(command, values);
    refuseEmpty({ ...globalOptions, ...command.options }, values);
    selection = { command, args: new Arguments(values) };
  };
  const parser = configure(yargs([]), version);
  for (const entry of new Set(commands.map((command) => groupOf(command) ?? command))) {
    if (typeof entry === "string") addGroup(parser, entry, select);
    else addCommand(parser, entry, select);
  }
  parser.completion(
    "completion",
    "Print a completion script: for bash or zsh, or with a name for fish or powershell",
  );
  parser.fail((message: string | null, error: Error | undefined) => {
    throw error instanceof CodedError ? error : usageError(unguarded(message ?? error?.message ?? ""), args);
  });
  // Alone it asks for the version, as everywhere; beside a command it is short for --verbose.
  const words = args.join(" ") === "-v" ? ["--version"] : helpWords(args);
  // A request for completions is followed by the words that the shell's user has typed.
  const given = words[0] === "--get-yargs-completions" ? words : guarded(words);
  await parser.parseAsync(given, {}, (_error, _values, output) => {
    if (output) print(output);
  });
  return selection;
}

/**
 * `help COMMAND` as the parser knows it: `COMMAND --help`.
 *
 * @throws CodedError MG2001 for a command that is not there, MG2002 for an option that is not there
 */
function helpWords(words: readonly string[]): readonly string[] {
  if (words[0] !== "help") return words;
  const named = words.slice(1).filter((word) => !word.startsWith("-"));
  const name = named.join(" ");
  const misspelt = unknownOption(words.slice(1));
  if (misspelt) throw misspelt;
  if (
    name !== "" &&
    !groups.has(name) &&
    name !== "completion" &&
    !commands.some((command) => command.name === name)
  )
    throw usageError(`Unknown command: ${name}`, named);
  return [...named, "--help"];
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
    .options(globalOptions)
    .updateStrings({ "Options:": "Options of every command:" })
    .command("help [command..]", "Show the options of a command")
    .demandCommand(1)
    .strict()
    .help()
    .alias("help", "h")
    .version(version)
    .wrap(100)
    .epilogue(exitCodeTable())
    .exitProcess(false);
}

type Select = (command: CommandDefinition, values: Record<string, unknown>) => void;

function addCommand(parser: Argv, command: CommandDefinition, select: Select): void {
  const positionals = Object.entries(command.positionals ?? {});
  const form = positionals.map(([name, { demandOption, array }]) => {
    const word = array ? `${name}..` : name;
    return demandOption ? `<${word}>` : `[${word}]`;
  });
  parser.command(
    [command.name.split(" ").at(-1)!, ...form].join(" "),
    command.summary,
    (builder) => {
      for (const [name, options] of positionals) builder.positional(name, options);
      // The parser wraps a command that stands beside its description, so that it cannot be copied.
      for (const [example, description] of command.examples ?? [])
        builder.example(`# ${description}\n${example}`, "");
      // The version that the command asks for is not that of the program.
      return (command.options?.["version"] ? builder.version(false) : builder)
        .options(withoutInherited(command.options ?? {}))
        .group(Object.keys(command.options ?? {}), `Options of ${command.name}:`);
    },
    (values) => select(command, values),
  );
}

/** The parser adds the choices of an option of every command to those of the command's own. */
function withoutInherited(options: NonNullable<CommandDefinition["options"]>): typeof options {
  const entries = Object.entries(options).map(([name, option]) => {
    const inherited = globalOptions[name]?.choices ?? [];
    const choices = option.choices?.filter((choice) => !inherited.includes(choice));
    return [name, { ...option, ...(choices && { choices }) }] as const;
  });
  return Object.fromEntries(entries);
}

function groupOf({ name }: CommandDefinition): string | undefined {
  return name.includes(" ") ? name.split(" ")[0] : undefined;
}

function addGroup(parser: Argv, group: string, select: Select): void {
  parser.command(
    group,
    groups.get(group)!,
    (builder) => {
      for (const command of commands) if (groupOf(command) === group) addCommand(builder, command, select);
      return builder.demandCommand(1);
    },
    () => {},
  );
}

/** The parser makes a list of a repeated option even if it takes one value. */
function refuseRepeated(command: CommandDefinition, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (name === "_" || !Array.isArray(value)) continue;
    if (command.options?.[name]?.array || command.positionals?.[name]?.array) continue;
    throw new CodedError("MG2004", `--${name} is given ${value.length} times`, { next: "Give it once." });
  }
}

/** An empty value says nothing, and for a folder would be taken for the working directory. */
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
