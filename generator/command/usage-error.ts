import type { Options } from "yargs";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import type { CommandDefinition } from "./command-definition.js";
import { commands, globalOptions, groups } from "./commands.js";

/** The complaint of the parser as a coded error with a suggestion. */
export function usageError(message: string, args: readonly string[]): CodedError {
  // The parser looks for missing arguments first; a misspelt option is often why one is missing.
  const misspelt = unknownOption(args);
  if (misspelt) return misspelt;
  const command = commandOf(args);
  const help = helpOf(command);
  const unknown = /^Unknown (?:argument|command)s?: ([^]*)$/.exec(message)?.[1];
  if (unknown !== undefined) return unknownArgument(unknown.split(", ")[0]!, args, command, help);
  const choice = /Argument: (.*), Given: ([^]*), Choices: (.*)/.exec(message);
  if (choice) return wrongChoice(named(choice[1]!, command), choice[2]!, choice[3]!);
  if (message.startsWith("Missing required argument")) {
    return new CodedError("MG2003", `expected ${required(message, command)}`, { next: help });
  }
  const valueOf = /^Not enough arguments following: (.*)$/.exec(message)?.[1];
  if (valueOf !== undefined)
    return new CodedError("MG2003", `expected a value after --${valueOf}`, { next: help });
  if (message.startsWith("Not enough non-option arguments"))
    return missingPositional(message, args, command, help);
  return new CodedError("MG2003", message || "the command line cannot be read", { next: help });
}

function helpOf(command: CommandDefinition | undefined): string {
  return `See \`mcpgen ${command ? `${command.name} ` : ""}--help\`.`;
}

/** The error for the first option of a command line that its command does not have; undefined where there is none. */
export function unknownOption(args: readonly string[]): CodedError | undefined {
  const command = commandOf(args);
  const options: Readonly<Record<string, Options>> = { ...globalOptions, ...command?.options };
  const names = new Set([...Object.keys(options), "help", "version"]);
  const letters = new Set(["h", ...Object.values(options).flatMap(({ alias = [] }) => alias)]);
  for (const arg of wordsBefore(args, "--")) {
    const [, name, cluster = ""] = /^(?:--([^=]+)|-([A-Za-z]+))/.exec(arg) ?? [];
    const letter = [...cluster].find((each) => !letters.has(each));
    if (name === undefined ? letter === undefined : names.has(name)) continue;
    const suggestion = name === undefined ? undefined : closest(name, names);
    return new CodedError("MG2002", `there is no option ${name === undefined ? `-${letter}` : `--${name}`}`, {
      next: suggestion === undefined ? helpOf(command) : `Did you mean --${suggestion}?`,
    });
  }
  return undefined;
}

function wordsBefore(words: readonly string[], end: string): readonly string[] {
  return words.includes(end) ? words.slice(0, words.indexOf(end)) : words;
}

/** The command that the leading words select, options between them left out. */
function commandOf(args: readonly string[]): CommandDefinition | undefined {
  const words = args.filter((arg) => !arg.startsWith("-"));
  return commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
}

function unknownArgument(
  name: string,
  args: readonly string[],
  command: CommandDefinition | undefined,
  help: string,
): CodedError {
  if (command) {
    return new CodedError("MG2002", `unexpected argument ${JSON.stringify(name)}`, {
      next: command.positionals ? `Put a value with spaces in quotes. ${help}` : help,
    });
  }
  const group = args.find((arg) => groups.has(arg));
  const candidates = commands.map((each) => each.name).filter((each) => !group || each.startsWith(group));
  const suggestion = closest(group ? `${group} ${name}` : name, [
    ...candidates,
    ...groups.keys(),
    "completion",
  ]);
  return new CodedError(
    "MG2001",
    `there is no command ${JSON.stringify(group ? `${group} ${name}` : name)}`,
    {
      next:
        suggestion === undefined
          ? `See \`mcpgen ${group ? `${group} ` : ""}--help\`.`
          : `Did you mean \`mcpgen ${suggestion}\`?`,
    },
  );
}

/** A positional argument or an option, as help shows it. */
function named(name: string, command: CommandDefinition | undefined): string {
  return command?.positionals && Object.hasOwn(command.positionals, name) ? name.toUpperCase() : `--${name}`;
}

function wrongChoice(name: string, given: string, choices: string): CodedError {
  const plain = choices.split(", ").map((choice) => choice.replaceAll('"', ""));
  const suggestion = closest(given.replaceAll('"', ""), plain);
  return new CodedError("MG2004", `expected ${name} to be one of ${plain.join(", ")}, got ${given}`, {
    next: suggestion === undefined ? `Choose one of these.` : `Did you mean ${suggestion}?`,
  });
}

/** The options that are missing; one alone with its description. */
function required(message: string, command: CommandDefinition | undefined): string {
  const names = message.replace(/^[^:]*: /, "").split(", ");
  const [name, ...others] = names;
  const { description } = (others.length === 0 && command?.options?.[name!]) || {};
  if (description !== undefined) return `--${name}: ${inSentence(description)}`;
  return names.map((each) => (each === "" ? "an argument" : `--${each}`)).join(" and ");
}

function missingPositional(
  message: string,
  args: readonly string[],
  command: CommandDefinition | undefined,
  help: string,
): CodedError {
  const group = args.find((arg) => groups.has(arg));
  if (!command) {
    const names = commands.map(({ name }) => name).filter((name) => !group || name.startsWith(group));
    return new CodedError("MG2003", `expected a command: ${names.join(", ")}`, {
      next: group ? `See \`mcpgen ${group} --help\`.` : help,
    });
  }
  const required = Object.entries(command.positionals ?? {}).filter(([, { demandOption }]) => demandOption);
  const given = Number(/got (\d+)/.exec(message)?.[1] ?? 0);
  const [name, { description }] = required[given] ?? required[0] ?? ["argument", {}];
  // If several arguments are required, the parser does not report which one is missing.
  const which = required.length > 1 ? `${name.toUpperCase()}: ` : "";
  return new CodedError("MG2003", `expected ${which}${inSentence(description ?? name)}`, {
    next: help,
  });
}

/** A description stands for itself; in a sentence it has no capital, unless its first word is one of capitals. */
function inSentence(description: string): string {
  return description.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
