import type { DiagnosticCode } from "./catalogue.js";
import type { CodedError, Place } from "./coded-error.js";

/** A fact about the user's files that a command reports: data, not an exception. */
export interface Finding {
  readonly code: DiagnosticCode;
  /** Warnings do not change the exit code. */
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly place?: Place;
  /** The next step, one imperative sentence. */
  readonly next?: string;
  /** Shown below the message: a diff, the issues of a message. */
  readonly detail?: string;
}

/** An error as a finding: the command continues, and reports it beside its other findings. */
export function findingOfError({ code, message, place, next, detail }: CodedError): Finding {
  return {
    code,
    severity: "error",
    message,
    ...(place && { place }),
    ...(next !== undefined && { next }),
    ...(detail !== undefined && { detail }),
  };
}
