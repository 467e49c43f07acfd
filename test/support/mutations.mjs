// Values as strangers may send them: each JSON type in the place of each part of a good one.

/** A value of every JSON type, with its name; numbers and texts as they are malformed most often. */
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

/** Texts that are no JSON document of a peer, or JSON of another type. */
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
 * All values that differ from `value` in one place: there stands a value of another JSON type, or nothing.
 *
 * @returns pairs of what was changed, for messages, and the value
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
