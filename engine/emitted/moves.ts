import { drop, isObject, memberOf } from "./stepping.js";
import type { StepReport } from "./model.js";

// Functions that few steps use. A generated file of steps that calls one contains a copy of it.

/** Adds the columns as rows at `key`. The columns stay, so that readers of both forms find theirs. */
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
  // Defines own members, even `__proto__`, as `JSON.parse` does.
  return Object.fromEntries([...Object.entries(value), [key, rows]]);
}

/** Replaces the rows at `key` by columns. */
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
  // Defines own members, even `__proto__`, as `JSON.parse` does.
  return Object.fromEntries([...rest, ...columns]);
}

/** Replaces the member `key` by its own members. Drops members in `outside`. */
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
  // Defines own members, even `__proto__`, as `JSON.parse` does.
  return Object.fromEntries(members);
}

/** Moves all members except those in `outside` into a new member `key`. */
export function wrapped(value: unknown, key: string, outside: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const inner = entries.filter(([name]) => !outside.includes(name));
  const rest = entries.filter(([name]) => outside.includes(name));
  // Defines own members, even `__proto__`, as `JSON.parse` does.
  return Object.fromEntries([...rest, [key, Object.fromEntries(inner)]]);
}
