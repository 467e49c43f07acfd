import type { Finding } from "../diagnostics/finding.js";
import { operands, shellLine } from "../print/shell-line.js";

/** The result of a command. Commands return it and print nothing themselves. */
export interface Outcome {
  readonly findings?: readonly Finding[];
  /** The command failed for a reason that is no finding; `text` or `data` contains it. */
  readonly failed?: boolean;
  /** Overrides the exit code, e.g. where a server did not answer and the check is incomplete. */
  readonly exit?: number;
  /** The result for people. */
  readonly text?: string;
  /** The actions of the run, one by one; left out under `--quiet`. */
  readonly steps?: string;
  /** A summary in one line; left out under `--quiet`. */
  readonly summary?: string;
  /** The command that mends what was found: the last line. */
  readonly mend?: string;
  /** The data that `--json` shows beside the findings. */
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

/** The outcome with more findings. */
export function withFindings(outcome: Outcome, findings: readonly Finding[]): Outcome {
  return findings.length === 0
    ? outcome
    : { ...outcome, findings: [...(outcome.findings ?? []), ...findings] };
}

/** The meaning of the exit codes, for every command. */
export const exitCodes = new Map<number, string>([
  [0, "clean"],
  [1, "findings or drift"],
  [2, "usage or configuration"],
  [3, "input cannot be read or is not what it should be"],
  [4, "network or server"],
  [70, "a bug in mcpgen"],
  [130, "ended with Ctrl-C"],
]);

/** The table as `--help` shows it. */
export function exitCodeTable(): string {
  const lines = [...exitCodes].map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return ["Exit codes:", ...lines].join("\n");
}

/** The command line again, with more words. */
export function repeatedWith(words: readonly string[], more: readonly string[]): string {
  return shellLine(["mcpgen", ...words.filter((word) => !presentation.test(word)), ...more]);
}

/** The command line again as one of `command`, without some words. */
export function repeatedWithout(
  words: readonly string[],
  without: readonly string[],
  command: string,
): string {
  const kept = words.filter((word) => !without.includes(word) && !presentation.test(word));
  const place = kept.findIndex((word) => !word.startsWith("-"));
  return shellLine(["mcpgen", ...kept.map((word, index) => (index === place ? command : word))]);
}

/** The command that brings back files that are never edited. */
export function restoring(findings: readonly Finding[]): string {
  const files = findings.map(({ place }) => place?.file).filter((file) => file !== undefined);
  return shellLine(["git", "restore", ...operands(files)]);
}

/** Options that say how to print, which the mending command need not repeat. */
const presentation = /^(?:-v|--(?:json|quiet|verbose|format=.*|color=.*))$/;
