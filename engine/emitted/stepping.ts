import type { Step, StepLoss, StepRefusal, StepReport, StepTable } from "./model.js";
import { isObject, ownMember } from "./shared-checks.js";

export { isObject, isStrings } from "./shared-checks.js";

// The functions that the steps of all revisions share. They never change their argument: they return a
// changed copy, or the argument itself if nothing changes.

/**
 * Converts the value at one place of a message to the other revision. Returns `undefined` to leave it out.
 *
 * @param at JSON Pointer of the place
 */
export type Place = (value: unknown, report: StepReport, at: string) => unknown;

interface Members {
  [key: string]: unknown;
}

/** Makes a table from the conversions by method. */
export function stepTable(places: {
  readonly [method: string]: (value: unknown, report: StepReport) => unknown;
}): StepTable {
  // A Map has no inherited members: a method may be called `constructor`.
  return new Map(Object.entries(places)) as ReadonlyMap<string, unknown> as ReadonlyMap<string, Step>;
}

export function isString(value: unknown): boolean {
  return typeof value === "string";
}

/** An own member of an object; `undefined` for other values. */
export function memberOf(value: unknown, key: string): unknown {
  return isObject(value) ? ownMember(value, key) : undefined;
}

/** A member of an object as a text: a string itself, any other value as JSON. */
export function textOf(value: unknown, key: string): string {
  const item = memberOf(value, key);
  if (item === undefined) return "";
  return typeof item === "string" ? item : JSON.stringify(item);
}

/** Whether the value is neither an object nor an array. */
export function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** Converts one member by `place`. */
export function member<Value>(
  value: Value,
  key: string,
  place: Place,
  report: StepReport,
  at: string,
): Value {
  const before = memberOf(value, key);
  if (before === undefined) return value;
  const after = place(before, report, below(at, key));
  return after === before ? value : withMember(value, key, after);
}

/** Converts the items of the list in a member by `place`. */
export function list<Value>(value: Value, key: string, place: Place, report: StepReport, at: string): Value {
  const before = memberOf(value, key);
  const after = items(before, place, report, below(at, key));
  return after === before ? value : withMember(value, key, after);
}

/** Converts the items of an array by `place`. */
export function items<Value>(value: Value, place: Place, report: StepReport, at: string): Value {
  if (!Array.isArray(value)) return value;
  let changed: unknown[] | undefined;
  value.forEach((before: unknown, index) => {
    const after = place(before, report, `${at}/${index}`);
    if (after !== before) changed ??= value.slice(0, index);
    if (after !== undefined) changed?.push(after);
  });
  return (changed as Value | undefined) ?? value;
}

/** Keeps the first `most` items of an array. */
export function limited<Value>(value: Value, most: number, report: StepReport, at: string): Value {
  if (!Array.isArray(value) || value.length <= most) return value;
  lost(report, at, `items beyond ${most}`, "dropped");
  return value.slice(0, most) as Value;
}

/** Converts all members by `place`, except those in `known`. */
export function others<Value>(
  value: Value,
  known: readonly string[],
  place: Place,
  report: StepReport,
  at: string,
): Value {
  if (!isObject(value)) return value;
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const before = value[key];
    const after = known.includes(key) ? before : place(before, report, below(at, key));
    changed ||= after !== before;
    if (after !== undefined) entries.push([key, after]);
  }
  // Defines members, `__proto__` too, as `JSON.parse` does.
  return changed ? (Object.fromEntries(entries) as Value) : value;
}

/** Renames a member and keeps its position. Drops a member that already has the new name. */
export function renamed<Value>(
  value: Value,
  from: string,
  to: string,
  report: StepReport,
  at: string,
): Value {
  if (!isObject(value) || memberOf(value, from) === undefined) return value;
  if (memberOf(value, to) !== undefined) drop(report, below(at, to), to);
  const entries = Object.entries(value).flatMap(([key, item]) =>
    key === to ? [] : [[key === from ? to : key, item] as const],
  );
  // Defines members, `__proto__` too, as `JSON.parse` does.
  return Object.fromEntries(entries) as Value;
}

