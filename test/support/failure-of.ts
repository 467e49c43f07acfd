/** Resolves with the error of a call, if it fails. Handles the rejection at once. */
export function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
