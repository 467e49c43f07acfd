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
  /** The next step, one imperative sentence. */
  readonly next?: string;
  /** Shown below the message, line by line: what a program printed. */
  readonly detail?: string;
  /** Further errors, of which this is the first. */
  readonly more?: readonly CodedError[];
  /** Further members of the error in the format for programs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * A problem with the user's input, as opposed to a bug of mcpgen (`invariant`) or a finding (data). The code is stable;
 * `mcpgen explain CODE` prints the long form. Message grammar: the fault, expected X, got Y.
 */
export class CodedError extends Error {
  override readonly name = "CodedError";
  readonly code: CodeOfError;
  readonly place: Place | undefined;
  readonly next: string | undefined;
  readonly detail: string | undefined;
  /** Problems of the same input that were found beside this one. */
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

  /** The process exit code this error leads to (2 usage, 3 input, 4 network or server). */
  get exitCode(): number {
    return catalogue[this.code].exit;
  }
}

/** A fact about the user's files that a command reports: data, not an exception. */
export type Finding = ErrorFinding | WarningFinding | InfoFinding;

export interface ErrorFinding extends FindingDetails {
  readonly code: CodeOfError;
  readonly severity: "error";
}

/** Warnings do not change the exit code. */
export interface WarningFinding extends FindingDetails {
  readonly code: CodeOfWarning;
  readonly severity: "warning";
}

/** Something that a reader of the other findings must know, and need not change. */
interface InfoFinding extends FindingDetails {
  readonly code: CodeOfInfo;
  readonly severity: "info";
}

interface FindingDetails {
  readonly message: string;
  readonly place?: Place;
  /** The next step, one imperative sentence. */
  readonly next?: string;
  /** Shown below the message: a diff, the issues of a message. */
  readonly detail?: string;
}

/** An error as a finding: the command continues, and reports it beside its other findings. */
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

/** A bug of ours: something that the code around it promises did not hold. */
class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Asserts what must hold for every input. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
