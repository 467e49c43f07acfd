import { type CodeOfError, type CodeOfInfo, type CodeOfWarning, catalogue } from "./catalogue.js";

/** The place of a problem in the user's input. Lines and columns count from 1. */
export interface Place {
  /** File as the user named it, or a URL. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** JSON Pointer (RFC 6901) inside the file. */
  readonly pointer?: string;
}

export interface CodedErrorDetails {
  readonly place?: Place;
  /** Advice, as one imperative sentence. */
  readonly next?: string;
  /** Text shown below the message, e.g. the output of a program. */
  readonly detail?: string;
  /** Further errors that were found together with this one. */
  readonly more?: readonly CodedError[];
  /** Additional members of the error in `--json` output. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * A problem with the user's input, as opposed to a bug in mcpgen (`invariant`) or a finding (data). The code
 * is stable; `mcpgen explain CODE` prints an explanation. Grammar of the message: the fault, expected X, got
 * Y.
 */
export class CodedError extends Error {
  override readonly name = "CodedError";
  readonly code: CodeOfError;
  readonly place: Place | undefined;
  readonly next: string | undefined;
  readonly detail: string | undefined;
  /** Other problems of the same input. */
  readonly more: readonly CodedError[];
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: CodeOfError, message: string, details: CodedErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.place = details.place;
    this.next = details.next;
    this.detail = details.detail;
    this.more = details.more ?? [];
    this.facts = details.facts ?? {};
  }

  /** The exit code of the process (2 usage, 3 input, 4 network or server). */
  get exitCode(): number {
    return catalogue[this.code].exit;
  }
}

/** A fact about the user's files, reported as data rather than thrown. */
export type Finding = ErrorFinding | WarningFinding | InfoFinding;

export interface ErrorFinding extends FindingDetails {
  readonly code: CodeOfError;
  readonly severity: "error";
}

/** A warning; it does not change the exit code. */
export interface WarningFinding extends FindingDetails {
  readonly code: CodeOfWarning;
  readonly severity: "warning";
}

/** Information that helps to understand other findings and requires no change. */
interface InfoFinding extends FindingDetails {
  readonly code: CodeOfInfo;
  readonly severity: "info";
}

interface FindingDetails {
  readonly message: string;
  readonly place?: Place;
  /** Advice, as one imperative sentence. */
  readonly next?: string;
  /** Text shown below the message: a diff, the issues of a message. */
  readonly detail?: string;
}

/** Converts an error to a finding, so that the command can continue and report it with others. */
export function findingOfError({ code, message, place, next, detail }: CodedError): ErrorFinding {
  return {
    code,
    severity: "error",
    message,
    ...(place && { place }),
    ...(next !== undefined && { next }),
    ...(detail !== undefined && { detail }),
  };
}

/** Thrown for a bug in mcpgen: an internal assumption was violated. */
class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Asserts a condition that must hold for every input. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
