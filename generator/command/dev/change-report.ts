import { relative } from "node:path";
import type { Finding } from "../../diagnostics/coded-error.js";
import { counted, printable } from "../../print/terminal-text.js";
import type { Console } from "../console.js";
import { findingText } from "../command.js";

/** One cycle of the loop, to report. */
export interface Change {
  /** The files that changed (`filesText`), or another cause. */
  readonly subject: string;
  readonly done: readonly string[];
  readonly findings: readonly Finding[];
  readonly milliseconds?: number;
}

/**
 * Prints one line for each change, on standard error: standard output may carry the client's messages. A
 * finding is printed when it appears; the line counts those that remain.
 */
export class ChangeReport {
  readonly #console: Console;
  #known: ReadonlySet<string> = new Set();

  constructor(console: Console) {
    this.#console = console;
  }

  add({ subject, done, findings, milliseconds }: Change): void {
    const { paintError } = this.#console;
    const keyed = findings.map((finding) => [JSON.stringify(finding), finding] as const);
    for (const [key, finding] of keyed)
      // An error blocks the loop, so it is repeated in each cycle. A warning is printed once.
      if (finding.severity === "error" || !this.#known.has(key))
        this.#console.error(findingText(finding, paintError));
    // Only a cycle of the loop finds all again.
    if (milliseconds !== undefined) this.#known = new Set(keyed.map(([key]) => key));
    const time = milliseconds === undefined ? "" : ` (${seconds(milliseconds)})`;
    const parts = [...done, ...counts(findings)].join("; ");
    this.#console.note(
      `${paintError("bold", printable(subject))}: ${printable(parts === "" ? "nothing to do" : parts)}${time}`,
    );
  }
}

/** Formats a time in milliseconds as seconds. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

/** The files of a change as its subject. @param changed absolute paths; undefined at the start */
export function filesText(changed: readonly string[] | undefined, directory: string): string {
  return changed === undefined ? "started" : changed.map((path) => relative(directory, path)).join(", ");
}

function counts(findings: readonly Finding[]): string[] {
  return (["error", "warning"] as const).flatMap((severity) => {
    const { length } = findings.filter((finding) => finding.severity === severity);
    return length === 0 ? [] : [counted(length, severity)];
  });
}
