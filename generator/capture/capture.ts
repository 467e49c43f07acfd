import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Contract } from "../contract/contract.js";
import { contractFault } from "../contract/fault.js";
import type { LiveClient, LiveList, LiveOptions, RejectedItem } from "./runtime.js";
import { oneLine } from "../print/one-line.js";
import { secrets } from "../secrets/secrets.js";
import { isRuntimeError } from "./server-error.js";

/** An entry of a list that is not in the contract. */
export interface LeftOut {
  readonly list: ListName;
  /** Its place in the list, counted from 0. */
  readonly index: number;
  readonly name: string | undefined;
  readonly reason: string;
}

export interface Captured {
  readonly contract: Contract;
  readonly leftOut: readonly LeftOut[];
  /** The negotiated revision. */
  readonly revision: string;
  /** The server has not said what it is called. */
  readonly nameless: boolean;
}

type ListName = "tools" | "resources" | "resourceTemplates" | "prompts";

interface ListOf {
  readonly name: ListName;
  /** The member that identifies its entries. */
  readonly key: string;
  readonly capability: string;
  readonly read: (client: LiveClient, options: LiveOptions) => Promise<LiveList>;
}

/** The lists of a contract, in its order. */
export const lists: readonly ListOf[] = [
  {
    name: "tools",
    key: "name",
    capability: "tools",
    read: (client, options) => client.listTools(options),
  },
  {
    name: "resources",
    key: "uri",
    capability: "resources",
    read: (client, options) => client.listResources(options),
  },
  {
    name: "resourceTemplates",
    key: "uriTemplate",
    capability: "resources",
    read: (client, options) => client.listResourceTemplates(options),
  },
  {
    name: "prompts",
    key: "name",
    capability: "prompts",
    read: (client, options) => client.listPrompts(options),
  },
];

/**
 * Reads a server's offer as a contract: all pages of all declared lists, entries unchanged and in the server's order.
 * Data of the exchange (sessions, cursors, metadata of results, lifetimes) is dropped. `leftOut` lists the entries that
 * a contract cannot hold. A secret that the server repeats is not in it: contracts are shared.
 */
export async function capture(client: LiveClient, options: LiveOptions = {}): Promise<Captured> {
  const { serverInfo, serverCapabilities, instructions, revision } = client;
  const leftOut: LeftOut[] = [];
  const contract: JsonObject = {
    name: nonEmptyString(serverInfo?.["name"]) ?? "server",
    ...(nonEmptyString(serverInfo?.["title"]) !== undefined && { title: serverInfo!["title"]! }),
    version: nonEmptyString(serverInfo?.["version"]) ?? "0.0.0",
    ...(instructions !== undefined && { instructions }),
    ...(Object.keys(serverCapabilities).length > 0 && { capabilities: serverCapabilities }),
  };
  for (const list of lists) {
    if (serverCapabilities[list.capability] === undefined) continue;
    const read = await readList(list, client, options);
    const { kept, unfit } = sift(list, read);
    const rejected = read.rejected.map(({ index, name, reason }) => ({
      ...{ list: list.name, index, name },
      reason: oneLine(reason, "; "),
    }));
    leftOut.push(...[...rejected, ...unfit].sort((a, b) => a.index - b.index));
    if (kept.length > 0) contract[list.name] = kept;
  }
  return {
    contract: secrets.hideIn(contract) as unknown as Contract,
    leftOut,
    revision,
    nameless: nonEmptyString(serverInfo?.["name"]) === undefined,
  };
}

/** Many servers that declare resources reject the list of templates; that counts as an empty list. */
async function readList(list: ListOf, client: LiveClient, options: LiveOptions): Promise<LiveList> {
  try {
    return await list.read(client, options);
  } catch (error) {
    if (isRuntimeError(error) && error.code === "method-not-found") return { items: [], rejected: [] };
    throw error;
  }
}

/** Separates the entries that a contract can hold, each with a unique name, from the others. */
function sift(
  { name: list, key }: ListOf,
  { items, rejected }: LiveList,
): { readonly kept: JsonObject[]; readonly unfit: LeftOut[] } {
  const seen = new Set<JsonValue>();
  const kept: JsonObject[] = [];
  const unfit: LeftOut[] = [];
  const places = placesOf(items, rejected);
  for (const [position, item] of items.entries()) {
    const reason = reasonAgainst(list, key, item, seen);
    seen.add(item[key]!);
    // In a contract, `scopes` is what a request needs; a member of that name in a list is something else.
    const { scopes: _, ...entry } = item;
    if (reason === undefined) kept.push(entry);
    else unfit.push({ list, index: places[position]!, name: nonEmptyString(item["name"]), reason });
  }
  return { kept, unfit };
}

/** Why a contract cannot hold an entry, if so. */
function reasonAgainst(
  list: ListName,
  key: string,
  item: JsonObject,
  seen: ReadonlySet<JsonValue>,
): string | undefined {
  const { scopes: _, ...entry } = item;
  const fault = contractFault({ name: "server", version: "0", [list]: [entry] });
  const at = fault?.pointer.split("/").slice(3).join("/");
  if (fault) return `${at === "" ? "" : `/${at}: `}${fault.message}`;
  return seen.has(item[key]!) ? `the ${key} ${JSON.stringify(item[key])} is used twice` : undefined;
}

/** The places of the valid items in the server's list, in which the rejected ones stood between them. */
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
