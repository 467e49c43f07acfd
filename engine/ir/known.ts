/** Whether a value is not `undefined`. TypeScript before 5.5, which compiles output, infers no such guard. */
export function isKnown<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
