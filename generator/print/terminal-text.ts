import { inspect } from "node:util";
import { escapeUnprintable } from "./text.js";

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

/**
 * Makes one line of foreign text safe for a terminal and for the log of a workflow. GitHub Actions takes lines that start
 * with `::` or `##[` for commands.
 */
export function printable(line: string): string {
  return escapeUnprintable(line).replace(workflowCommand, escapeStart);
}

/** GitHub Actions takes lines that start so for commands. */
const workflowCommand = /^\s*(?:::|##\[)/;

function escapeStart(start: string): string {
  const sign = start.trimStart();
  return `${start.slice(0, -sign.length)}\\u00${sign.charCodeAt(0).toString(16)}${sign.slice(1)}`;
}

/** The same for several lines. */
export function printableLines(text: string): string {
  return withoutWorkflowCommands(terminalText(text));
}

/** Escapes commands of GitHub Actions alone. The text may hold marks of `Colours`; the console escapes the rest. */
export function withoutWorkflowCommands(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(workflowCommand, escapeStart))
    .join("\n");
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
