import type { Options, PositionalOptions } from "yargs";
import { storeKinds } from "../login/token-stores.js";
import type { Surroundings, Console } from "./console.js";
import type { Trust } from "./trust/trust.js";
import { type Finding, type Place, type ErrorFinding, CodedError } from "../diagnostics/coded-error.js";
import {
  type Paint,
  asTyped,
  operands,
  shellLine,
  shownPath,
  printable,
  printableLines,
} from "../print/terminal-text.js";
import { isAbsolute } from "node:path";

/** One command: its place in the table of commands, and the module of its code. */
export interface CommandDefinition {
  /** The words that select it, e.g. `revision add`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments in order; those with `demandOption` must be given. */
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  readonly options?: Readonly<Record<string, Options>>;
  readonly examples?: readonly (readonly [string, string])[];
  /** Loads the module with the code. `--help` and other commands do not load it. */
  readonly load: () => Promise<RunCommand>;
}

/** An option with a value. */
export const text = (description: string, more: Options = {}): Options => ({
  type: "string",
  requiresArg: true,
  description,
  ...more,
});
/** An option that may be given several times. */
export const texts = (description: string): Options => ({ ...text(description), array: true });
/** An option without a value. */
export const flag = (description: string, more: Options = {}): Options => ({
  type: "boolean",
  description,
  ...more,
});

/** The form of a command in its help, from its last word on: `add <source>`. */
export function formOf({ name, positionals = {} }: Omit<CommandDefinition, "load">): string {
  const form = Object.entries(positionals).map(([argument, { demandOption, array }]) => {
    const word = array ? `${argument}..` : argument;
    return demandOption ? `<${word}>` : `[${word}]`;
  });
  return [name.split(" ").at(-1)!, ...form].join(" ");
}

/** The command that the first words select: `bridge approve` goes before `bridge`. */
export function selectedBy<Command extends { readonly name: string }>(
  words: readonly string[],
  commands: readonly Command[],
): Command | undefined {
  const fits = commands.filter(({ name }) => name.split(" ").every((word, index) => word === words[index]));
  return fits.sort((one, other) => other.name.length - one.name.length)[0];
}

/** Help text: the forms of a SOURCE that is a server. */
export const serverSourceText = "http(s)://…, stdio:COMMAND … or a name";

/** The positional SOURCE of a command that needs a server. */
export const serverSource = { type: "string", description: serverSourceText, demandOption: true } as const;

/** Options of every command that may log in to a server. */
export const loginOptionDefinitions = {
  "token-store": text(
    "Where logins are kept (default: where this login is, else auto: a keychain or files)",
    { choices: storeKinds },
  ),
  "no-browser": flag("Print the address of a login, and open no browser"),
  device: flag("Log in with a code on another device, where the authorization server offers that"),
};

/** Options of every command that connects to a server. */
export const serverOptionDefinitions = {
  timeout: text("Seconds to wait for a sign of life from the server (default: 60)"),
  header: texts("NAME:VALUE, sent with each request over HTTP; may be repeated"),
  env: texts("Variable that a server which is started is given, NAME or NAME=VALUE; may be repeated"),
  input: texts("ID=VALUE of an ${input:ID} in the host's file that names the server; may be repeated"),
  ...loginOptionDefinitions,
};

/** Options of commands that open a session. The default revision is the newest that both sides know. */
export const sessionOptionDefinitions = {
  revision: text("Revision to speak (default: the newest that both know)"),
  ...serverOptionDefinitions,
};

/** Options of commands that send a request during which the server may ask its user questions. */
export const requestOptionDefinitions = {
  output: text("FILE or FOLDER/ that images, sounds and blobs are saved to"),
  replace: flag("Replace files that are there"),
  answer: texts("FIELD=VALUE or FIELD:=JSON for a form of the server; may be repeated"),
  decline: flag("Decline questions without an --answer"),
  ...sessionOptionDefinitions,
};

