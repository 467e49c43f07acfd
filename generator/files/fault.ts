import type { CodeOfError } from "../diagnostics/catalogue.js";
import { CodedError, type Place } from "../diagnostics/coded-error.js";

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
 * @throws CodedError as `errorOfFaults` makes it
 */
export async function refuseFaults(faults: readonly Fault[], placeOf: PlaceOf): Promise<void> {
  const reported = faults.slice(0, mostFaults);
  const places = new Map<Fault, Place>();
  for (const fault of reported) places.set(fault, await placeOf(fault.pointer));
  const error = errorOfFaults(reported, (fault) => places.get(fault)!);
  if (error) throw error;
}

/** The error for the first fault of a file, with the others; nothing without faults. Places without lines keep their order. */
export function errorOfFaults(
  faults: readonly Fault[],
  placeOf: (fault: Fault) => Place,
): CodedError | undefined {
  const [first, ...others] = faults
    .map((fault) => ({ fault, place: placeOf(fault) }))
    .sort(
      (a, b) => (a.place.line ?? 0) - (b.place.line ?? 0) || (a.place.column ?? 0) - (b.place.column ?? 0),
    )
    .map(({ fault: { code, message, next }, place }) => ({ code, message, details: { place, next } }));
  if (!first) return undefined;
  const more = others.map(({ code, message, details }) => new CodedError(code, message, details));
  return new CodedError(first.code, first.message, { ...first.details, more });
}
