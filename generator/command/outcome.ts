import type { DiagnosticCode } from "../diagnostics/catalogue.js";
import type { Place } from "../diagnostics/coded-error.js";

/** Something a command found out about the user's files: data, not an exception. */
export interface Finding {
  readonly code: DiagnosticCode;
  /** Warnings do not change the exit code. */
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly place?: Place;
  /** What to do about it, one imperative sentence. */
  readonly next?: string;
  /** Shown below the message: a diff, the issues of a message. */
  readonly detail?: string;
}

/** What a command came to. Commands return it and print nothing themselves. */
export interface Outcome {
  readonly findings?: readonly Finding[];
  /** Something else was found that is more than a warning: `text` or `data` tells it. */
  readonly failed?: boolean;
  /** The result for people. */
  readonly text?: string;
  /** One line on how it went; left out under `--quiet`. */
  readonly summary?: string;
  /** The command that mends what was found: the last line. */
  readonly mend?: string;
  /** What `--json` shows beside the findings. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** 1 when anything was found that is more than a warning. */
export function exitCodeOf(outcome: Outcome): 0 | 1 {
  return outcome.failed || outcome.findings?.some(({ severity }) => severity === "error") ? 1 : 0;
}
