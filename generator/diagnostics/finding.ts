import type { CodeOfError, CodeOfInfo, CodeOfWarning } from "./catalogue.js";
import type { CodedError, Place } from "./coded-error.js";

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
export interface InfoFinding extends FindingDetails {
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
