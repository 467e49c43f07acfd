import type { RequestOptions } from "@mcpgen/protocol/model";
import { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { Rejected } from "./decode.js";

/** How far a list is read. */
export interface ListBounds extends RequestOptions {
  /** 1,000 without it. */
  readonly maxPages?: number;
  /** Items of all pages, those that are left out included: 100,000 without it. */
  readonly maxItems?: number;
  /** Characters of all pages, as JSON, those of items that are left out included: 64 Mi without it. A last page is not counted. */
  readonly maxCharacters?: number;
}

export interface ListResult<Item> {
  readonly items: readonly Item[];
  /** Items that are not what the list is of. */
  readonly rejected: readonly Rejected[];
}

interface FetchedPage<Item> extends ListResult<Item> {
  readonly nextCursor: unknown;
}

/**
 * The pages of a list, until one names no next. Cursors are sent back as they came; an empty one is a cursor
 * (pagination).
 *
 * @throws {McpError} `list-incomplete`, after the last page that was read, with its items in `data.items`: a page came
 *   twice (the same cursor with the same items), or the list passes a bound
 */
export async function* pages<Item>(
  method: string,
  { maxPages = 1000, maxItems = 100_000, maxCharacters = 64 * 1_048_576 }: ListBounds,
  fetch: (params: Params) => Promise<FetchedPage<Item>>,
): AsyncGenerator<ListResult<Item>, void, undefined> {
  const seen = new Set<string>();
  const read: Item[] = [];
  let params: Params = {};
  let rejected = 0;
  let characters = 0;
  for (let count = 1; ; count++) {
    const page = await fetch(params);
    const { nextCursor } = page;
    rejected += page.rejected.length;
    const room = maxItems - rejected - read.length;
    // Not all in one call: a page may have more items than a call takes arguments.
    for (const item of page.items.slice(0, Math.max(room, 0))) read.push(item);
    if (page.items.length > room) {
      yield { ...page, items: page.items.slice(0, Math.max(room, 0)) };
      throw incomplete(method, `there are more than ${maxItems} items`, read);
    }
    const text = typeof nextCursor === "string" ? textOf(page) : undefined;
    const mark = text === undefined ? undefined : `${digest(text)} ${nextCursor as string}`;
    if (mark !== undefined && seen.has(mark)) {
      read.length -= page.items.length;
      throw incomplete(method, "a page came twice", read);
    }
    yield page;
    if (typeof nextCursor !== "string") return;
    if (count >= maxPages) throw incomplete(method, `there are more than ${maxPages} pages`, read);
    characters += nextCursor.length + (text?.length ?? unreadableLength);
    if (characters > maxCharacters)
      throw incomplete(method, `its pages have more than ${maxCharacters} characters`, read);
    if (mark !== undefined) seen.add(mark);
    params = { cursor: nextCursor };
  }
}

/** Characters that a page counts for when it is nested too deeply to have a text: those of the longest message. */
const unreadableLength = 10 * 1_048_576;

function textOf({ items, rejected }: ListResult<unknown>): string | undefined {
  try {
    return JSON.stringify([items, rejected]);
  } catch {
    return undefined;
  }
}

/** Tells texts apart without keeping them: length and two 32-bit hashes (FNV-1a with different primes). */
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

/** @throws {McpError} `list-incomplete`, with the items that were read */
export async function collect<Item>(
  read: AsyncIterable<ListResult<Item>>,
  method: string,
  warn: (message: string) => void,
): Promise<ListResult<Item>> {
  const items: Item[] = [];
  const rejected: Rejected[] = [];
  for await (const page of read) {
    const before = items.length + rejected.length;
    for (const item of page.items) items.push(item);
    for (const { index, ...rest } of page.rejected) {
      const item = { ...rest, index: before + index };
      rejected.push(item);
      warn(`${method}: ${item.name ?? `item ${item.index}`} is left out: ${item.reason}`);
    }
  }
  return { items, rejected };
}

function incomplete(method: string, why: string, items: readonly unknown[]): McpError {
  return new McpError("list-incomplete", `${method}: ${why}`, { data: { items } });
}