/** Drops the members with these names. */
export function without<Value>(value: Value, keys: readonly string[], report: StepReport, at: string): Value {
  let rest: Members | undefined;
  for (const key of keys) {
    if (memberOf(value, key) === undefined) continue;
    drop(report, below(at, key), key);
    rest ??= { ...value } as Members;
    delete rest[key];
  }
  return (rest as Value | undefined) ?? value;
}

/** Drops the member `key` if it fails the test. */
export function fitting<Value>(
  value: Value,
  key: string,
  test: (value: unknown) => boolean,
  report: StepReport,
  at: string,
): Value {
  const place: Place = (inner, _report, where) => (test(inner) ? inner : drop(report, where, key));
  return member(value, key, place, report, at);
}

/**
 * Drops the member `key` if it fails the test. If the list `into` is empty, adds the member's JSON to it, as
 * an item that `block` makes.
 */
export function asText<Value>(
  value: Value,
  key: string,
  test: (value: unknown) => boolean,
  into: string,
  block: (text: string) => object,
  report: StepReport,
  at: string,
): Value {
  const before = memberOf(value, key);
  if (before === undefined || test(before)) return value;
  const list = memberOf(value, into);
  const empty = Array.isArray(list) && list.length === 0;
  lost(report, below(at, key), key, "text");
  const rest = withMember(value, key, undefined);
  return empty ? withMember(rest, into, [block(JSON.stringify(before))]) : rest;
}

/** If the list `into` is empty, adds the JSON of the member `key` to it, as an item that `block` makes. */
export function alsoText<Value>(
  value: Value,
  key: string,
  into: string,
  block: (text: string) => object,
): Value {
  const before = memberOf(value, key);
  const list = memberOf(value, into);
  const isEmpty = Array.isArray(list) && list.length === 0;
  return isEmpty && before !== undefined ? withMember(value, into, [block(JSON.stringify(before))]) : value;
}

/** Adds a required member if it is missing. */
export function filled<Value>(value: Value, key: string, member: unknown): Value {
  return isObject(value) && memberOf(value, key) === undefined ? withMember(value, key, member) : value;
}

/** Refuses the message if an object lacks a required member. */
export function required(
  value: unknown,
  key: string,
  report: StepReport,
  at: string,
  code: string,
  reason: string,
): void {
  if (isObject(value) && memberOf(value, key) === undefined)
    report.refuse({ code, pointer: below(at, key), reason });
}

export function lost(report: StepReport, pointer: string, what: string, how: StepLoss["how"]): void {
  report.lost({ pointer, what, how });
}

/** Reports that a value is left out. Returns `undefined` to put in its place. */
export function drop(report: StepReport, pointer: string, what: string): undefined {
  report.lost({ pointer, what, how: "dropped" });
}

export function refuse(report: StepReport, pointer: string, code: string, reason: string): never {
  return report.refuse({ code, pointer, reason });
}

/** Converts a value of one revision to the other. */
type Conversion = (value: unknown, report: StepReport) => unknown;

/**
 * Returns the conversion of a result. If it refuses the result, the refusal says that the request was carried
 * out, so that a caller does not send it again. If `failed` is given, the conversion returns what `failed`
 * makes instead of refusing.
 *
 * @param then converts the result of `failed`; absent if that needs no change
 */
export function carriedOut(
  convert: Conversion,
  failed?: (text: string, result: unknown) => unknown,
  then: Conversion = (value) => value,
): Conversion {
  return (value, report) => {
    const refusals: StepRefusal[] = [];
    const refuse = (refusal: StepRefusal): never => {
      refusals.push(refusal);
      throw new Error(refusal.reason);
    };
    try {
      return convert(value, { ...report, refuse });
    } catch (error) {
      const [refusal] = refusals;
      if (!refusal) throw error;
      const { code, pointer, reason: given } = refusal;
      const reason = `${given}; the request was carried out`;
      if (!failed) return report.refuse({ code, pointer, reason });
      lost(report, pointer, "result", "text");
      const text = `the result cannot be passed on: ${pointer}: ${reason}`;
      return carriedOut(then)(failed(text, value), report);
    }
  };
}

/** Makes the result of a failed tool call: a text, then the texts of the refused result. */
export function toolError(text: string, result: unknown): object {
  const texts = [text, ...textsIn(result)];
  return {
    content: texts.map((each) => ({ type: "text", text: each })),
    isError: true,
  };
}

