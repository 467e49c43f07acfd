import type { Options, PositionalOptions } from "yargs";
import { catalogue } from "../diagnostics/catalogue.js";
import { packageVersion } from "../files/regular-file.js";
import { type CommandDefinition, exitCodes, formOf, selectedBy } from "./command.js";
import { commands, globalOptions, groups, parserCommands, parserOptions } from "./commands.js";

/**
 * The content of `--help --json`, in the form of docs/help.schema.json: the facts of the text, as commands
 * and options declare them.
 *
 * @param words the words beside `--help`; they select one command or group, else all commands are described
 */
export function helpData(words: readonly string[]): Readonly<Record<string, unknown>> {
  const every = [...commands, ...parserCommands];
  // The help of `help` is that of the program.
  const named = [
    selectedBy(
      words,
      every.filter(({ name }) => name !== "help"),
    ),
  ].filter((command) => command !== undefined);
  const grouped = every.filter(({ name }) => name.startsWith(`${words[0]} `));
  const chosen = [named, grouped, every].find(({ length }) => length > 0)!;
  const general = { ...globalOptions, ...parserOptions };
  return {
    version: packageVersion(),
    usage: "mcpgen COMMAND [options]",
    groups: [...groups].map(([name, purpose]) => ({ name, purpose })),
    commands: chosen.map(commandData),
    options: Object.entries(general).map((entry) => optionData(entry, general)),
    exitCodes: [...exitCodes].map(([code, meaning]) => ({ code, meaning, codes: codesOf(code) })),
    explain: { code: "mcpgen explain CODE --json", all: "mcpgen explain --json" },
    pages: { manual: "docs/command-line.md", effects: "docs/security.md#what-each-command-does" },
  };
}

function commandData(command: Omit<CommandDefinition, "load">): object {
  const { name, summary, positionals = {}, options = {}, examples = [] } = command;
  const path = name.split(" ");
  return {
    name,
    path,
    purpose: summary,
    usage: ["mcpgen", ...path.slice(0, -1), formOf(command)].join(" "),
    positionals: Object.entries(positionals).map(([argument, declared]) => ({
      name: argument,
      ...valueData(declared),
    })),
    // Beside the options of every command; one of the same name replaces that.
    options: Object.entries(options).map((entry) => optionData(entry, options)),
    examples: examples.map(([line, description]) => ({ line: line.replace("$0", "mcpgen"), description })),
  };
}

/** @param beside the options that are declared together with it; one of two declares that they exclude each other */
function optionData(
  [name, option]: readonly [string, Options],
  beside: Readonly<Record<string, Options>>,
): object {
  const { alias = [], conflicts, implies } = option;
  const others = Object.entries(beside).filter(([, other]) => namesIn(other.conflicts).includes(name));
  const excluded = [...namesIn(conflicts), ...others.map(([other]) => other)];
  return {
    name: `--${name}`,
    ...(alias.length > 0 && { aliases: [alias].flat().map((letter) => `-${letter}`) }),
    ...valueData(option),
    ...(excluded.length > 0 && { conflicts: excluded.map((other) => `--${other}`) }),
    ...(implies !== undefined && { implies: namesIn(implies).map((other) => `--${other}`) }),
  };
}

function namesIn(names: Options["conflicts" | "implies"] = []): string[] {
  return [names].flat().map(String);
}

function valueData({
  type,
  array,
  choices,
  demandOption,
  description = "",
}: Options | PositionalOptions): object {
  // Descriptions state both in one form, which people read, too.
  const fallback = /\(default: ([^)]+)\)/.exec(description)?.[1];
  const variable = /\((MCPGEN_\w+)\)/.exec(description)?.[1];
  return {
    type,
    ...(demandOption && { required: true }),
    ...(array && { repeatable: true }),
    ...(choices !== undefined && { choices }),
    ...(fallback !== undefined && { default: fallback }),
    ...(variable !== undefined && { variable }),
    description,
  };
}

/** The codes of errors that end a command with this exit code. */
function codesOf(exit: number): string[] {
  return Object.entries(catalogue)
    .filter(([, diagnostic]) => diagnostic.exit === exit && exit !== 0)
    .map(([code]) => code);
}
