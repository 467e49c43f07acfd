import { inspect } from "node:util";
import { escapeUnprintable } from "../emit/text.js";

/**
 * Text fit for a terminal, whoever wrote it: control characters, bidirectional and invisible ones are shown as `\uXXXX`
 * and never obeyed. Line ends and tabs stay. JSON stays JSON: its strings know these escapes.
 */
export function terminalText(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeUnprintable(part)))
    .join("");
}

/**
 * One line of somebody else's text, fit for a terminal and for the log of a workflow: every character shows,
 * none is obeyed. Lines that start with `::` or `##[` would be commands to GitHub Actions.
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

/** Several lines of somebody else's, each fit for a terminal and for the log of a workflow. */
export function printableLines(text: string): string {
  return withoutWorkflowCommands(terminalText(text));
}

/** Lines of text among which colours of ours may stand; the console makes the rest of them fit for a terminal. */
export function withoutWorkflowCommands(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(workflowCommand, escapeStart))
    .join("\n");
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (style: Style, text: string) => string;

/**
 * Colours that only the program can set. `paint` puts marks into a text that no server can guess; `show` escapes all else
 * that a terminal would obey, and then makes escape sequences of the marks.
 */
export class Colours {
  // A process writes few texts, and none comes back from a server before it ends: this need not be a secret for longer.
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
