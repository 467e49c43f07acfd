import { styleText } from "node:util";

export type Format = "text" | "json" | "github";
export type ColorChoice = "auto" | "always" | "never";

export interface ConsoleSettings {
  readonly format: Format;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: ColorChoice;
}

/** The two streams and what the environment says of them; tests bring their own. */
export interface Streams {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (style: Style, text: string) => string;

/** Where a command's words go: results to standard output, everything else to standard error. */
export class Console {
  readonly settings: ConsoleSettings;
  /** Colours for standard output. */
  readonly paint: Paint;
  /** Colours for standard error. */
  readonly paintError: Paint;
  private readonly streams: Streams;
  private progressShown = false;

  constructor(settings: ConsoleSettings, streams: Streams) {
    this.settings = settings;
    this.streams = streams;
    this.paint = painter(settings.color, streams.stdout.isTTY ?? false, streams.env);
    this.paintError = painter(settings.color, streams.stderr.isTTY ?? false, streams.env);
  }

  /** A result, to standard output. */
  result(text: string): void {
    this.clearProgress();
    this.streams.stdout.write(text.endsWith("\n") ? text : text + "\n");
  }

  /** An error, to standard error, whatever the settings. */
  error(text: string): void {
    this.clearProgress();
    this.streams.stderr.write(text + "\n");
  }

  /** Worth knowing, not part of the result. */
  note(text: string): void {
    if (!this.settings.quiet) this.error(text);
  }

  /** For those who asked for more. */
  detail(text: string): void {
    if (this.settings.verbose) this.error(this.paintError("dim", text));
  }

  /** What is being done just now: one line, replaced by the next; only where somebody watches. */
  progress(text: string): void {
    if (this.settings.quiet || !this.streams.stderr.isTTY || this.streams.env["CI"]) return;
    this.streams.stderr.write(`\r\x1b[K${this.paintError("dim", text)}`);
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

/** Whether to colour was decided above; `styleText` is not to decide again. */
function painter(choice: ColorChoice, isTerminal: boolean, env: Streams["env"]): Paint {
  return usesColor(choice, isTerminal, env)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
}
