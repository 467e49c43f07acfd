/**
 * A signal that aborts after `delay` milliseconds, or with `signal`. `AbortSignal.any` does not keep its sources: in Node.js 20 the
 * garbage collector may take one of `AbortSignal.timeout`, which then never aborts.
 */
export function timeLimit(delay: number, signal?: AbortSignal): AbortSignal {
  const late = AbortSignal.timeout(delay);
  // A listener keeps it.
  late.addEventListener("abort", () => undefined);
  return AbortSignal.any([late, ...(signal ? [signal] : [])]);
}
