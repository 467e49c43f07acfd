import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { type Asked, type Contract, type ContractList, identities } from "../contract/contract.js";
import { contractFault } from "../contract/fault.js";
import { type Gone, keysOf } from "../contract/incomplete-lists.js";
import type { LiveClient, LiveList, LiveOptions, RejectedItem, LiveListOptions } from "./runtime.js";
import { oneLine } from "../print/terminal-text.js";
import { secrets } from "../secrets/secrets.js";
import { isRuntimeError } from "./server-error.js";
import { lookUp } from "./look-up.js";

/** A list entry that the contract omits. */
export interface LeftOut {
  readonly list: ContractList;
  /** Index of the entry in the list. */
  readonly index: number;
  readonly name: string | undefined;
  readonly reason: string;
}

/** A list that could not be read completely. The contract has the entries read before the failure. */
export interface UnreadList {
  readonly list: ContractList;
  /** The reason, in one line. */
  readonly reason: string;
}

export interface Captured {
  readonly contract: Contract;
  readonly leftOut: readonly LeftOut[];
  /** Lists that are missing or incomplete. */
  readonly unread: readonly UnreadList[];
  /**
   * Lists from which the server omits entries. The contract then has `complete: false`, and the parameters
   * that were used.
   */
  readonly incomplete: readonly IncompleteList[];
  /** Entries of `known` that the server does not have, in incomplete lists. */
  readonly gone: Gone;
  /** The negotiated revision. */
  readonly revision: string;
  /** Whether the server sent no name. */
  readonly nameless: boolean;
}

/** A list that is incomplete according to its server. */
export interface IncompleteList {
  readonly list: ContractList;
  /** Names of entries that the list only refers to and that cannot be fetched individually. */
  readonly references: readonly string[];
}

/** How a server is captured. */
export interface CaptureSettings {
  /**
   * Lists that the contract must have: an error in one of them is thrown. A failure of another list is
   * recorded in `unread`, unless all lists fail. Unless all are needed, null in place of any list is also
   * recorded there.
   */
  readonly needed?: readonly ContractList[] | "all";
  /** Parameters of the requests for each list; by default one request without parameters. */
  readonly asked?: Asked | undefined;
  /** A contract whose entries are requested individually if an incomplete list does not name them. */
  readonly known?: Contract | undefined;
}

/** The lists of a contract, in order. */
const lists: readonly ListOf[] = [
  {
    name: "tools",
    capability: "tools",
    method: "tools/list",
    read: (client, options) => client.listTools(options),
  },
  {
    name: "resources",
    capability: "resources",
    method: "resources/list",
    read: (client, options) => client.listResources(options),
  },
  {
    name: "resourceTemplates",
    capability: "resources",
    method: "resources/templates/list",
    read: (client, options) => client.listResourceTemplates(options),
  },
  {
    name: "prompts",
    capability: "prompts",
    method: "prompts/list",
    read: (client, options) => client.listPrompts(options),
  },
];

/**
 * Reads a server's offer as a contract: all pages of all declared lists, entries unchanged and in the
 * server's order. Data of the exchange (sessions, cursors, metadata of results, lifetimes) is dropped.
 * `leftOut` lists the entries that a contract cannot hold. Secrets that the server echoes are removed,
 * because contracts are shared.
 *
 * @throws the error of a needed list
 */
