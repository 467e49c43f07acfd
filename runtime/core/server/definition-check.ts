import { listedMembers } from "@mcpgen/protocol/listed";
import {
  checkExtensionIds,
  checkOptions,
  invalid,
  isObject,
  listOfExtensions,
  nearest,
  orObject,
  type ParkingLimits,
  requireFunction,
  type Rules,
  suggestion,
  withFunctions,
  withGone,
} from "@mcpgen/base";
import { checkListener } from "../protocol/hooks.js";
import type { ServerRevisions } from "../protocol/revision-view.js";
import type { CacheHints, Direction, ServerDefinition } from "./server-definition.js";
import {
  type ErrorOptions,
  type ListsOptions,
  type ServerOptions,
  type StateOptions,
  type ValidationOptions,
} from "./server.js";

/** Members of a registration that are not in the protocol's definition. */
type OwnMembers = readonly string[];

/**
 * Checks the members of a registration. An unknown member would be sent to clients; a misspelt one would have no effect.
 *
 * @param place the registration, for errors
 * @param name the definition of the protocol
 * @param own members that are not in the definition
 * @throws {McpError} `invalid-definition`
 */
export function checkDefinition(place: string, given: unknown, name: string, own: OwnMembers = []): void {
  const problem = "options stand between what names it and the handler; write {} for none";
  if (!isObject(given) || "~standard" in given)
    throw invalid(`${place}: expected an object with its options, got ${kindOf(given)}: ${problem}.`);
  checkShape(place, given, name);
  checkMembers(`${place}: `, given, name, own);
}

/** Refuses schemas of single arguments where options belong: other libraries accept them there. */
function checkShape(place: string, given: object, name: string): void {
  const known = listedMembers[name] ?? {};
  const stray = Object.entries(given).find(
    ([member, value]) => isSchema(value) && !Object.hasOwn(known, member),
  );
  if (!stray) return;
  const into = Object.hasOwn(known, "arguments") ? "arguments" : "inputSchema";
  throw invalid(
    `${place}: ${stray[0]}: expected no schema beside the options. Write the arguments as one object schema: ${into}.`,
  );
}