/** The environment of a command, besides its arguments. */
export interface CommandContext extends Surroundings {
  /** The words of the command line, from which messages build commands to repeat. */
  readonly words: readonly string[];
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Decides which configuration files to trust. */
  readonly trust: Trust;
}

/** A context with other members. It inherits the rest: a copy would read streams that the command may not need. */
export function contextWith(context: CommandContext, others: Partial<CommandContext>): CommandContext {
  return Object.create(context, Object.getOwnPropertyDescriptors(others)) as CommandContext;
}

export type RunCommand = (args: Arguments, context: CommandContext) => Promise<Outcome>;

/** The result of a command. Commands return it and print nothing themselves. */
export interface Outcome {
  readonly findings?: readonly Finding[];
  /** The command failed without a finding; `text` or `data` gives the reason. */
  readonly failed?: boolean;
  /** Overrides the exit code, e.g. if a server did not answer and the check is incomplete. */
  readonly exit?: number;
  /** A mistake of the user that showed when the work was done: there is a result, too. It decides the exit code. */
  readonly error?: CodedError;
  /** The result for people. */
  readonly text?: string;
  /** The actions of the run, one per line; omitted under `--quiet`. */
  readonly steps?: string;
  /** A summary in one line; omitted under `--quiet`. */
  readonly summary?: string;
  /** The command that repairs the findings, from `mcpgen` on; printed as the last line. */
  readonly mend?: string;
  /** Data that `--json` prints beside the findings. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The exit code: the outcome's own, else 1 if there is an error among the findings. */
export function exitCodeOf(outcome: Outcome): number {
  const exit = outcome.exit ?? outcome.error?.exitCode;
  if (exit !== undefined) return exit;
  return outcome.failed || outcome.findings?.some(({ severity }) => severity === "error") ? 1 : 0;
}

/** Merges two outcomes: the findings, texts and data of both. */
export function together(first: Outcome, second: Outcome): Outcome {
  const joined = (texts: readonly (string | undefined)[], separator: string): string =>
    texts.filter((text) => text !== undefined && text !== "").join(separator);
  const steps = joined([first.steps, second.steps], "\n");
  const mend = first.mend ?? second.mend;
  return {
    findings: [...(first.findings ?? []), ...(second.findings ?? [])],
    ...(steps !== "" && { steps }),
    summary: joined([first.summary, second.summary], "; "),
    ...((first.exit ?? second.exit) !== undefined && { exit: (first.exit ?? second.exit)! }),
    ...(mend !== undefined && { mend }),
    data: { ...first.data, ...second.data },
  };
}

/** The outcome with more findings. */
export function withFindings(outcome: Outcome, findings: readonly Finding[]): Outcome {
  return findings.length === 0
    ? outcome
    : { ...outcome, findings: [...(outcome.findings ?? []), ...findings] };
}

/** The meaning of each exit code. */
export const exitCodes = new Map<number, string>([
  [0, "clean"],
  [1, "findings or drift"],
  [2, "usage or configuration"],
  [3, "input cannot be read or is not what it should be"],
  [4, "network or server"],
  [70, "a bug in mcpgen"],
  [130, "ended with Ctrl-C"],
]);

/** The table of exit codes for `--help`. */
export function exitCodeTable(): string {
  const lines = [...exitCodes].map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return ["Exit codes:", ...lines].join("\n");
}

/** The command line with more words, as a command to repeat. */
export function repeatedWith(words: readonly string[], more: readonly string[]): string {
  return shellLine(["mcpgen", ...words.filter((word) => !presentation.test(word)), ...more]);
}

/** The command line as a call of `command`, without some words. */
export function repeatedWithout(
  words: readonly string[],
  without: readonly string[],
  command: string,
): string {
  const kept = words.filter((word) => !without.includes(word) && !presentation.test(word));
  const place = kept.findIndex((word) => !word.startsWith("-"));
  return shellLine(["mcpgen", ...kept.map((word, index) => (index === place ? command : word))]);
}

/** The command that restores generated files that were edited. */
export function restoring(findings: readonly Finding[]): string {
  const files = findings.map(({ place }) => place?.file).filter((file) => file !== undefined);
  return shellLine(["git", "restore", ...operands(files)]);
}

/** Options for the form of the output, which a suggested command need not repeat. */
const presentation = /^(?:-v|--(?:json|quiet|verbose|format=.*|color=.*))$/;

/**
 * Prefix for words that the parser would mistake for options; no word of a real command line can start with
 * it.
 */
const guard = "\0";

/**
 * Prepares the words of a command line for the parser. `-` means standard input, not an option, and after
 * `--` no word is an option (POSIX, Utility Syntax Guidelines, 10).
 */
export function guarded(words: readonly string[]): string[] {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  return [
    ...words.slice(0, end).map((word) => (word === "-" ? guard + word : word)),
    ...words.slice(end + 1).map((word) => (word.startsWith("-") ? guard + word : word)),
  ];
}

/** Removes the prefixes from a text, because messages of the parser quote arguments. */
export function unguarded(text: string): string {
  return text.replaceAll(guard, "");
}

/** The parsed arguments of one command, with a reader for each declared type. */
export class Arguments {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.values = values;
  }