export async function capture(
  client: LiveClient,
  options: LiveOptions = {},
  settings: CaptureSettings = {},
): Promise<Captured> {
  const { serverInfo, serverCapabilities, instructions, revision } = client;
  const leftOut: LeftOut[] = [];
  const about: JsonObject = {
    name: nonEmptyString(serverInfo?.["name"]) ?? "server",
    ...(nonEmptyString(serverInfo?.["title"]) !== undefined && { title: serverInfo!["title"]! }),
    version: nonEmptyString(serverInfo?.["version"]) ?? "0.0.0",
    ...(instructions !== undefined && { instructions }),
    ...(Object.keys(serverCapabilities).length > 0 && { capabilities: serverCapabilities }),
  };
  const entries: JsonObject = {};
  const asked: Record<string, readonly JsonObject[]> = {};
  const incomplete: IncompleteList[] = [];
  const gone: Record<string, readonly string[]> = {};
  const failures: Failure[] = [];
  const declared = lists.filter(({ capability }) => (serverCapabilities[capability] ?? null) !== null);
  for (const list of declared) {
    const came = await readList(list, client, options, settings);
    const { read } = came;
    if ("error" in came) failures.push(came);
    const { kept, unfit } = sift(list, read);
    const rejected = read.rejected.map(({ index, name, reason }) => ({
      ...{ list: list.name, index, name },
      reason: oneLine(reason, "; "),
    }));
    leftOut.push(...[...rejected, ...unfit].sort((a, b) => a.index - b.index));
    if (kept.length > 0) entries[list.name] = kept;
    if (read.complete) continue;
    asked[list.name] = read.asked;
    gone[list.name] = read.gone;
    incomplete.push({ list: list.name, references: read.unfetched });
  }
  const hasNothing = failures.every(({ isNull, read }) => !isNull && read.items.length === 0);
  if (failures.length > 0 && failures.length === declared.length && hasNothing) throw failures[0]!.error;
  const partial = incomplete.length > 0 && { complete: false, asked: asked as unknown as JsonObject };
  return {
    contract: secrets.hideIn({ ...about, ...partial, ...entries }) as unknown as Contract,
    leftOut,
    incomplete,
    gone,
    unread: failures.map(({ list, error }) => ({ list, reason: oneLine(error.message, "; ") })),
    revision,
    nameless: nonEmptyString(serverInfo?.["name"]) === undefined,
  };
}

/** A list that failed, with the items read before. */
interface Failure {
  readonly list: ContractList;
  readonly error: Error;
  /** Whether the server sent null instead of the list. */
  readonly isNull: boolean;
  readonly read: ReadList;
}

/**
 * Reads a list. Many servers that declare resources reject the request for templates; that counts as an empty
 * list.
 */
async function readList(
  list: ListOf,
  client: LiveClient,
  options: LiveOptions,
  { needed = "all", asked, known }: CaptureSettings,
): Promise<Failure | { readonly read: ReadList }> {
  try {
    const read = await readAll(list, client, options, asked?.[list.name]);
    return { read: read.complete ? read : await fetchEntries(read, list, client, options, known) };
  } catch (error) {
    if (!isRuntimeError(error)) throw error;
    if (error.code === "method-not-found") return { read: whole([]) };
    const isNull = isNullList(error);
    // A rejection that a login may resolve is thrown, so that the user can log in.
    const isTaken = needed !== "all" && (isNull || !needed.includes(list.name));
    if (!isTaken || error.code === "authorize-failed") throw error;
    return { list: list.name, error, isNull, read: await before(error, list, client, options) };
  }
}

/**
 * Whether the error means that the server sent null instead of a list; the runtime puts the list's name into
 * its data.
 */
function isNullList({ code, data }: Error & { readonly code: string; readonly data?: unknown }): boolean {
  return code === "invalid-result" && isObject(data) && Object.values(data)[0] === null;
}

/** The items of the pages before the failed one. A server that does not respond is not asked again. */
async function before(
  error: Error & { readonly code: string },
  { method }: ListOf,
  client: LiveClient,
  options: LiveOptions,
): Promise<ReadList> {
  const items: JsonObject[] = [];
  if (!isLost(error.code))
    try {
      for await (const item of client.items(method, options)) items.push(item);
    } catch (again) {
      if (!isRuntimeError(again)) throw again;
    }
  return whole(items);
}

