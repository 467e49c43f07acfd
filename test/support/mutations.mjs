// Values that an unknown peer may send: a valid value in which each part is replaced by each JSON type.

/** A value of every JSON type, with a name; for numbers and texts also the most common malformed ones. */
export const jsonTypes = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["zero", 0],
  ["a number", 7],
  ["a fraction", -1.5],
  ["an empty text", ""],
  ["a text", "a text"],
  ["an empty list", []],
  ["a list of texts", ["a text"]],
  ["a list of numbers", [7]],
  ["a list of null", [null]],
  ["an empty object", {}],
  ["an object", { a: 1 }],
];

/** Texts that are not JSON, or JSON of an unexpected type. */
export const strangeTexts = [
  ...[
    "",
    " ",
    "{",
    "}",
    "[",
    "[]",
    "null",
    "true",
    "7",
    '"text"',
    "{}",
    "undefined",
    "NaN",
    '{"__proto__":null}',
  ],
  ...["\u0000", "m", "e", "m{", "e1 ", '{"a":1', '[{"a":1}]', "\ud800", "[".repeat(10_000)],
];

/**
 * Yields all values that differ from `value` in one place, which has a value of another JSON type or is
 * absent.
 *
 * @returns pairs of a description of the change and the value
 */
export function* mutationsOf(value, path = "") {
  for (const [name, other] of jsonTypes)
    if (JSON.stringify(other) !== JSON.stringify(value))
      yield [`${path || "all"} is ${name}`, structuredClone(other)];
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const at = `${path}/${key}`;
    for (const [what, part] of mutationsOf(value[key], at)) {
      const copy = structuredClone(value);
      copy[key] = part;
      yield [what, copy];
    }
    if (Array.isArray(value)) continue;
    const { [key]: _, ...rest } = value;
    yield [`${at} is absent`, structuredClone(rest)];
  }
}
