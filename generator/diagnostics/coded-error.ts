import { type CodeOfError, catalogue } from "./catalogue.js";

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
