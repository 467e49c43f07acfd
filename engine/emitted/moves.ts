import { drop, isObject, memberOf } from "./stepping.js";
import type { StepReport } from "./model.js";

// Functions of few steps: a file of steps that calls one has a copy of it.

/** The object with rows at `key`, beside the columns: a reader of either form finds its own. */
export function joined(
  value: unknown,
  key: string,
  members: readonly (readonly [inner: string, name: string])[],
): unknown {
  if (!isObject(value)) return value;
  const columns = members.map(([, name]): unknown => memberOf(value, name));
  const [first] = columns;
  if (!Array.isArray(first)) return value;
  const fits = (column: unknown): column is unknown[] =>
    Array.isArray(column) && column.length === first.length;
  if (!columns.every(fits)) return value;
  const rows = first.map((_, index) =>
    Object.fromEntries(members.map(([name], place) => [name, columns[place]![index]])),
  );
  // Defines members, `__proto__` too, as `JSON.parse` does.
  return Object.fromEntries([...Object.entries(value), [key, rows]]);
}

/** The object with columns, in place of the rows at `key`. */
export function split(
  value: unknown,
  key: string,
  members: readonly (readonly [inner: string, name: string])[],
): unknown {
  const rows = memberOf(value, key);
  if (!isObject(value) || !Array.isArray(rows)) return value;
  const columns = members.map(([inner, name]) => [name, rows.map((row) => memberOf(row, inner))] as const);
  if (columns.some(([, column]) => column.includes(undefined))) return value;
  const rest = Object.entries(value).filter(([name]) => name !== key);
  // Defines members, `__proto__` too, as `JSON.parse` does.
  return Object.fromEntries([...rest, ...columns]);
}

/** The object with the members of its member `key` in place of that member. */
export function unwrapped(
  value: unknown,
  key: string,
  outside: readonly string[],
  report: StepReport,
  at: string,
): unknown {
  const inner = memberOf(value, key);
  if (!isObject(value) || !isObject(inner)) return value;
  const below = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const members = new Map(Object.entries(value));
  members.delete(key);
  for (const [name, item] of Object.entries(inner)) {
    if (outside.includes(name)) {
      drop(report, at + below(key) + below(name), name);
      continue;
    }
    if (members.has(name)) drop(report, at + below(name), name);
    members.set(name, item);
  }
  // Defines members, `__proto__` too, as `JSON.parse` does.
  return Object.fromEntries(members);
}

/** The object with its members inside a member `key`, except those in `outside`. */
export function wrapped(value: unknown, key: string, outside: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const inner = entries.filter(([name]) => !outside.includes(name));
  const rest = entries.filter(([name]) => outside.includes(name));
  // Defines members, `__proto__` too, as `JSON.parse` does.
  return Object.fromEntries([...rest, [key, Object.fromEntries(inner)]]);
}
