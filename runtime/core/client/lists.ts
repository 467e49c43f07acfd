import type { EntryRequest, Page, PartialList, RequestOptions } from "@mcpgen/protocol/model";
import { isObject, McpError, type Params, valueAt } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { NullReader } from "../protocol/events.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { type Decoded, type Rejected, invalidResult, isReference, sift } from "./decode.js";

/** The limits for reading a list. */
export interface ListBounds extends RequestOptions {
  /** 1,000 by default. */
  readonly maxPages?: number;
  /** Items of all pages, with rejected ones and references: 100,000 by default. */
  readonly maxItems?: number;
  /** Characters of all pages as JSON, rejected items included: 64 Mi by default. The last page is not counted. */
  readonly maxCharacters?: number;
  /** Further parameters of the request for each page, if the revision has them. */
  readonly params?: { readonly [name: string]: unknown };
}

export interface ListResult<Item> {
  readonly items: readonly Item[];
  /** The invalid items. */
  readonly rejected: readonly Rejected[];
  /** Whether the server declares the list complete; true if the revision cannot express that. */
  readonly complete: boolean;
  /** References to entries that `client.entry` fetches, as the server's revision defines them. */
  readonly references: readonly { readonly [member: string]: unknown }[];
}

interface FetchedPage<Item> extends ListResult<Item> {
  readonly nextCursor: unknown;
}

/**
 * Reads the pages of a list up to the page without `nextCursor`. Sends each cursor back unchanged; an empty string is a
 * cursor (pagination). Warns of the invalid items of each page.
 *
 * @throws {McpError} `list-incomplete`, after the last page read, with the items so far in `data.items`: a page came twice
 *   (the same cursor with the same items), or the list exceeds a limit
 */
export async function* pages<Item>(
  method: string,
  { maxPages = 1000, maxItems = 100_000, maxCharacters = 64 * 1_048_576, params: given }: ListBounds,
  warn: (message: string) => void,
  fetch: (params: Params) => Promise<FetchedPage<Item>>,
): AsyncGenerator<ListResult<Item>, void, undefined> {
  const seen = new Set<string>();
  const read: Item[] = [];
  let params: Params = { ...given };
  let rejected = 0;
  let characters = 0;
  for (let count = 1; ; count++) {
    const page = await fetch(params);
    const { nextCursor } = page;
    const before = read.length + rejected;
    rejected += page.rejected.length + page.references.length;
    const room = maxItems - rejected - read.length;
    // Pushed one by one: a page may have more items than a call can have arguments.
    for (const item of page.items.slice(0, Math.max(room, 0))) read.push(item);
    if (page.items.length > room) {
      const items = page.items.slice(0, Math.max(room, 0));
      yield { ...page, items, rejected: leftOut(method, page.rejected, warn, before) };
      throw incomplete(method, `there are more than ${maxItems} items`, read);
    }
    const text = typeof nextCursor === "string" ? textOf(page) : undefined;
    const mark = text === undefined ? undefined : `${digest(text)} ${nextCursor as string}`;
    if (mark !== undefined && seen.has(mark)) {
      read.length -= page.items.length;
      throw incomplete(method, "a page came twice", read);
    }
    yield { ...page, rejected: leftOut(method, page.rejected, warn, before) };
    if (typeof nextCursor !== "string") return;
    if (count >= maxPages) throw incomplete(method, `there are more than ${maxPages} pages`, read);
    characters += nextCursor.length + (text?.length ?? unreadableLength);
    if (characters > maxCharacters)
      throw incomplete(method, `its pages have more than ${maxCharacters} characters`, read);
    if (mark !== undefined) seen.add(mark);
    params = { ...given, cursor: nextCursor };
  }
}

/** The characters counted for a page that is nested too deeply to serialise: the length of the longest message. */
const unreadableLength = 10 * 1_048_576;

function textOf({ items, rejected, references }: ListResult<unknown>): string | undefined {
  try {
    return JSON.stringify([items, rejected, references]);
  } catch {
    return undefined;
  }
}

/** A digest to compare texts without keeping them: length and two 32-bit hashes (FNV-1a with different primes). */
function digest(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x85ebca6b);
  }
  return `${text.length}-${first >>> 0}-${second >>> 0}`;
}

/**
 * Warns of the invalid items of a page.
 *
 * @param before the number of items before the page
 * @returns the items, by their positions in the list
 */