  string(name: string): string | undefined {
    const value = this.values[name];
    return value === undefined ? undefined : unguarded(String(value));
  }

  /** An argument that the parser has verified to be present. */
  required(name: string): string {
    const value = this.string(name);
    if (value === undefined)
      throw new CodedError("MG2003", `${name} is missing`, { next: "See `mcpgen --help`." });
    return value;
  }

  /** All values of an option that may be repeated. */
  strings(name: string): string[] | undefined {
    const value = this.values[name];
    return Array.isArray(value) && value.length > 0
      ? value.map((each) => unguarded(String(each)))
      : undefined;
  }

  /** The values of an option that takes a comma-separated list. */
  list(name: string): string[] | undefined {
    const items = this.string(name)
      ?.split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
    return items && items.length > 0 ? items : undefined;
  }

  /** Whether the option was given. */
  given(name: string): boolean {
    const value = this.values[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }
}

/** Version of the documents that `--json` prints. */
const documentFormat = 1;

/**
 * Prints the outcome of a command in the selected format.
 *
 * @returns the exit code
 */
export function present(command: string, outcome: Outcome, console: Console): number {
  const exit = exitCodeOf(outcome);
  const findings = outcome.findings ?? [];
  if (console.settings.format === "json") {
    console.document(documentOf(command, outcome));
    return exit;
  }
  // Before the result: what the user did wrong explains it.
  if (outcome.error)
    printErrors(
      [outcome.error, ...outcome.error.more].map((each) => shownError(each)),
      console,
    );
  for (const finding of findings) {
    if (console.settings.format === "github") console.annotation(annotation(finding));
    else console.result(findingText(finding, console.paint));
  }
  if (outcome.text !== undefined) console.result(outcome.text);
  if (outcome.steps !== undefined && !console.settings.quiet) console.result(outcome.steps);
  if (outcome.summary !== undefined && !console.settings.quiet)
    console.result(printable(asTyped(outcome.summary)));
  if (outcome.mend !== undefined)
    console.result(`Run: ${console.paint("bold", printable(asTyped(outcome.mend)))}`);
  return exit;
}

/** The content of the document that `--json` prints. */
export function documentOf(command: string, outcome: Outcome): object {
  const { findings = [], data, mend, error } = outcome;
  const exit = exitCodeOf(outcome);
  return {
    ...{ format: documentFormat, command, exit, findings, ...data, mend },
    ...(error && errorMembers(error)),
  };
}

/**
 * Prints the error that ended a command: as text to standard error, or as JSON to standard output.
 *
 * @returns the exit code
 */
export function presentError(
  command: string,
  error: CodedError,
  console: Console,
  directory: string,
): number {
  const { exitCode } = error;
  if (console.settings.format === "json")
    console.document({
      ...{ format: documentFormat, command, exit: exitCode },
      ...errorMembers(error, directory),
    });
  printErrors(
    [error, ...error.more].map((each) => shownError(each, directory)),
    console,
  );
  return exitCode;
}

/** The members of a JSON document for an error and others that were found together with it. */
function errorMembers(error: CodedError, directory?: string): object {
  const more = error.more.map((each) => shownError(each, directory));
  return { error: { ...shownError(error, directory), ...error.facts }, ...(more.length > 0 && { more }) };
}

/** An error in the form of findings. */
type ShownError = Omit<ErrorFinding, "severity">;

function printErrors(errors: readonly ShownError[], console: Console): void {
  for (const each of errors) {
    const finding: Finding = { severity: "error", ...each };
    if (console.settings.format === "github") console.annotation(annotation(finding));
    else console.error(findingText(finding, console.paintError));
  }
}

/** @param directory the working directory, to which paths are shown relative */
function shownError({ code, message, next, detail, place }: CodedError, directory?: string): ShownError {
  const file = place?.file;
  const shown =
    file !== undefined && directory !== undefined && isAbsolute(file)
      ? { ...place, file: shownPath(file, directory) }
      : place;
  return {
    code,
    message,
    ...(shown && { place: shown }),
    ...(next && { next }),
    ...(detail && { detail }),
  };
}

const colours = { error: "red", warning: "yellow", info: "cyan" } as const;

/** `place: error MG1002: message`, then what to do, then the details. */
export function findingText({ code, severity, message, place, next, detail }: Finding, paint: Paint): string {
  const where = place === undefined ? "" : `${paint("bold", placeText(place))}: `;
  const kind = paint(colours[severity], `${severity} ${code}`);
  const lines = [`${where}${kind}: ${printable(message)}`];
  if (next !== undefined) lines.push(`  ${paint("cyan", "→")} ${printable(asTyped(next))}`);
  if (detail !== undefined) lines.push(indented(detail, paint));
  return lines.join("\n");
}

/** `file:line:column` and the JSON Pointer, where known. */
function placeText({ file, line, column, pointer }: Place): string {
  const position = [file, line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
  const parts = [position, pointer && shortPointer(pointer)].filter(
    (part) => part !== undefined && part !== "",
  );
  return printable(parts.join(" ")) || "(whole document)";
}

/** Shortens a long pointer in the middle. */
function shortPointer(pointer: string): string {
  const most = 120;
  if (pointer.length <= most) return pointer;
  return `${pointer.slice(0, most * 0.6)}…${pointer.slice(-most * 0.3)}`;
}

function indented(detail: string, paint: Paint): string {
  return printableLines(detail.trimEnd())
    .split("\n")
    .map(
      (line) =>
        `    ${line.startsWith("+") ? paint("green", line) : line.startsWith("-") ? paint("red", line) : line}`,
    )
    .join("\n");
}

/**
 * A workflow command of GitHub Actions. Its values must not contain line ends, nor its properties `:` or `,`.
 */
export function annotation({ code, severity, message, place, next, detail }: Finding): string {
  const pointer = place?.pointer ? `${shortPointer(place.pointer)}: ` : "";
  const lines = [pointer + message, next].filter((part) => part !== undefined).map(printable);
  const text = [...lines, ...(detail === undefined ? [] : [printableLines(detail)])].join("\n");
  const properties = Object.entries({ file: place?.file, line: place?.line, col: place?.column, title: code })
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${key}=${escapeData(printable(String(value)))
          .replaceAll(":", "%3A")
          .replaceAll(",", "%2C")}`,
    );
  return `::${severity === "info" ? "notice" : severity} ${properties.join(",")}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
