/** A bug of ours: something that the code around it promises did not hold. */
class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Asserts what must hold for every input. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
