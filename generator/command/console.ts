import { secrets } from "../secrets/secrets.js";
import { type Paint, Colours, shownJson, withoutCiCommands } from "../print/terminal-text.js";
import type { Readable, Writable } from "node:stream";

export type Format = "text" | "json" | "github";
export type ColorChoice = "auto" | "always" | "never";

export interface ConsoleSettings {
  readonly format: Format;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: ColorChoice;
}

/** The output streams and the environment. Tests replace them. */
interface Streams {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The output of a command: results to standard output, all other text to standard error. Everything for the
 * terminal or a CI log passes through here. The console lets its own colours through and removes secrets,
 * workflow commands and other control sequences.
 */
export class Console {
  readonly settings: ConsoleSettings;
  /** Paints text for standard output. */
  readonly paint: Paint;
  /** Paints text for standard error. */
  readonly paintError: Paint;
  private readonly streams: Streams;
  private readonly colours: Colours;
  private readonly errorColours: Colours;
  private progressShown = false;
  private readonly streamEnds = new Set<() => void>();

  constructor(settings: ConsoleSettings, streams: Streams) {
    this.settings = settings;
    this.streams = streams;
    const coloursOf = ({ isTTY = false }: { readonly isTTY?: boolean }): Colours =>
      new Colours(usesColor(settings.color, isTTY, streams.env));
    this.colours = coloursOf(streams.stdout);
    this.errorColours = coloursOf(streams.stderr);
    this.paint = this.colours.paint;
    this.paintError = this.errorColours.paint;
  }

  /** Prints a result to standard output. */
  result(text: string): void {
    this.writeResult(shownBy(this.colours, text));
  }

  /**
   * Prints a result as JSON to standard output. Control characters are escaped, which keeps the meaning of
   * texts and keys; secrets are hidden.
   */
  document(value: object): void {
    this.writeResult(shownJson(secrets.hideIn(value)));
  }

  /**
   * Prints a workflow command for GitHub Actions, as made by `annotation`. No other text may act as a command
   * in CI.
   */
  annotation(line: string): void {
    this.writeResult(this.colours.show(secrets.hide(line)));
  }

  /** Prints an error to standard error, whatever the settings. */
  error(text: string): void {
    this.clearProgress();
    this.streams.stderr.write(shownBy(this.errorColours, text) + "\n");
  }

  /** Prints a remark that is not part of the result. */
  note(text: string): void {
    if (!this.settings.quiet) this.error(text);
  }

  /** Prints only under `--verbose`. */
  detail(text: string): void {
    if (this.settings.verbose) this.error(this.paintError("dim", text));
  }

  /**
   * Returns a function for the output of one other program, which arrives in pieces. Prints complete lines as
   * `detail`; `end`, of the function or of the console, prints the rest.
   */
  details(): ((piece: string) => void) & { end(): void } {
    if (!this.settings.verbose) return Object.assign(() => {}, { end() {} });
    const { push, end } = secrets.stream();
    let line = "";
    const add = (text: string, isLast = false): void => {
      const lines = (line + text).split(/\r?\n/);
      line = isLast || lines.at(-1)!.length > longestLine ? "" : lines.pop()!;
      if (isLast && lines.at(-1) === "") lines.pop();
      if (lines.length > 0) this.detail(lines.join("\n"));
    };
    const over = (): void => {
      if (this.streamEnds.delete(over)) add(end(), true);
    };
    this.streamEnds.add(over);
    return Object.assign((piece: string) => add(push(piece)), { end: over });
  }

  /** Prints the incomplete last lines of other programs. */
  end(): void {
    for (const end of this.streamEnds) end();
  }

  /** Shows progress in one line, which the next call replaces. Only at a terminal. */
  progress(text: string): void {
    if (this.settings.quiet || !this.streams.stderr.isTTY || this.streams.env["CI"]) return;
    this.streams.stderr.write(`\r\x1b[K${shownBy(this.errorColours, this.paintError("dim", text))}`);
    this.progressShown = true;
  }

  private writeResult(shown: string): void {
    this.clearProgress();
    this.streams.stdout.write(shown.endsWith("\n") ? shown : shown + "\n");
  }

  private clearProgress(): void {
    if (this.progressShown) this.streams.stderr.write("\r\x1b[K");
    this.progressShown = false;
  }
}

/** Maximum number of characters kept of another program's incomplete line. */
const longestLine = 65_536;

function shownBy(colours: Colours, text: string): string {
  return colours.show(withoutCiCommands(secrets.hide(text)));
}

/**
 * Whether to use colour. In order: `--color`, FORCE_COLOR, NO_COLOR (no-color.org), whether the stream is a
 * terminal.
 */
export function usesColor(
  choice: ColorChoice,
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (choice !== "auto") return choice === "always";
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (env["NO_COLOR"]) return false;
  return isTerminal && env["TERM"] !== "dumb";
}

/** The streams for questions and answers. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Facts that decide whether a command may ask questions, and where. */
export interface Surroundings {
  readonly console: Console;
  /** The working directory: paths on the command line are relative to it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The terminal for questions; undefined if standard input or standard error is not a terminal. */
  readonly terminal?: Terminal | undefined;
}

/** Whether the command may ask questions: at a terminal, outside of CI, without `--quiet`, in text format. */
export function canAsk({
  terminal,
  env,
  console,
}: Pick<Surroundings, "terminal" | "env" | "console">): boolean {
  const { format, quiet } = console.settings;
  return terminal !== undefined && !env["CI"] && format === "text" && !quiet;
}
