import { McpError, invalidParams } from "../peer/errors.js";
import type { Params } from "../peer/message.js";
import { fromBase64Url, toBase64Url } from "./base64url.js";
import type { HandlerContext } from "./context.js";
import { type CacheHints, Prepared, uncached } from "./prepared.js";

/** Something a server offers and lists. */
export interface Listed {
  /** As it stands in the list. */
  definition: Params;
  enabled: boolean;
  /** Whether this client gets to see and use it; everybody does without it. */
  readonly visible?: ((definition: never, context: HandlerContext) => boolean) | undefined;
}

/** Lists kept for clients that see different parts of one. */
const keptViews = 64;

/**
 * What a server offers of one kind, in the order of registration, and its list page by page. A page is
 * serialised once for all clients that see the same.
 */
export class Listing<Entry extends Listed> {
  readonly entries = new Map<string, Entry>();
  private readonly member: string;
  private readonly pageSize: number;
  private readonly hints: CacheHints;
  private readonly pages = new Map<string, Prepared>();
  /** Whether clients see different parts; found out when a list is asked for. */
  private filtered: boolean | undefined;
  private filled = false;

  /** @param member that holds the items in the result */
  constructor(member: string, pageSize = Infinity, hints: CacheHints = uncached) {
    if (!(pageSize >= 1))
      throw new McpError(
        "invalid-definition",
        `pageSize: expected 1 or more, got ${pageSize}. Leave it out for one page.`,
      );
    this.member = member;
    this.pageSize = pageSize;
    this.hints = hints;
  }

  /** Whether there ever was an entry. */
  get wasFilled(): boolean {
    return this.filled;
  }

  /** To be called when an entry came, went or changed. */
  changed(): void {
    this.filled ||= this.entries.size > 0;
    this.pages.clear();
    this.filtered = undefined;
  }

  /** The entry of that name, if this client may use it. */
  find(key: string, context: HandlerContext): Entry | undefined {
    const entry = this.entries.get(key);
    return entry && isOpenTo(entry, context) ? entry : undefined;
  }

  /** @throws {McpError} `invalid-params`: the cursor is none of this list's */
  page(cursor: unknown, context: HandlerContext): Prepared {
    this.filtered ??= [...this.entries.values()].some(({ visible }) => visible !== undefined);
    const view = this.filtered ? this.seenBy(context) : undefined;
    const key = JSON.stringify([cursor, view?.map(([name]) => name)]);
    let page = this.pages.get(key);
    if (!page) {
      page = this.prepare(cursor, view ?? this.seenBy(context));
      if (this.pages.size >= keptViews && this.filtered) this.pages.clear();
      this.pages.set(key, page);
    }
    return page;
  }

  private seenBy(context: HandlerContext): [string, Entry][] {
    return [...this.entries].filter(([, entry]) => isOpenTo(entry, context));
  }

  private prepare(cursor: unknown, entries: readonly [string, Entry][]): Prepared {
    const start = cursor === undefined ? 0 : this.position(cursor, entries);
    const page = entries.slice(start, start + this.pageSize);
    const last = page.at(-1);
    const more = last !== undefined && start + this.pageSize < entries.length;
    const hints: CacheHints = this.filtered ? { ...this.hints, cacheScope: "private" } : this.hints;
    const result = {
      [this.member]: page.map(([, { definition }]) => definition),
      ...(more ? { nextCursor: this.cursorAfter(last[0]) } : {}),
    };
    return new Prepared(result, hints);
  }

  /** A cursor names the entry before the page, so that what is added or removed elsewhere moves nothing. */
  private cursorAfter(name: string): string {
    return toBase64Url(new TextEncoder().encode(JSON.stringify([this.member, name])));
  }

  private position(cursor: unknown, entries: readonly [string, Entry][]): number {
    const index = entries.findIndex(([name]) => this.cursorAfter(name) === cursor);
    if (index >= 0 && this.pageSize !== Infinity && fromBase64Url(cursor as string)) return index + 1;
    throw invalidParams("params.cursor: there is no such page; start again without a cursor");
  }
}

function isOpenTo({ enabled, visible, definition }: Listed, context: HandlerContext): boolean {
  return enabled && (visible === undefined || visible(definition as never, context));
}
