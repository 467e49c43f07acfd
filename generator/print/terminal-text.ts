import { inspect } from "node:util";
import { secrets } from "../secrets/secrets.js";
import { escapeUnprintable } from "./text.js";
import { join, relative, sep } from "node:path";

/**
 * Makes a text safe for a terminal: control, bidirectional and invisible characters become `\uXXXX`. Line ends and tabs
 * stay. JSON keeps its meaning: its strings know these escapes.
 */
export function terminalText(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeUnprintable(part)))
    .join("");
}

/** Makes one line of foreign text safe for a terminal and for the log of a CI job. It holds no secret of this process. */
export function printable(line: string): string {
  return withoutCiCommands(escapeUnprintable(secrets.hide(line)));
}

/** The same for several lines. */
export function printableLines(text: string): string {
  return withoutCiCommands(terminalText(secrets.hide(text)));
}

/**
 * What runners take for commands: GitHub Actions `::` at the start of a line and `##[` anywhere, Azure Pipelines `##vso[`,
 * TeamCity `##teamcity[`, GitLab the marks of sections.
 */
const ciCommand = /^([^\S\n]*):(?=:)|##(?=\[|vso\[|teamcity\[)|section_(?=(?:start|end):\d)/gim;

/**
 * Escapes the first character of each command for a CI runner, so that the line is shown, and not obeyed. The text may hold
 * marks of `Colours`. JSON and quoted YAML keep their meaning: their strings know the escape.
 */
export function withoutCiCommands(text: string): string {
  return text.replace(ciCommand, (command, indent = "") => {
    const sign = command.slice(indent.length);
    return `${indent}\\u00${sign.charCodeAt(0).toString(16)}${sign.slice(1)}`;
  });
}

/** `value` as JSON in lines: the same value, all of which shows, and without commands for a terminal or a CI runner. */
export function shownJson(value: unknown): string {
  return withoutCiCommands(terminalText(JSON.stringify(value, null, 2)));
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (style: Style, text: string) => string;

/**
 * Colours that only this program can set. `paint` puts marks into a text, which no server can guess. `show` escapes all
 * other control characters, and replaces the marks by escape sequences.
 */
export class Colours {
  // Guessing it would only colour a text: a weak random number is enough.
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

  /** The text as it is written to the terminal. */
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

/** Joins the lines of foreign text for a one-line message; `between` replaces the line ends. */
export function oneLine(text: string, between: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(between);
}

/** The beginning of a text: at most `most` characters, of which the last says that more follows. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A text that has more than `most` characters ends with `…`. */
export function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Twenty names at most. */
export function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 20);
  return names.length > shown.length
    ? `${shown.join(", ")} and ${names.length - shown.length} more`
    : shown.join(", ");
}

/**
 * A word as a POSIX shell takes it. `stdio:` sources quote the same way: a single quote stands in double quotes, because
 * a backslash outside of quotes is an ordinary character there. A leading `=` is quoted, which zsh would expand.
 */
function shellWord(word: string): string {
  return /^(?!=)[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** A command line whose words are `words`. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** Words after all options of a command: where one begins with a dash, `--` keeps it from being an option. */
export function operands(words: readonly string[]): readonly string[] {
  return words.some((word) => word.startsWith("-")) ? ["--", ...words] : words;
}

/** Rows of cells as lines of text, the columns aligned. */
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

/** A path as messages show it: from the working directory where it is below it, POSIX separators. */
export function shownPath(folder: string, directory: string, path = ""): string {
  const full = join(folder, path);
  const short = relative(directory, full);
  return (short.startsWith("..") ? full : short || ".").split(sep).join("/");
}
