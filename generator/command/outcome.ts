import type { Finding } from "../diagnostics/finding.js";

/** What a command came to. Commands return it and print nothing themselves. */
export interface Outcome {
  readonly findings?: readonly Finding[];
  /** Something else was found that is more than a warning: `text` or `data` says what. */
  readonly failed?: boolean;
  /** Overrides the exit code, e.g. where a server did not answer and the check is incomplete. */
  readonly exit?: number;
  /** The result for people. */
  readonly text?: string;
  /** What was done, piece by piece; left out under `--quiet`. */
  readonly steps?: string;
  /** One line on how it went; left out under `--quiet`. */
  readonly summary?: string;
  /** The command that mends what was found: the last line. */
  readonly mend?: string;
  /** What `--json` shows beside the findings. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** 1 when anything was found that is more than a warning, unless the outcome says otherwise. */
export function exitCodeOf(outcome: Outcome): number {
  if (outcome.exit !== undefined) return outcome.exit;
  return outcome.failed || outcome.findings?.some(({ severity }) => severity === "error") ? 1 : 0;
}

/** Two outcomes as one: findings of both, and what is said of each. */
export function together(first: Outcome, second: Outcome): Outcome {
  const joined = (texts: readonly (string | undefined)[], separator: string): string =>
    texts.filter((text) => text !== undefined && text !== "").join(separator);
  const steps = joined([first.steps, second.steps], "\n");
  const mend = first.mend ?? second.mend;
  return {
    findings: [...(first.findings ?? []), ...(second.findings ?? [])],
    ...(steps !== "" && { steps }),
    summary: joined([first.summary, second.summary], "; "),
    ...((first.exit ?? second.exit) !== undefined && { exit: (first.exit ?? second.exit)! }),
    ...(mend !== undefined && { mend }),
    data: { ...first.data, ...second.data },
  };
}
