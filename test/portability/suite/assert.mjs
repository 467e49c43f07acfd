// Assertions in the standard language alone: the suite runs where there is no node:assert.

/** @throws {Error} unless `actual` and `expected` are equal as JSON, whatever the order of members */
export function same(actual, expected, what = "") {
  const [a, b] = [text(actual), text(expected)];
  if (a !== b) throw new Error(`${what === "" ? "" : `${what}: `}expected ${b}, got ${a}`);
}

/** @throws {Error} unless `value` is truthy */
export function ok(value, what) {
  if (!value) throw new Error(what);
}

/** The error that `promise` rejects with; fails if it does not. */
export async function rejection(promise) {
  const marker = {};
  const error = await promise.then(
    () => marker,
    (reason) => reason,
  );
  if (error === marker) throw new Error("expected a rejection");
  return error;
}

function text(value) {
  return JSON.stringify(sorted(value)) ?? "undefined";
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
