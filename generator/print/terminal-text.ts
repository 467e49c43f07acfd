import { inspect } from "node:util";
import { secrets } from "../secrets/secrets.js";
import { escapeUnprintable } from "./text.js";
import { join, relative, sep } from "node:path";

/**
 * Makes text safe for a terminal: control, bidirectional and invisible characters become `\uXXXX`, except
 * line ends and tabs. JSON keeps its meaning, because its strings know these escapes.
 */
export function terminalText(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeUnprintable(part)))
    .join("");
}

/** Makes one line of untrusted text safe for a terminal and a CI log, and removes this process's secrets. */
export function printable(line: string): string {
  return withoutCiCommands(escapeUnprintable(secrets.hide(line)));
}

/** The same for several lines. */
export function printableLines(text: string): string {
  return withoutCiCommands(terminalText(secrets.hide(text)));
}

/**
 * Commands for CI runners: GitHub Actions `::` at the start of a line and `##[` anywhere, Azure Pipelines
 * `##vso[`, TeamCity `##teamcity[`, GitLab section markers.
 */
const ciCommand = /^([^\S\n]*):(?=:)|##(?=\[|vso\[|teamcity\[)|section_(?=(?:start|end):\d)/gim;

/**
 * Escapes the first character of each CI command, so that the line is shown rather than executed. The text
 * may contain marks of `Colours`. JSON and quoted YAML keep their meaning, because their strings know the
 * escape.
 */
export function withoutCiCommands(text: string): string {
  return text.replace(ciCommand, (command, indent = "") => {
    const sign = command.slice(indent.length);
    return `${indent}\\u00${sign.charCodeAt(0).toString(16)}${sign.slice(1)}`;
  });
}

/** `value` as indented JSON without invisible characters, or commands for a terminal or CI runner. */
export function shownJson(value: unknown): string {
  return withoutCiCommands(terminalText(JSON.stringify(value, null, 2)));
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (style: Style, text: string) => string;

/**
 * Colours that only this program can set. `paint` inserts marks into text that no server can guess. `show`
 * escapes all other control characters and replaces the marks by escape sequences.
 */
export class Colours {
  // A weak random number is sufficient, because guessing it would only colour text.
  readonly #mark = `\u001b<${Math.random().toString(36).slice(2)}:`;
  readonly #isOn: boolean;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  readonly paint: Paint = (style, text) => {
    if (!this.#isOn) return text;
    const [start, end] = inspect.colors[style]!;
    return `${this.#code(start)}${text}${this.#code(end)}`;
  };

  /** The text to write to the terminal. */
  show(text: string): string {
    const [first, ...rest] = text.split(this.#mark);
    return [
      terminalText(first!),
      ...rest.map((part) => {
        const end = part.indexOf(">");
        return `\u001b[${part.slice(0, end)}m${terminalText(part.slice(end + 1))}`;
      }),
    ].join("");
  }

  #code(code: number): string {
    return `${this.#mark}${code}>`;
  }
}

/** A number with its noun: `1 note`, `2 notes`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Joins the lines of untrusted text into one; `between` replaces the line ends. */
export function oneLine(text: string, between: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(between);
}

/** Truncates a text to at most `most` characters; the last one shows that text was omitted. */
export function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/**
 * The first lines of a list. If there are more, a last line counts them.
 *
 * @param where says where all are, e.g. ` (--verbose)`
 */
export function firstLines(lines: readonly string[], most: number, where = ""): readonly string[] {
  const rest = lines.length - most;
  return rest > 0 ? [...lines.slice(0, most), `… ${rest} more${where}`] : lines;
}

/** Joins the first names, and counts the others. */
export function shortList(names: readonly string[], most = 20): string {
  const shown = names.slice(0, most);
  return names.length > shown.length
    ? `${shown.join(", ")} and ${names.length - shown.length} more`
    : shown.join(", ");
}

/**
 * Quotes a word for a POSIX shell. `stdio:` sources use the same quoting: a single quote is put in double
 * quotes, because a backslash outside of quotes is an ordinary character there. A leading `=` is quoted,
 * because zsh would expand it.
 */
function shellWord(word: string): string {
  return /^(?!=)[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** The command line for a list of words. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** Words after all options of a command. If one begins with a dash, `--` precedes them. */
export function operands(words: readonly string[]): readonly string[] {
  return words.some((word) => word.startsWith("-")) ? ["--", ...words] : words;
}

/** Rows of cells as lines of text with aligned columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A path for messages: relative to the working directory if it is below, with POSIX separators. */
export function shownPath(folder: string, directory: string, path = ""): string {
  const full = join(folder, path);
  const short = relative(directory, full);
  return (short.startsWith("..") ? full : short || ".").split(sep).join("/");
}

/** Matches the path by which a package manager starts mcpgen from an installation. */
const installed = /[\\/]node_modules[\\/](?:\.bin[\\/])?(?:create-)?mcpgen(?:[\\/.]|$)/;

/** Matches a path in npm's global folder, whose programs are on PATH. */
const npmGlobal = /(?:\/lib|\\(?:npm|nodejs))[\\/]node_modules[\\/]mcpgen[\\/]/;

/**
 * The words that start mcpgen, as the user would type them. Started by a package manager from a project or a cache, it is not
 * on PATH: `npx` finds it.
 *
 * @param script the path of the running script, as it was started: `process.argv[1]`
 */
export function programOf(script: string): "mcpgen" | "npx mcpgen" {
  return installed.test(script) && !npmGlobal.test(script) ? "npx mcpgen" : "mcpgen";
}

const program = programOf(process.argv[1] ?? "");

/**
 * Text for people in which commands of mcpgen begin as the user would type them. Such a command begins the text or follows a
 * backtick.
 */
export function asTyped(text: string, typed = program): string {
  return text.replace(/(^|`)mcpgen (?=[a-z-])/g, `$1${typed} `);
}
