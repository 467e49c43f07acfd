import type { MethodFacts, Revision, Role, ExtensionUse } from "../model.js";
import { declares, isRecord, placed } from "./declaring.js";

type Invalid = (message: string) => Error;

/** Throws if the program cannot use an extension as it is configured. */
export function requireUsable<R extends Role>(
  used: readonly ExtensionUse<R>[],
  revisions: readonly Revision<R>[],
  capabilities: object,
  invalid: Invalid,
): void {
  const ids = used.map(({ extension }) => extension.id);
  for (const use of used) {
    const { id, format, role, needs } = use.extension;
    const wrong = (problem: string): Error => invalid(`extension ${id}: ${problem}`);
    if ((format as number) !== 1) throw wrong(`its tables have format ${format}; this code reads 1.`);
    const other = revisions.find((revision) => revision.role !== role);
    if (other) throw wrong(`it is the one of a ${role}. Import it from the module of a ${other.role}.`);
    if (ids.indexOf(id) !== ids.lastIndexOf(id)) throw wrong("it is given twice. Remove one.");
    const missing = needs?.extensions?.find((each) => !ids.includes(each));
    if (missing !== undefined) throw wrong(`it needs extension ${missing}. Add it.`);
    requireBase(use, revisions, wrong);
    const [unknown] = use.unknownOptions ?? [];
    if (unknown !== undefined)
      throw wrong(`implement has no option ${unknown}. There are settings, on, around and cache.`);
    requireSettings(use, revisions, wrong);
    requireUndeclared(use, capabilities, wrong);
    requireHints(use, wrong);
    requireHandlers(use, revisions, wrong);
  }
}

function requireBase(
  { extension: { bases } }: ExtensionUse,
  revisions: readonly Revision[],
  wrong: Invalid,
): void {
  if (revisions.some(({ id }) => bases.has(id))) return;
  const made = [...bases.keys()].join(", ");
  const given = revisions.map(({ id }) => id).join(", ");
  throw wrong(
    `it is made for ${made}, and the revisions are ${given}. Generate it for one of them, or leave it out.`,
  );
}

function requireSettings(
  { extension: { bases, role }, settings }: ExtensionUse,
  revisions: readonly Revision[],
  wrong: Invalid,
): void {
  const text = textOf(settings === undefined ? {} : settings, wrong);
  for (const { id } of revisions) {
    const table = bases.get(id);
    if (!table) continue;
    const own = table.declared[role];
    if (!own && settings !== undefined) throw wrong(`a ${role} declares nothing for it. Leave settings out.`);
    if (own && settings !== undefined && !isRecord(settings))
      throw wrong(`settings: expected an object, got ${text}.`);
    const instance = own && settings && className(settings);
    if (instance !== undefined)
      throw wrong(`settings: expected a plain object, got an instance of ${instance}.`);
    const definition = own?.settings;
    if (definition && !definition.is(settings ?? {}))
      throw wrong(`settings: ${text} is no ${definition.name} at ${id}.`);
  }
}

/** The class name of an object; undefined for a plain object, from any realm. */
function className(object: object): string | undefined {
  const prototype = Object.getPrototypeOf(object) as object | null;
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? undefined : prototype.constructor.name || "a class";
}

/** The settings as JSON text. @throws if they are not JSON */
function textOf(settings: object, wrong: Invalid): string {
  try {
    return JSON.stringify(settings);
  } catch (error) {
    throw wrong(`settings: they are not JSON: ${(error as Error).message}`);
  }
}

/** Throws if `capabilities` has a member at the place of the extension's settings. */
function requireUndeclared(
  { extension: { bases, role } }: ExtensionUse,
  capabilities: object,
  wrong: Invalid,
): void {
  for (const { declared } of bases.values()) {
    const path = declared[role]?.path;
    if (path && has(capabilities, path))
      throw wrong(
        `capabilities declares ${path.join(".")}, too. Give the settings to implement, and leave that out.`,
      );
  }
}

/** Whether an object has a member at a path, with any value. */
function has(whole: object, path: readonly string[]): boolean {
  let found: unknown = whole;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !(key in found)) return false;
    found = (found as { readonly [key: string]: unknown })[key];
  }
  return true;
}

function requireHints({ extension: { bases }, cache }: ExtensionUse, wrong: Invalid): void {
  if (cache === undefined) return;
  const { ttlMs, cacheScope } = cache;
  if (!(ttlMs >= 0) || !["public", "private"].includes(cacheScope))
    throw wrong(
      `cache: expected { ttlMs, cacheScope }: milliseconds from 0 on, and public or private; got ${JSON.stringify(cache)}.`,
    );
  const requests = [...bases.values()].flatMap((table) => [...table.incomingRequests.values()]);
  if (!requests.some(({ cacheable }) => cacheable))
    throw wrong("cache: none of its results has cache hints. Leave it out.");
}

function requireHandlers(use: ExtensionUse, revisions: readonly Revision[], wrong: Invalid): void {
  const { extension, handlers, listeners, around } = use;
  const tables = [...extension.bases.values()];
  const known = (kind: "incomingRequests" | "incomingNotifications"): string[] =>
    tables.flatMap((table) => [...table[kind].keys()]);
  requireNames("handlers", handlers, known("incomingRequests"), wrong);
  requireNames("on", listeners, known("incomingNotifications"), wrong);
  const requests = [...tables, ...revisions.map(({ table }) => table)].flatMap(
    ({ incomingRequests, outgoingRequests }) => [...incomingRequests.keys(), ...outgoingRequests.keys()],
  );
  requireNames("around", around, requests, wrong);
  for (const { id } of revisions) {
    for (const [method, facts] of extension.bases.get(id)?.incomingRequests ?? []) {
      if (!Object.hasOwn(handlers, method) && isOffered(use, id, facts))
        throw wrong(`there is no handler of ${method}. Give implement one.`);
    }
  }
}

/** Whether this side offers a method, that is, its settings do not switch the method off. */
function isOffered(
  { extension: { bases, role }, settings = {} }: ExtensionUse,
  base: string,
  { capability }: MethodFacts,
): boolean {
  const own = bases.get(base)?.declared[role];
  if (capability?.of !== role || !own) return true;
  if (!own.path.every((key, index) => capability.path[index] === key)) return true;
  return declares(placed({}, own.path, settings), capability.path);
}

function requireNames(what: string, given: object, known: readonly string[], wrong: Invalid): void {
  if (!isRecord(given))
    throw wrong(
      `${what}: expected an object of functions by method, got ${given === null ? "null" : typeof given}.`,
    );
  for (const [method, value] of Object.entries(given)) {
    const place = what === "around" ? `around ${method}` : method;
    if (typeof value !== "function") throw wrong(`${place}: expected a function, got ${typeof value}.`);
    if (known.includes(method)) continue;
    const those = [...new Set(known)].sort().join(", ");
    const kind = what === "on" ? "notification" : "request";
    throw wrong(
      `${place}: there is no such ${kind}. ${those === "" ? "There are none." : `There are ${those}.`}`,
    );
  }
}
