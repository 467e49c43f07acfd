/** The reason why a text is not a JSON object. */
export interface JsonProblem {
  readonly message: string;
}

/** Finds the problem of a text that should be a JSON object, with line and column. */
export function jsonProblem(text: string): JsonProblem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Platforms report the position differently or not at all, so it is computed here.
    const before = text.slice(0, errorOffset(text)).split("\n");
    return { message: `no JSON from line ${before.length}, column ${before.at(-1)!.length + 1} on` };
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return undefined;
  const got = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
  return { message: `expected an object, got ${got}` };
}

/** Matches a JSON token, or white space before one. */
const token =
  /\s*(?:(?<open>[[{])|(?<close>[\]}])|(?<comma>,)|(?<colon>:)|(?<text>"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<other>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** What may follow: a value, a key, the text after a key, or the text after a value. */
type Expected = "value" | "first" | "key" | "colon" | "next";

/** The offset at which a text stops being a prefix of JSON. */
function errorOffset(text: string): number {
  const around: string[] = [];
  let expected: Expected = "value";
  for (let at = 0; ;) {
    token.lastIndex = at;
    const found = token.exec(text)?.groups;
    const start = at + /^\s*/.exec(text.slice(at))![0].length;
    const next: Expected | undefined = found && after(found, expected, around);
    if (next === undefined || (around.length === 0 && next === "next" && found!["close"] === undefined))
      return start;
    expected = next;
    at = token.lastIndex;
    if (around.length === 0) return at + /^\s*/.exec(text.slice(at))![0].length;
  }
}

/** The state after a token; undefined if the token is not allowed. `around` holds the open brackets. */
function after(
  { open, close, comma, colon, text, other }: Readonly<Record<string, string | undefined>>,
  expected: Expected,
  around: string[],
): Expected | undefined {
  const isObject = around.at(-1) === "{";
  const takesValue = expected === "value" || (expected === "first" && !isObject);
  if (open !== undefined) return takesValue ? (around.push(open), "first") : undefined;
  if (close !== undefined) {
    const fits = (close === "}") === isObject && (expected === "next" || expected === "first");
    return fits ? (around.pop(), "next") : undefined;
  }
  if (comma !== undefined) return expected === "next" ? (isObject ? "key" : "value") : undefined;
  if (colon !== undefined) return expected === "colon" ? "value" : undefined;
  if (text !== undefined && isObject && (expected === "key" || expected === "first")) return "colon";
  return takesValue && (text ?? other) !== undefined ? "next" : undefined;
}