/** The texts of all text blocks in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { type, text } = value as Members;
  if (type === "text" && typeof text === "string") return [text];
  return Object.values(value).flatMap(textsIn);
}

function withMember<Value>(value: Value, key: string, member: unknown): Value {
  const copy = { ...value } as Members;
  if (member === undefined) delete copy[key];
  // An assignment to `__proto__` would set the prototype.
  else
    Object.defineProperty(copy, key, {
      value: member,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  return copy as Value;
}

function below(at: string, key: string | number): string {
  const name = String(key);
  // A fast path: this runs for each converted value, and few names need escaping.
  if (!name.includes("~") && !name.includes("/")) return `${at}/${name}`;
  return `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

// The functions of expressions in notes of the kind `reshaped`.

/** A part of an object that expressions read. */
export interface Part {
  readonly value: unknown;
  /** JSON Pointer of the part. */
  readonly at: string;
  readonly read: Read;
  /** The part is an entry of an object: `value` is `{ key, value }`, and `at` points to the entry's value. */
  readonly isEntry?: true;
}

/** The places of an object that expressions have read, as JSON Pointers. */
interface Read {
  readonly report: StepReport;
  /** Places whose whole value was kept. */
  readonly kept: Set<string>;
  /** Places whose value became a text. */
  readonly text: Set<string>;
  /** Places that contain one of those places. */
  readonly around: Set<string>;
}

/**
 * Replaces the members `keys` by the members that expressions make. Reports each part of `keys` that no
 * expression has read.
 *
 * @param given the object before other steps changed it
 */
export function reshaped<Value>(
  value: Value,
  given: unknown,
  keys: readonly string[],
  make: (whole: Part) => object,
  report: StepReport,
  at: string,
): Value {
  if (!isObject(value) || !isObject(given)) return value;
  const read: Read = {
    report,
    kept: new Set(),
    text: new Set(),
    around: new Set([at]),
  };
  const made = make({ value: given, at, read });
  const isText = read.text.has(at);
  for (const key of keys) {
    const member = memberOf(given, key);
    if (member !== undefined && !read.kept.has(at)) reportUnread(member, read, below(at, key), key, isText);
  }
  const rest = Object.entries(value).filter(([key]) => !keys.includes(key));
  // Defines members, `__proto__` too, as `JSON.parse` does.
  return Object.fromEntries([...rest, ...Object.entries(made)]) as Value;
}

function reportUnread(value: unknown, read: Read, at: string, what: string, isAroundText: boolean): void {
  if (read.kept.has(at)) return;
  const isText = isAroundText || read.text.has(at);
  if (isScalar(value) || !read.around.has(at))
    return lost(read.report, at, what, isText ? "text" : "dropped");
  for (const [key, inner] of Object.entries(value as object)) {
    const name = Array.isArray(value) ? what : key;
    if (inner !== undefined) reportUnread(inner, read, below(at, key), name, isText);
  }
}

/** The value at a path below a value; `undefined` if there is none. */
function found(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const key of path) {
    if (isScalar(inner) || !Object.hasOwn(inner as object, key)) return undefined;
    if (Array.isArray(inner) && key === "length") return undefined;
    inner = (inner as Members)[key];
  }
  return inner;
}

/** Records that expressions read a place below a part. Returns the pointer of the place. */
function note({ at, read, isEntry }: Part, path: readonly string[], as: "around" | "kept" | "text"): string {
  let place = at;
  if (isEntry && path[0] === "key") {
    read.around.add(at);
    return at;
  }
  for (const key of isEntry ? path.slice(1) : path) {
    read.around.add(place);
    place = below(place, key);
  }
  read[as].add(place);
  return place;
}

/** Whether a part has a value at a path. */
export function isAt(part: Part, path: readonly string[]): boolean {
  return found(part.value, path) !== undefined;
}

/** The value at a path, converted by `place`. */
export function valueAt(part: Part, path: readonly string[], place?: Place): unknown {
  const value = found(part.value, path);
  if (value === undefined) return undefined;
  const at = note(part, path, "kept");
  return place ? place(value, part.read.report, at) : value;
}

/** The value at a path, to be put into a text. */
export function quotedAt(part: Part, path: readonly string[]): unknown {
  const value = found(part.value, path);
  if (value !== undefined) note(part, path, "text");
  return value;
}

