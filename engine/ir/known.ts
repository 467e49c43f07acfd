/** Whether a value is there. TypeScript before 5.5, which reads this in output, infers no such guard from a comparison. */
export function isKnown<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
