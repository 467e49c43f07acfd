import { invalid, invalidParams, type McpError, type Params } from "@mcpgen/base";
import type { Open } from "@mcpgen/protocol/open";
import { toBase64Url } from "../protocol/binary-content.js";
import type { HandlerContext } from "./context.js";
import type { RequestContext } from "./request.js";
import { type CacheHints, SerialisedResult, uncached } from "./server-definition.js";

/** A tool, resource, resource template or prompt. It does not change: another entry takes its place. */
export interface Listed {
  /** The definition that the list contains. */
  readonly definition: Params;
  readonly enabled: boolean;
  /** Whether this client may see and use it. Default: every client may. */
  readonly visible?: ((definition: never, context: HandlerContext) => boolean) | undefined;
  readonly scopes?: Scopes | undefined;
  /** Whether its handler may run again from its first line, once for each answer of a client that it asks. */
  readonly replay?: boolean | undefined;
  /** Members of the registration that belong to extensions. */
  readonly added?: { readonly [member: string]: unknown };
}

/** Describes a tool that is not registered; `undefined` for a tool that it does not know, or this client may not call. */
export type ToolDescriber = (
  name: string,
  context: HandlerContext,
) => Described | undefined | Promise<Described | undefined>;

type Described = Pick<Open<"Tool">, "inputSchema">;

/** The serialised pages of a list. The key depends on the entries on a page and before it. */
export interface PageCache {
  get(key: string): SerialisedResult | undefined;
  set(key: string, page: SerialisedResult): unknown;
}

/** Options of a list. */
export interface ListingOptions {
  /** Items on a page. Default: all. */
  readonly pageSize?: number | undefined;
  /** How long and for whom a list may be cached. */
  readonly cache?: CacheHints | undefined;
  /** Makes the page cache of a list whose entries differ between clients. Default: all pages are kept. */
  readonly views?: (() => PageCache) | undefined;
}

/**
 * The entries of one kind in the order of registration, and the pages of their list. A page is serialised once for all
 * clients that see the same entries.
 */
export class Listing<Entry extends Listed> {
  readonly entries = new Map<string, Entry>();
  readonly #member: string;
  readonly #pageSize: number;
  readonly #hints: CacheHints;
  readonly #views: () => PageCache;
  /** Made with the first page. */
  #pages: PageCache | undefined;
  /** Whether any entry has `visible`; computed with the first page. */
  #filtered: boolean | undefined;
  /** The names of the entries by cursor; computed with the first cursor that is received. */
  #cursors: ReadonlyMap<unknown, string> | undefined;
  #filled = false;

  /** @param member the member of the result that contains the items */
  constructor(
    member: string,
    { pageSize = Infinity, cache = uncached, views = () => new Map() }: ListingOptions,
  ) {
    if (!(pageSize >= 1)) throw invalid("lists.pageSize: expected 1 or more.");
    this.#member = member;
    this.#pageSize = pageSize;
    this.#hints = cache;
    this.#views = views;
  }

  /** Whether the listing has or had an entry. */
  get wasFilled(): boolean {
    return this.#filled;
  }

  /** Drops the cached pages; call it after an entry was added, removed or changed. */
  changed(): void {
    this.#filled ||= this.entries.size > 0;
    this.#pages = undefined;
    this.#filtered = undefined;
    this.#cursors = undefined;
  }

  /** The entry of that name or URI, if this client may use it. */
  find(key: string, context: HandlerContext): Entry | undefined {
    const entry = this.entries.get(key);
    if (!entry || !isOpenTo(entry, context)) return undefined;
    (context as RequestContext).replay = entry.replay;
    return entry;
  }

  /** The names or URIs that this client may use. */
  names(context: HandlerContext): string[] {
    return this.#seenBy(context).map(([name]) => name);
  }

  /** @throws {McpError} `invalid-params`: this list has not issued the cursor */
  page(cursor: unknown, context: HandlerContext): SerialisedResult {
    this.#filtered ??= [...this.entries.values()].some(({ visible }) => visible !== undefined);
    const after = cursor === undefined ? undefined : this.#nameOfCursor(cursor);
    const view = this.#filtered ? this.#seenBy(context) : undefined;
    const key = JSON.stringify([after, view?.map(([name]) => name)]);
    const pages = (this.#pages ??= this.#filtered ? this.#views() : new Map());
    let page = pages.get(key);
    if (!page) {
      const entries = view ?? this.#seenBy(context);
      const start = after === undefined ? 0 : positionAfter(after, entries);
      page = this.#prepare(start, entries);
      // A cursor can name any entry: only the pages that start at a multiple of the page size are cached.
      if (start % this.#pageSize === 0) pages.set(key, page);
    }
    return page;
  }

  #seenBy(context: HandlerContext): [string, Entry][] {
    return [...this.entries].filter(([, entry]) => isOpenTo(entry, context));
  }

  #prepare(start: number, entries: readonly [string, Entry][]): SerialisedResult {
    const page = entries.slice(start, start + this.#pageSize);
    const last = page.at(-1);
    const more = last !== undefined && start + this.#pageSize < entries.length;
    const hints: CacheHints = this.#filtered ? { ...this.#hints, cacheScope: "private" } : this.#hints;
    const result = {
      [this.#member]: page.map(([, { definition }]) => definition),
      ...(more ? { nextCursor: this.#cursorAfter(last[0]) } : {}),
    };
    return new SerialisedResult(result, hints);
  }

  /** A cursor names the entry before the page: entries added or removed elsewhere do not shift the page. */
  #cursorAfter(name: string): string {
    return toBase64Url(new TextEncoder().encode(JSON.stringify([this.#member, name])));
  }

  /** The name of the entry before the page. */
  #nameOfCursor(cursor: unknown): string {
    this.#cursors ??= new Map([...this.entries.keys()].map((name) => [this.#cursorAfter(name), name]));
    const name = this.#cursors.get(cursor);
    // A list of one page issues no cursors.
    if (name === undefined || this.#pageSize === Infinity) throw noSuchPage();
    return name;
  }
}

function positionAfter(name: string, entries: readonly (readonly [string, unknown])[]): number {
  const index = entries.findIndex(([each]) => each === name);
  if (index < 0) throw noSuchPage();
  return index + 1;
}

function noSuchPage(): McpError {
  return invalidParams("params.cursor: there is no such page; start again without a cursor");
}

function isOpenTo({ enabled, visible, definition }: Listed, context: HandlerContext): boolean {
  return enabled && (visible === undefined || visible(definition as never, context));
}

/** The arguments of a call as the client sent them: they are not checked yet. */
export interface UncheckedArguments {
  readonly [name: string]: unknown;
}

/**
 * The scopes that a client needs (RFC 6749, 3.3), or a function of a call's arguments (for a template: of the variables
 * of the URI) that returns them. Only `permit` of an HTTP endpoint reads them.
 */
export type Scopes = readonly string[] | ((args: UncheckedArguments) => readonly string[]);

/** Whether a value is a list of scopes. */
export function isScopes(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof each === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(each))
  );
}