/** The value at a path of the params of the request that a result answers. */
export function requestedAt({ at, read: { report } }: Part, path: readonly string[], place?: Place): unknown {
  const value = found(report.request, path);
  return value === undefined || !place ? value : place(value, report, at);
}

/** The items of the list at a path, or the members of the object there, that pass the test. */
function itemsAt(part: Part, path: readonly string[], test: (item: Part) => boolean): Part[] | undefined {
  const list = found(part.value, path);
  if (isScalar(list)) return undefined;
  const { read } = part;
  const at = note(part, path, "around");
  const items = Array.isArray(list)
    ? list.map((value, index): Part => ({ value, at: `${at}/${index}`, read }))
    : Object.entries(list as object).map(([key, value]): Part => ({
        value: { key, value },
        at: below(at, key),
        read,
        isEntry: true,
      }));
  return items.filter(test);
}

function madeOf(item: Part, known: readonly string[], make: (item: Part) => unknown): unknown {
  for (const key of known) if (isAt(item, [key])) note(item, [key], "kept");
  return make(item);
}

/**
 * Maps the items of the list at a path by `make`, and flattens the results if `isFlat`. Returns `undefined`
 * without a list, and if no item passes the test.
 *
 * @param known members of an item that the test covers: they count as read
 */
export function eachAt(
  part: Part,
  path: readonly string[],
  make: (item: Part) => unknown,
  known: readonly string[] = [],
  test?: (item: Part) => boolean,
  isFlat = false,
): unknown[] | undefined {
  const items = itemsAt(part, path, test ?? (() => true));
  if (!items || (test && items.length === 0)) return undefined;
  return items.flatMap((item) => {
    const made = madeOf(item, known, make);
    if (made === undefined) return [];
    return isFlat ? made : [made];
  });
}

/** Maps the first item that passes the test by `make`. */
export function firstAt(
  part: Part,
  path: readonly string[],
  make: (item: Part) => unknown,
  known: readonly string[] = [],
  test: (item: Part) => boolean = () => true,
): unknown {
  const [item] = itemsAt(part, path, test) ?? [];
  return item && madeOf(item, known, make);
}

/**
 * Maps the items of the list at a path to the members of an object: `key` makes the name, `make` the value.
 * Leaves out items without a name and items whose name an earlier item has.
 */
export function mapAt(
  part: Part,
  path: readonly string[],
  key: (item: Part) => unknown,
  make: (item: Part) => unknown,
  known: readonly string[] = [],
  test?: (item: Part) => boolean,
): object | undefined {
  const items = itemsAt(part, path, test ?? (() => true));
  if (!items || (test && items.length === 0)) return undefined;
  const made = new Map<string, unknown>();
  for (const item of items) {
    const name = key(item);
    if (typeof name !== "string" || made.has(name)) continue;
    const value = madeOf(item, known, make);
    if (value !== undefined) made.set(name, value);
  }
  return Object.fromEntries(made);
}

/** Whether a list has the value. */
export function isAmong(value: unknown, list: unknown): boolean {
  return Array.isArray(list) && list.includes(value);
}

/** The value of the first choice that is not `undefined`. */
export function orElse(...choices: readonly (() => unknown)[]): unknown {
  for (const choice of choices) {
    const value = choice();
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The items that are not `undefined`. */
export function listOf(...items: readonly unknown[]): unknown[] {
  return items.filter((item) => item !== undefined);
}

/** Joins lists and single items into one list. */
export function joinOf(...lists: readonly unknown[]): unknown[] {
  return listOf(...lists.flat());
}

/**
 * Makes an object of the members that are not `undefined`. Refuses the message if one of `needs` is missing.
 *
 * @param needs names of required members
 * @param why the end of a sentence that begins with the missing name
 */
export function objectOf(
  members: object,
  part?: Part,
  needs: readonly string[] = [],
  code = "",
  why = "",
): object {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  const made = Object.fromEntries(present);
  for (const key of needs)
    if (memberOf(made, key) === undefined)
      part?.read.report.refuse({
        code,
        pointer: part.at,
        reason: `${key} ${why}`,
      });
  return made;
}

/** The JSON of a value. */
export function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