export function leftOut(
  method: string,
  rejected: readonly Rejected[],
  warn: (message: string) => void,
  before = 0,
): readonly Rejected[] {
  return rejected.map((item) => {
    const index = before + item.index;
    warn(`${method}: ${item.name ?? `item ${index}`} is left out: ${item.reason}`);
    return { ...item, index };
  });
}

/** Reads all pages. @throws {McpError} `list-incomplete`, with the items so far */
export async function collect<Item>(read: AsyncIterable<ListResult<Item>>): Promise<ListResult<Item>> {
  const items: Item[] = [];
  const rejected: Rejected[] = [];
  const references: Params[] = [];
  let complete = true;
  for await (const page of read) {
    complete &&= page.complete;
    for (const reference of page.references) references.push(reference);
    for (const item of page.items) items.push(item);
    for (const item of page.rejected) rejected.push(item);
  }
  return { items, rejected, complete, references };
}

/**
 * The list in a page. In a lifted result, the member has its name in the vocabulary, which may differ from its name in
 * the revision.
 *
 * @param views the views to search, first the view of the result
 * @throws {McpError} `not-expressible`: the tables do not say which member is the list
 */
export function listIn(
  result: Params,
  method: string,
  views: readonly [RevisionView<"client">, ...RevisionView<"client">[]],
): readonly unknown[] {
  const entries = views.map(({ table }) => table.outgoingRequests.get(method));
  if (entries[0]?.list ?? entries[0]?.page) {
    const names = entries.flatMap((entry) => [entry?.list, entry?.page?.member]);
    const name = names.find((each) => each !== undefined && Array.isArray(result[each]));
    if (name !== undefined) return result[name] as readonly unknown[];
    // An optional list may be absent.
    if (!Object.values(result).some(Array.isArray)) return [];
  }
  const { id } = views[0];
  throw new McpError(
    "not-expressible",
    `${method}: the tables of revision ${id} do not say which member of the result is the list. Use client.request.`,
  );
}

function incomplete(method: string, why: string, items: readonly unknown[]): McpError {
  return new McpError("list-incomplete", `${method}: ${why}`, { data: { items } });
}

/** A part of a list that may leave entries out: a page, or the requested entry. */
export interface ListPart {
  /** The method of the list. */
  readonly list: string;
  readonly page: Page;
  /** The parameters of the request, which the steps of its result need. */
  readonly params?: Params;
  readonly entry?: EntryRequest & { readonly name: string };
}

/**
 * Converts the part of a list to a page in the authoring vocabulary. It contains only whole entries, which every
 * revision can express.
 */
export async function readPart(
  view: RevisionView<"client">,
  { list, page, params, entry }: ListPart,
  { result, rejected }: Decoded,
  readNulls: NullReader,
): Promise<Decoded> {
  const { member, partial } = page;
  const items = entry ? entriesIn(result, entry) : ((result[member] ?? []) as readonly unknown[]);
  const { kept, rejected: more } = await sift({ view, method: list, readNulls }, page, items);
  const whole = kept.filter((item) => !isReference(page, item));
  const references = kept.filter((item): item is Params => isReference(page, item));
  const lifted = view.lift("incomingResults", list, { ...(entry ? {} : result), [member]: whole }, params);
  return {
    result: lifted,
    rejected: [...rejected, ...more],
    listed: { complete: !leavesOut(partial!, result), references },
  };
}

/**
 * The requested entry as a list; empty if the result has no entry.
 *
 * @throws {McpError} `invalid-result`: the result has another entry
 */
function entriesIn(
  result: Params,
  { method, member, key, name }: NonNullable<ListPart["entry"]>,
): readonly unknown[] {
  const held = member === undefined ? result : result[member];
  const all: readonly unknown[] = Array.isArray(held) ? held : isObject(held) ? [held] : [];
  const entries = all.filter((each) => isObject(each) && each[key] === name);
  if (all.length > entries.length) throw invalidResult(method, `it has another entry than ${name}`);
  return entries;
}

function leavesOut({ path, means }: PartialList, result: Params): boolean {
  const value = valueAt(result, path);
  return means === undefined ? value !== undefined : value === means;
}

/** Whether an error certainly means that the entry does not exist. */
export function isMissing(error: unknown, { table }: RevisionView): error is McpError {
  if (!(error instanceof McpError)) return false;
  const { code, rpcCode } = error;
  if (code === "resource-not-found") return true;
  if (code !== "remote-error" || rpcCode === undefined) return false;
  const names = Object.keys(table.errors).filter((name) => table.errors[name]!.code === rpcCode);
  return rpcCode === rpc.invalidParams || names.some((name) => name.endsWith("NOT_FOUND"));
}
