// Checks that validators and the steps between revisions share. The validators of a contract stand alone:
// they contain a copy of each function that they use.

/** Whether `value` is a JSON object. */
function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own member of an object. For names that every object inherits, such as `constructor`. */
function ownMember(value: { [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Whether an optional member is valid: absent or a string. */
function isOptionalString(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** Whether an optional member is valid: absent or a boolean. */
function isOptionalBoolean(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

/** Whether an optional member is valid: absent or a JSON object. */
function isOptionalObject(value: unknown): boolean {
  return value === undefined || isObject(value);
}

/** Whether `value` is an array of strings. */
function isStrings(value: unknown): value is string[] {
  if (!Array.isArray(value)) return false;
  for (const item of value) {
    if (typeof item !== "string") return false;
  }
  return true;
}

/** Length in code points: a surrogate pair counts once. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Whether `value` is a multiple of `step`. Exact: compares the decimal texts, not the binary fractions. */
function divides(step: number, value: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, places] = decimalOf(value);
  const [stepDigits, stepPlaces] = decimalOf(step);
  const most = Math.max(places, stepPlaces);
  const whole = stepDigits * 10n ** BigInt(most - stepPlaces);
  return (digits * 10n ** BigInt(most - places)) % whole === 0n;
}

/** The digits of a number as one integer, and the number of decimal places. */
function decimalOf(value: number): [digits: bigint, places: number] {
  const [written = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = written.split(".");
  return [BigInt(whole + fraction), fraction.length - Number(exponent)];
}

/** A text that is equal exactly for equal JSON values. Values may be nested to any depth. */
function textOf(value: unknown): string {
  const pending = [value];
  let text = "";
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) {
      text += `[${next.length}:`;
      for (const item of next) pending.push(item);
    } else if (isObject(next)) {
      const keys = Object.keys(next).sort();
      text += `{${JSON.stringify(keys)}`;
      for (const key of keys) pending.push(next[key]);
    } else {
      text += typeof next === "string" ? JSON.stringify(next) : `${next},`;
    }
  }
  return text;
}

/** Whether all items are different. */
function distinct(items: readonly unknown[]): boolean {
  if (items.length < 2) return true;
  const scalars = new Set<unknown>();
  const texts = new Set<string>();
  for (const item of items) {
    if (typeof item === "object" && item !== null) texts.add(textOf(item));
    else scalars.add(item);
  }
  return scalars.size + texts.size === items.length;
}

/**
 * Defers a deeply nested part. The outermost call also validates all deferred parts in a loop, so that no
 * depth exhausts the stack.
 */
function postpone(
  walk: (value: unknown, depth: number, later?: unknown[]) => boolean,
  value: unknown,
  later?: unknown[],
): boolean {
  if (later) {
    later.push(walk, value);
    return true;
  }
  const kept: unknown[] = [walk, value];
  while (kept.length > 0) {
    const part = kept.pop();
    const judge = kept.pop() as typeof walk;
    if (!judge(part, 0, kept)) return false;
  }
  return true;
}

/** Runs a validation that yields nested validations, on an explicit stack. Returns its verdict. */
function settle(judgement: Iterator<unknown, boolean, boolean>): boolean {
  const asking = [judgement];
  let verdict = true;
  let last: typeof judgement | undefined = judgement;
  while (last) {
    const { done, value } = last.next(verdict);
    if (done) {
      verdict = value;
      asking.pop();
      last = asking[asking.length - 1];
    } else {
      last = value as typeof judgement;
      asking.push(last);
    }
  }
  return verdict;
}

export {
  isObject,
  ownMember,
  isOptionalString,
  isOptionalBoolean,
  isOptionalObject,
  isStrings,
  lengthOf,
  divides,
  decimalOf,
  textOf,
  distinct,
  postpone,
  settle,
};
