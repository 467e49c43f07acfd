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

/** The two streams and what the environment says of them; tests bring their own. */
interface Streams {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The output of a command: results to standard output, all other text to standard error. It is the border to the
 * terminal and to the log of a CI job: only text and this program's colours pass, no command and no secret.
 */
export class Console {
  readonly settings: ConsoleSettings;
  /** Colours for standard output. */
  readonly paint: Paint;
  /** Colours for standard error. */
  readonly paintError: Paint;
  private readonly streams: Streams;
  private readonly colours: Colours;
  private readonly errorColours: Colours;
  private progressShown = false;
  private readonly streamEnds: (() => void)[] = [];

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

  /** A result, to standard output. */
  result(text: string): void {
    this.writeResult(shownBy(this.colours, text));
  }

  /** A result as JSON. Its texts and keys keep their meaning, apart from secrets. */
  document(value: object): void {
    this.writeResult(shownJson(secrets.hideIn(value)));
  }

  /** A command for GitHub Actions, as `annotation` makes it: the only text that a CI runner may obey. */
  annotation(line: string): void {
    this.writeResult(this.colours.show(secrets.hide(line)));
  }

  /** An error, to standard error, at every setting. */
  error(text: string): void {
    this.clearProgress();
    this.streams.stderr.write(shownBy(this.errorColours, text) + "\n");
  }

  /** Worth knowing, not part of the result. */
  note(text: string): void {
    if (!this.settings.quiet) this.error(text);
  }

  /** Printed only with `--verbose`. */
  detail(text: string): void {
    if (this.settings.verbose) this.error(this.paintError("dim", text));
  }

  /**
   * For the output of another program, which comes in pieces: whole lines are printed as `detail`. `end` prints the rest.
   */
  details(): (piece: string) => void {
    if (!this.settings.verbose) return () => {};
    const { push, end } = secrets.stream();
    let line = "";
    const add = (text: string, isLast = false): void => {
      const lines = (line + text).split(/\r?\n/);
      line = isLast || lines.at(-1)!.length > longestLine ? "" : lines.pop()!;
      if (isLast && lines.at(-1) === "") lines.pop();
      if (lines.length > 0) this.detail(lines.join("\n"));
    };
    this.streamEnds.push(() => add(end(), true));
    return (piece) => add(push(piece));
  }

  /** Prints what is left of the output of other programs. */
  end(): void {
    for (const end of this.streamEnds.splice(0)) end();
  }

  /** Progress: one line, replaced by the next; only at a terminal. */
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

/** Characters of a line of another program that are kept until it ends. */
const longestLine = 65_536;

function shownBy(colours: Colours, text: string): string {
  return colours.show(withoutCiCommands(secrets.hide(text)));
}

/** `--color` decides, then FORCE_COLOR, then NO_COLOR (no-color.org), then whether a terminal listens. */
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

/** The streams that questions and answers pass. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** The surroundings that say whether a command may ask, and whom. */
export interface Surroundings {
  readonly console: Console;
  /** Paths on the command line are relative to it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The terminal for questions; undefined where standard input or standard error is no terminal. */
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