function isSchema(value: unknown): boolean {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/** @throws {McpError} `invalid-definition`: there is no handler */
export function requireHandler(place: string, handler: unknown): void {
  if (typeof handler !== "function") throw invalid(`${place}: there is no handler.`);
}

/**
 * Checks a handler or listener.
 *
 * @throws {McpError} `invalid-definition`: it is not a function, or would never be called
 */
export function checkHandler(
  { defines }: ServerDefinition,
  direction: Direction,
  method: string,
  given: unknown,
): void {
  if (direction === "incomingRequests") {
    requireFunction(method, given);
    if (defines("incomingNotifications", method))
      throw invalid(`${method} is a notification: register it with on.`);
  } else {
    checkListener(method, given);
    if (defines("incomingRequests", method))
      throw invalid(`${method} is a request: register it with handle.`);
  }
}

/**
 * Checks an object that may have members of later revisions or of the author's choice: only a member whose name misspells
 * a known one is refused.
 *
 * @param place the object, for errors
 * @param name the definition of the protocol
 * @throws {McpError} `invalid-definition`
 */
export function checkSpelling(place: string, given: object, name: string): void {
  checkMembers(`${place}.`, given, name, undefined);
}

/** @param own further known members; without it, only misspelt members are refused */
function checkMembers(place: string, given: object, definition: string, own: OwnMembers | undefined): void {
  const known = listedMembers[definition];
  if (!known) return;
  for (const [member, value] of Object.entries(given)) {
    const inner = Object.hasOwn(known, member) ? known[member]! : undefined;
    if (inner === undefined) checkUnknown(place, member, Object.keys(known), own);
    else if (inner.endsWith("[]")) checkItems(`${place}${member}`, value, inner.slice(0, -2), own);
    else if (inner !== "" && isObject(value)) checkMembers(`${place}${member}.`, value, inner, own && []);
  }
}

function checkUnknown(
  place: string,
  member: string,
  known: readonly string[],
  own: OwnMembers | undefined,
): void {
  if (own?.includes(member)) return;
  const meant = own ? suggestion(member, [...known, ...own]) : nearest(member, known);
  if (meant === undefined) return;
  const next = own ? meant : `Did you mean ${meant}?`;
  throw invalid(`${place}${member}: there is no such member. ${next}`);
}

function checkItems(place: string, list: unknown, definition: string, own: OwnMembers | undefined): void {
  // `arguments` of a prompt may be a schema in place of a list.
  if (!Array.isArray(list)) return;
  for (const [index, item] of list.entries())
    if (isObject(item)) checkMembers(`${place}[${index}].`, item, definition, own && []);
}

function kindOf(given: unknown): string {
  return given === undefined || given === null
    ? "nothing"
    : isObject(given)
      ? "a schema"
      : `a ${typeof given}`;
}

const optionRules: Rules<ServerOptions> = {
  revisions: /* @__PURE__ */ orObject(
    "array",
    { known: "array", speaks: "array", vocabulary: "string" } satisfies Rules<ServerRevisions>,
    ["known"],
  ),
  extensions: listOfExtensions,
  instructions: "string",
  capabilities: "object",
  lists: {
    pageSize: (value) =>
      value === Infinity || (Number.isInteger(value) && (value as number) > 0)
        ? undefined
        : "a whole number from 1",
    cache: { ttlMs: "amount", cacheScope: ["public", "private"] } satisfies Rules<CacheHints>,
  } satisfies Rules<ListsOptions>,
  state: {
    // `stateSeal` checks their length. A value that is no list may be a secret: the fault does not show it.
    keys: (value, place) =>
      Array.isArray(value) ? undefined : { message: `${place.slice(0, -1)}: expected a list.` },
    store: /* @__PURE__ */ withFunctions("use"),
    parking: /* @__PURE__ */ orObject(
      (value) => (value === false || value === "routed" ? undefined : 'false, "routed"'),
      { calls: "amount", perPrincipal: "amount" } satisfies Rules<ParkingLimits>,
    ),
    limit: "amount",
  } satisfies Rules<StateOptions>,
  changes: /* @__PURE__ */ withFunctions("publish", "subscribe"),
  validation: {
    nulls: ["absent", "reject"],
    argumentDefaults: "boolean",
    send: ["off", "development", "always"],
  } satisfies Rules<ValidationOptions>,
  wrongArguments: ["error", "result"],
  errors: {
    table: (value) => (isErrorTable(value) ? undefined : "errorTable({ … })"),
    thrown: ["hide", "message"],
  } satisfies Rules<ErrorOptions>,
  timeouts: { timeout: "amount", totalTimeout: "amount" },
  clock: /* @__PURE__ */ withFunctions("now", "schedule", "clear"),
  onEvent: "function",
};

/** Options of earlier versions, and what has their meaning today. docs/migration.md has the same rows. */
export const formerServerOptions = {
  speaks: "revisions.speaks",
  vocabulary: "revisions.vocabulary",
  pageSize: "lists.pageSize",
  cache: "lists.cache",
  stateKeys: "state.keys",
  stateStore: "state.store",
  argumentDefaults: "validation.argumentDefaults",
  nulls: "validation.nulls",
  validateSend: "validation.send",
  thrownErrors: "errors.thrown",
  onWarning: "onEvent",
  onError: "onEvent",
  onLoss: "onEvent",
};

export const serverRules = /* @__PURE__ */ withGone(optionRules, formerServerOptions);

function isErrorTable(value: unknown): boolean {
  return isObject(value) && typeof value["apply"] === "function";
}

/** Checks the arguments of `createServer`. @throws {McpError} `invalid-definition` */
export function checkServerOptions(info: unknown, options: unknown): void {
  if (!isObject(info) || typeof info["name"] !== "string" || typeof info["version"] !== "string")
    throw invalid('info: expected { name: "…", version: "…" } as the first argument.');
  if (!isObject(options) || options["revisions"] === undefined)
    throw invalid(
      "options: expected { revisions: serverRevisions }, with serverRevisions of @mcpgen/protocol/server. Functions of @mcpgen/runtime/all need no revisions.",
    );
  if (isErrorTable(options["errors"])) throw invalid("errors: expected { table: errorTable({ … }) }.");
  checkOptions(options, serverRules);
  checkExtensionIds(options["capabilities"]);
}
