import { until as waitUntil } from "../until.mjs";

/** Maximum wait of a rule in milliseconds, long enough for a busy machine. */
export const longestWaitMs = 20_000;

/** Texts that databases and their drivers tend to fold, cut off or take for syntax. All are visible ASCII. */
export const oddTexts = [
  ...["A", "a", "{", "}", "{}", "{a}", "a}b", "{a}b", "a:b", "*", "a*", "?", "%", "_", "'", '"', "\\", "$1"],
  ...["null", "undefined", "0", "01", "1e0", "-1", "__proto__", "constructor", "x".repeat(4096)],
];

/**
 * Waits for a condition.
 *
 * @param problem for the error, e.g. `the session is still there`
 * @throws {Error} the condition does not become true in time
 */
export function until(isTrue, problem) {
  return waitUntil(problem, isTrue, 10, longestWaitMs);
}

/** Compares JSON values, regardless of the order of members. @throws {Error} the values differ */
export function same(actual, expected) {
  const [one, other] = [textOf(actual), textOf(expected)];
  if (one !== other) throw new Error(`expected ${shortened(other)}, got ${shortened(one)}`);
}

/** Checks that work fails with a code. @throws {Error} it does not */
export async function fails(work, code) {
  const outcome = await work().then(
    () => "no failure",
    (error) => error.code,
  );
  same(outcome, code);
}

function textOf(value) {
  if (Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(typeof value === "object" ? Object.entries(value ?? []).sort() : value);
}

function shortened(text = "undefined") {
  return text.length > 2000 ? `${text.slice(0, 2000)}… (${text.length} characters)` : text;
}
