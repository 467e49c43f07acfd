import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Contract, ContractList } from "../contract/contract.js";
import { keysOf } from "../contract/incomplete-lists.js";
import { lookUp } from "./look-up.js";
import type { LiveClient, LiveList, LiveListOptions, LiveOptions, RejectedItem } from "./runtime.js";
import { isRuntimeError } from "./server-error.js";

/** A list of a contract, as a server has it. */
export interface ListOf {
  readonly name: ContractList;
  /** The member that identifies its entries. */
  readonly key: string;
  readonly capability: string;
  readonly method: string;
  readonly read: (client: LiveClient, options: LiveListOptions) => Promise<LiveList>;
}

/** A list as it was read: with all requests, and what was fetched one by one. */
export interface ReadList extends Omit<LiveList, "references"> {
  readonly asked: readonly JsonObject[];
  /** Whether each entry is there, or at least referred to. */
  readonly namesAll: boolean;
  readonly gone: readonly string[];
  /** Names of entries that are only referred to. */
  readonly unfetched: readonly string[];
}

/** A list that leaves nothing out. */
export function whole(items: readonly JsonObject[]): ReadList {
  return { items, rejected: [], complete: true, asked: [], namesAll: true, gone: [], unfetched: [] };
}

/** The items of all requests. A list that leaves nothing out needs no further one; what parameters select is never all. */
export async function readAll(
  { key, read }: ListOf,
  client: LiveClient,
  options: LiveOptions,
  requests: readonly JsonObject[] = [],
): Promise<ReadList> {
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
    // Within one answer, a name that is used twice is a fault of the server.
    for (const item of list.items) if (!seen.has(item[key])) items.push(item);
    for (const item of list.items) seen.add(item[key]);
    for (const item of list.rejected) rejected.push({ ...item, index: before + item.index });
    for (const reference of list.references) references.add(String(reference[key]));
  }
  const unfetched = [...references].filter((name) => !seen.has(name));
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

/** Asks for the entries that a list only refers to, and for those that are known from before, one by one. */
export async function fetchEntries(
  read: ReadList,
  { name: list, key, method }: ListOf,
  client: LiveClient,
  options: LiveOptions,
  known: Contract | undefined,
): Promise<ReadList> {
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

/** An entry that the server refuses, for whatever reason, may be there: the others are asked for all the same. */
function refusal(error: unknown): "refused" {
  if (isRuntimeError(error) && (error.code === "remote-error" || error.code === "invalid-result"))
    return "refused";
  throw error;
}
