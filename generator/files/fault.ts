import type { CodeOfError } from "../diagnostics/catalogue.js";
import { CodedError, type CodedErrorDetails, type Place } from "../diagnostics/coded-error.js";

/** What is wrong at one place of a file. */
export interface Fault {
  readonly code: CodeOfError;
  /** JSON Pointer of the place; of the object around it where a key is missing. */
  readonly pointer: string;
  readonly message: string;
  /** The next step. */
  readonly next: string;
}

/** Faults of one file that are reported at once. */
export const mostFaults = 20;

/** The line and column of the value at a JSON Pointer of the file. */
export type PlaceOf = (pointer: string) => Promise<Place>;

/** The places in a file of JSON. */
export function placesIn({ file, text }: { readonly file: string; readonly text: string }): PlaceOf {
  return async (pointer) => {
    const { positionOf } = await import("./positions.js");
    return { file, pointer, ...positionOf(text, pointer) };
  };
}

/**
 * Refuses a file that has faults.
 *
 * @param faults in any order; those beyond `mostFaults` are not reported
 * @throws CodedError for the first fault of the file, with the others
 */
export async function refuseFaults(faults: readonly Fault[], placeOf: PlaceOf): Promise<void> {
  const placed = await Promise.all(
    faults
      .slice(0, mostFaults)
      .map(async (fault) => ({ fault, details: { place: await placeOf(fault.pointer), next: fault.next } })),
  );
  const [first, ...others] = placed.sort(
    (a, b) => lineOf(a) - lineOf(b) || (a.details.place.column ?? 0) - (b.details.place.column ?? 0),
  );
  if (!first) return;
  throw errorOf(first, { more: others.map((other) => errorOf(other)) });
}

interface Placed {
  readonly fault: Fault;
  readonly details: CodedErrorDetails & { readonly place: Place };
}

function lineOf({ details }: Placed): number {
  return details.place.line ?? 0;
}

function errorOf({ fault, details }: Placed, more: CodedErrorDetails = {}): CodedError {
  return new CodedError(fault.code, fault.message, { ...details, ...more });
}
