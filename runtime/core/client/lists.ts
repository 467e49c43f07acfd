import type { RequestOptions } from "@mcpgen/protocol/model";
import { McpError } from "../peer/errors.js";
import type { Params } from "../peer/message.js";
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
 * @throws {McpError} `list-incomplete`, after the last page that was read: a cursor came twice, so that the same
 *   request would follow, or the list passes a bound
 */
export async function* pages<Item>(
  method: string,
  { maxPages = 1000, maxItems = 100_000, maxCharacters = 64 * 1_048_576 }: ListBounds,
  fetch: (params: Params) => Promise<FetchedPage<Item>>,
): AsyncGenerator<ListResult<Item>, void, undefined> {
  const cursors = new Set<string>();
  let params: Params = {};
  let items = 0;
  let characters = 0;
  for (let count = 1; ; count++) {
    const page = await fetch(params);
    const { nextCursor } = page;
    items += page.items.length + page.rejected.length;
    if (items > maxItems) {
      yield { ...page, items: page.items.slice(0, Math.max(page.items.length - (items - maxItems), 0)) };
      throw incomplete(method, `there are more than ${maxItems} items`);
    }
    yield page;
    if (typeof nextCursor !== "string") return;
    characters += nextCursor.length + lengthOf(page);
    if (cursors.has(nextCursor)) throw incomplete(method, "a cursor came twice");
    if (count >= maxPages) throw incomplete(method, `there are more than ${maxPages} pages`);
    if (characters > maxCharacters)
      throw incomplete(method, `its pages have more than ${maxCharacters} characters`);
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
}

/** Characters of a page; what is nested too deeply for that counts as the longest message does. */
function lengthOf({ items, rejected }: ListResult<unknown>): number {
  try {
    return JSON.stringify([items, rejected]).length;
  } catch {
    return 10 * 1_048_576;
  }
}

/** @throws {McpError} `list-incomplete`, with the items that were read */
export async function collect<Item>(
  read: AsyncIterable<ListResult<Item>>,
  method: string,
  warn: (message: string) => void,
): Promise<ListResult<Item>> {
  const items: Item[] = [];
  const rejected: Rejected[] = [];
  try {
    for await (const page of read) {
      const before = items.length + rejected.length;
      // Not all in one call: a page may have more items than a call takes arguments.
      for (const item of page.items) items.push(item);
      for (const { index, ...rest } of page.rejected) {
        const item = { ...rest, index: before + index };
        rejected.push(item);
        warn(`${method}: ${item.name ?? `item ${item.index}`} is left out: ${item.reason}`);
      }
    }
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== "list-incomplete") throw error;
    throw new McpError(error.code, error.message, { data: { items } });
  }
  return { items, rejected };
}

function incomplete(method: string, why: string): McpError {
  return new McpError("list-incomplete", `${method}: ${why}`);
}
