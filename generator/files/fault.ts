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
  /** The expected type, or what else the schema expects of the value. */
  readonly expected?: string;
  /** The key that is missing at the place. */
  readonly missing?: string;
}

/** Faults of one file that are reported at once. */
export const mostFaults = 20;

/** Faults whose places are looked up: one more says that there are more. */
const placed = mostFaults + 1;

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
 * @throws CodedError as `errorOfFaults` makes it
 */
export async function refuseFaults(faults: readonly Fault[], placeOf: PlaceOf): Promise<void> {
  const places = new Map<string, Place>();
  for (const { pointer } of faults.slice(0, placed)) places.set(pointer, await placeOf(pointer));
  const error = errorOfFaults(faults, (pointer) => places.get(pointer)!);
  if (error) throw error;
}

/**
 * The error for the first fault of a file, with the others up to `mostFaults`.
 *
 * @param faults in any order; those in places without lines keep it
 * @returns nothing without faults
 */
export function errorOfFaults(
  faults: readonly Fault[],
  placeOf: (pointer: string) => Place,
): CodedError | undefined {
  const inOrder = faults
    .slice(0, placed)
    .map((fault) => ({ ...fault, place: placeOf(fault.pointer) }))
    .sort(({ place: a }, { place: b }) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const [first, ...others] = inOrder.slice(0, mostFaults);
  if (!first) return undefined;
  const more = others.map(({ code, message, place, next }, index) => {
    const isCut = faults.length > mostFaults && index === others.length - 1;
    return new CodedError(code, message, {
      ...{ place, next },
      ...(isCut && { detail: `These are the first ${mostFaults}.` }),
    });
  });
  return new CodedError(first.code, first.message, { place: first.place, next: first.next, more });
}
