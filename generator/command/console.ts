import { Colours, type Paint } from "../print/terminal-text.js";

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
 * terminal: only text and this program's colours pass.
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
    this.clearProgress();
    const shown = this.colours.show(text);
    this.streams.stdout.write(shown.endsWith("\n") ? shown : shown + "\n");
  }

  /** An error, to standard error, at every setting. */
  error(text: string): void {
    this.clearProgress();
    this.streams.stderr.write(this.errorColours.show(text) + "\n");
  }

  /** Worth knowing, not part of the result. */
  note(text: string): void {
    if (!this.settings.quiet) this.error(text);
  }

  /** Printed only with `--verbose`. */
  detail(text: string): void {
    if (this.settings.verbose) this.error(this.paintError("dim", text));
  }

  /** Progress: one line, replaced by the next; only at a terminal. */
  progress(text: string): void {
    if (this.settings.quiet || !this.streams.stderr.isTTY || this.streams.env["CI"]) return;
    this.streams.stderr.write(`\r\x1b[K${this.errorColours.show(this.paintError("dim", text))}`);
    this.progressShown = true;
  }

  private clearProgress(): void {
    if (this.progressShown) this.streams.stderr.write("\r\x1b[K");
    this.progressShown = false;
  }
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
