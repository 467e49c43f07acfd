import type { Declaration, Extended, ExtensionTable, ExtensionUse, Revision, Role } from "../model.js";
import type { Part } from "./extend.js";

/** Returns the function that adds the settings of extensions to capabilities. */
export function declaring<R extends Role>(
  parts: ReadonlyMap<string, readonly Part<R>[]>,
  used: readonly ExtensionUse<R>[],
  revisions: readonly Revision<R>[],
  invalid: (message: string) => Error,
): Extended<R>["declared"] {
  // A cache: capabilities are read often and seldom change.
  const known = new WeakMap<object, Map<string | undefined, object>>();
  return (capabilities, revision) => {
    let byRevision = known.get(capabilities);
    if (!byRevision) known.set(capabilities, (byRevision = new Map()));
    let declared = byRevision.get(revision);
    if (!declared) {
      const added = revision === undefined ? [...parts.values()].flat() : (parts.get(revision) ?? []);
      const further = revisions
        .filter(({ id }) => revision === undefined || revision === id)
        .flatMap((each) => used.map((use) => use.capabilities?.(each) ?? {}));
      declared = [added.reduce(withSettings, capabilities), ...further].reduce(merged);
      // A call without a revision may come before the program has registered its tools.
      if (revision !== undefined) for (const part of added) requireNeeds(part, declared, invalid);
      byRevision.set(revision, declared);
    }
    return declared as typeof capabilities;
  };
}

/** Throws if a server lacks capabilities that an extension needs. */
function requireNeeds(
  { use: { extension } }: Part,
  capabilities: object,
  invalid: (message: string) => Error,
): void {
  if (extension.role !== "server") return;
  const missing = extension.needs?.capabilities?.find((path) => !declares(capabilities, path));
  if (missing)
    throw invalid(
      `extension ${extension.id}: the server declares no ${missing.join(".")}, which the extension needs. Register what the capability is for, or give it in capabilities.`,
    );
}

function withSettings(capabilities: object, { use, table }: Part): object {
  const own = declarationOf(table.declared, use.extension.role);
  return own ? placed(capabilities, own.path, use.settings ?? {}) : capabilities;
}

/** Merges two objects deeply. Of two other values of one member, the second wins. */
function merged(one: object, other: object): object {
  const members = Object.entries(other).map(([key, value]: [string, unknown]) =>
    typeof value === "object" && value !== null
      ? ([key, merged(objectAt(one, key), value)] as const)
      : ([key, value] as const),
  );
  return { ...one, ...Object.fromEntries(members) };
}

/** Where a side declares an extension. */
export function declarationOf(
  declared: { readonly [R in Role]?: Declaration },
  role: Role,
): Declaration | undefined {
  return declared[role];
}

/** Returns a copy of the object with the value at the path. */
export function placed(whole: object, [key, ...rest]: readonly string[], value: unknown): object {
  if (key === undefined) return value as object;
  return { ...whole, [key]: placed(objectAt(whole, key), rest, value) };
}

function objectAt(whole: object, key: string): object {
  const held = (whole as { readonly [key: string]: unknown })[key];
  return typeof held === "object" && held !== null ? held : {};
}

/** Whether capabilities have a member at a path that is not null or false. */
export function declares(capabilities: object, path: readonly string[]): boolean {
  const found = valueAt(capabilities, path);
  return found !== undefined && found !== null && found !== false;
}

/** Returns the test whether a client declares a capability. Only an object declares an extension. */
export function clientDeclares(
  path: readonly string[],
  tables: readonly ExtensionTable[],
): (capabilities: object) => boolean {
  const place = JSON.stringify(path);
  const isExtension = tables.some(({ declared: { client } }) => JSON.stringify(client?.path) === place);
  return isExtension
    ? (capabilities) => isRecord(valueAt(capabilities, path))
    : (capabilities) => declares(capabilities, path);
}

function valueAt(whole: object, path: readonly string[]): unknown {
  let found: unknown = whole;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.hasOwn(found, key) ? (found as { readonly [key: string]: unknown })[key] : undefined;
  }
  return found;
}

/** Whether a value is an object with members by name. */
export function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
