import type { RequestOptions } from "@mcpgen/protocol/model";
import { McpError } from "../peer/errors.js";
import type { Params } from "../peer/message.js";
import type { Rejected } from "./decode.js";

/** How far a list is read. */
export interface ListBounds extends RequestOptions {
  /** 1,000 without it. */
  readonly maxPages?: number;
  /** 100,000 without it. */
  readonly maxItems?: number;
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
 * @throws {McpError} `list-incomplete` where a page comes twice
 */
export async function* pages<Item>(
  method: string,
  { maxPages = 1000 }: ListBounds,
  fetch: (params: Params) => Promise<FetchedPage<Item>>,
): AsyncGenerator<ListResult<Item>, void, undefined> {
  const seen = new Set<string>();
  const read: Item[] = [];
  let params: Params = {};
  for (let count = 0; count < maxPages; count++) {
    const page = await fetch(params);
    const { nextCursor } = page;
    const mark = nextCursor === undefined ? undefined : markOf(page);
    if (mark !== undefined && seen.has(mark)) throw incomplete(method, "a page came twice", read);
    if (mark !== undefined) seen.add(mark);
    for (const item of page.items) read.push(item);
    yield page;
    if (typeof nextCursor !== "string") return;
    params = { cursor: nextCursor };
  }
  throw incomplete(method, `there are more than ${maxPages} pages`, read);
}

/** What tells a page from others, if anything does: what is nested too deeply has no text. */
function markOf({ nextCursor, items }: FetchedPage<unknown>): string | undefined {
  try {
    return JSON.stringify([nextCursor, items]);
  } catch {
    return undefined;
  }
}

/** @throws {McpError} `list-incomplete`, with what was read */
export async function collect<Item>(
  read: AsyncIterable<ListResult<Item>>,
  method: string,
  { maxItems = 100_000 }: ListBounds,
  warn: (message: string) => void,
): Promise<ListResult<Item>> {
  const items: Item[] = [];
  const rejected: Rejected[] = [];
  for await (const page of read) {
    const before = items.length + rejected.length;
    // Not all in one call: a page may have more items than a call takes arguments.
    for (const item of page.items) items.push(item);
    for (const { index, ...rest } of page.rejected) {
      const item = { ...rest, index: before + index };
      rejected.push(item);
      warn(`${method}: ${item.name ?? `item ${item.index}`} is left out: ${item.reason}`);
    }
    if (items.length > maxItems)
      throw incomplete(method, `there are more than ${maxItems} items`, items.slice(0, maxItems));
  }
  return { items, rejected };
}

function incomplete(method: string, why: string, items: readonly unknown[]): McpError {
  return new McpError("list-incomplete", `${method}: ${why}`, { data: { items } });
}