function isLost(code: string): boolean {
  return code === "timeout" || code === "connection-closed" || code === "session-lost";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Separates the entries that a contract can contain, each with a unique name, from the others. */
function sift(
  { name: list }: ListOf,
  { items, rejected }: Pick<LiveList, "items" | "rejected">,
): { readonly kept: JsonObject[]; readonly unfit: LeftOut[] } {
  const key = identities[list];
  const seen = new Set<JsonValue>();
  const kept: JsonObject[] = [];
  const unfit: LeftOut[] = [];
  const places = placesOf(items, rejected);
  for (const [position, item] of items.entries()) {
    const reason = reasonAgainst(list, item, seen);
    seen.add(item[key]!);
    if (reason === undefined) kept.push(ownOf(item));
    else unfit.push({ list, index: places[position]!, name: nonEmptyString(item["name"]), reason });
  }
  return { kept, unfit };
}

/** An entry without the members that mean something else in a contract. */
function ownOf({ scopes: _scopes, replay: _replay, ...entry }: JsonObject): JsonObject {
  return entry;
}

/** Why a contract cannot contain an entry; undefined if it can. */
function reasonAgainst(
  list: ContractList,
  item: JsonObject,
  seen: ReadonlySet<JsonValue>,
): string | undefined {
  const fault = contractFault({ name: "server", version: "0", [list]: [ownOf(item)] });
  const at = fault?.pointer.split("/").slice(3).join("/");
  if (fault) return `${at === "" ? "" : `/${at}: `}${fault.message}`;
  const key = identities[list];
  return seen.has(item[key]!) ? `the ${key} ${JSON.stringify(item[key])} is used twice` : undefined;
}

/** The indexes of the valid items in the server's list, counting the rejected items between them. */
function placesOf(items: readonly JsonObject[], rejected: readonly RejectedItem[]): number[] {
  const taken = new Set(rejected.map(({ index }) => index));
  let place = -1;
  return items.map(() => {
    do place++;
    while (taken.has(place));
    return place;
  });
}

function nonEmptyString(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A list of a contract, with the request that reads it from a server. */
interface ListOf {
  readonly name: ContractList;
  readonly capability: string;
  readonly method: string;
  readonly read: (client: LiveClient, options: LiveListOptions) => Promise<LiveList>;
}

/** A list after all requests, including entries fetched individually. */
interface ReadList extends Omit<LiveList, "references"> {
  readonly asked: readonly JsonObject[];
  /** Whether every entry is present or at least referred to. */
  readonly namesAll: boolean;
  readonly gone: readonly string[];
  /** Names of entries that were only referred to. */
  readonly unfetched: readonly string[];
}

/** A complete list. */
function whole(items: readonly JsonObject[]): ReadList {
  return { items, rejected: [], complete: true, asked: [], namesAll: true, gone: [], unfetched: [] };
}

/**
 * The items of all requests. A complete list needs no further request, but a selection by parameters is never
 * complete.
 */
async function readAll(
  { name, read }: ListOf,
  client: LiveClient,
  options: LiveOptions,
  requests: readonly JsonObject[] = [],
): Promise<ReadList> {
  const key = identities[name];
  const isPlain = (params: JsonObject): boolean => Object.keys(params).length === 0;
  const asked =
    requests.length === 0 ? [{}] : [...requests].sort((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
  const items: JsonObject[] = [];
  const rejected: RejectedItem[] = [];
  const references = new Set<string>();
  const seen = new Set<JsonValue | undefined>();
  let namesAll = false;
  for (const params of asked) {
    if (namesAll) break;
    const list = await read(client, isPlain(params) ? options : { ...options, params });
    namesAll = isPlain(params) && list.complete;
    const before = items.length + rejected.length;
    // A name that occurs twice within one response is the server's mistake, and is kept.
    for (const item of list.items) if (!seen.has(item[key])) items.push(item);
    for (const item of list.items) seen.add(item[key]);
    for (const item of list.rejected) rejected.push({ ...item, index: before + item.index });
    for (const reference of list.references) references.add(String(reference[key]));
  }
  const unfetched = [...references].filter((reference) => !seen.has(reference));
  return {
    items,
    rejected,
    complete: namesAll && unfetched.length === 0,
    asked,
    namesAll,
    gone: [],
    unfetched,
  };
}

/** Requests individually the entries that a list only refers to, and the known ones it does not name. */
async function fetchEntries(
  read: ReadList,
  { name: list, method }: ListOf,
  client: LiveClient,
  options: LiveOptions,
  known: Contract | undefined,
): Promise<ReadList> {
  const key = identities[list];
  const named = new Set([...read.items.map((item) => String(item[key])), ...read.unfetched]);
  const before = known ? keysOf(known, list).filter((name) => !named.has(name)) : [];
  const items = [...read.items];
  const gone = read.namesAll ? before : [];
  const unfetched = new Set(read.unfetched);
  for (const name of read.namesAll ? read.unfetched : [...read.unfetched, ...before]) {
    const entry = await lookUp(client, { method, name }, options).catch(refusal);
    if (entry === "unknown") break;
    if (entry === "refused") continue;
    unfetched.delete(name);
    if (entry) items.push(entry);
    else gone.push(name);
  }
  const complete = read.namesAll && unfetched.size === 0;
  return { ...read, items, complete, gone, unfetched: [...unfetched] };
}

/** A rejected entry may exist, so the remaining entries are requested nevertheless. */
function refusal(error: unknown): "refused" {
  if (isRuntimeError(error) && (error.code === "remote-error" || error.code === "invalid-result"))
    return "refused";
  throw error;
}
