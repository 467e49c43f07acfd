import { McpError, invalidParams } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { toBase64Url } from "../protocol/base64.js";
import type { ViewOptions } from "../protocol/revision-view.js";
import type { HandlerContext, RequestContext } from "./context.js";
import { type CacheHints, SerialisedResult, uncached, type MethodHandler } from "./server-definition.js";
import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { NotificationBus } from "./changes.js";
import type { PromptEntry } from "./prompts.js";
import type { ResourceEntry, TemplateEntry } from "./resources.js";
import type { Scopes } from "./scopes.js";
import { type ToolEntry, callTool } from "./tools.js";

/** A tool, resource, resource template or prompt. It does not change: another entry takes its place. */
export interface Listed {
  /** The definition that the list contains. */
  readonly definition: Params;
  readonly enabled: boolean;
  /** Whether this client may see and use it. Default: every client may. */
  readonly visible?: ((definition: never, context: HandlerContext) => boolean) | undefined;
  readonly scopes?: Scopes | undefined;
  /** Members of the registration that belong to extensions. */
  readonly added?: { readonly [member: string]: unknown };
}

/** Pages that are cached for clients that see different entries. */
const cachedViews = 64;

/**
 * The entries of one kind in the order of registration, and the pages of their list. A page is serialised once for all
 * clients that see the same entries.
 */
export class Listing<Entry extends Listed> {
  readonly entries = new Map<string, Entry>();
  readonly #member: string;
  readonly #pageSize: number;
  readonly #hints: CacheHints;
  readonly #pages = new Map<string, SerialisedResult>();
  /** Whether any entry has `visible`; computed with the first page. */
  #filtered: boolean | undefined;
  /** The names of the entries by cursor; computed with the first cursor that is received. */
  #cursors: ReadonlyMap<unknown, string> | undefined;
  #filled = false;

  /** @param member the member of the result that contains the items */
  constructor(member: string, pageSize = Infinity, hints: CacheHints = uncached) {
    if (!(pageSize >= 1))
      throw new McpError(
        "invalid-definition",
        `pageSize: expected 1 or more, got ${pageSize}. Leave it out for one page.`,
      );
    this.#member = member;
    this.#pageSize = pageSize;
    this.#hints = hints;
  }

  /** Whether the listing has or had an entry. */
  get wasFilled(): boolean {
    return this.#filled;
  }

  /** Drops the cached pages; call it after an entry was added, removed or changed. */
  changed(): void {
    this.#filled ||= this.entries.size > 0;
    this.#pages.clear();
    this.#filtered = undefined;
    this.#cursors = undefined;
  }

  /** The entry of that name or URI, if this client may use it. */
  find(key: string, context: HandlerContext): Entry | undefined {
    const entry = this.entries.get(key);
    return entry && isOpenTo(entry, context) ? entry : undefined;
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
    let page = this.#pages.get(key);
    if (!page) {
      const entries = view ?? this.#seenBy(context);
      const start = after === undefined ? 0 : positionAfter(after, entries);
      page = this.#prepare(start, entries);
      if (this.#pages.size >= cachedViews && this.#filtered) this.#pages.clear();
      // A cursor can name any entry: only the pages that start at a multiple of the page size are cached.
      if (start % this.#pageSize === 0) this.#pages.set(key, page);
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
    // A list of one page issues none.
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

/** Options of the lists of a server. */
export interface ListOptions {
  /** Items on a page. Default: all. */
  readonly pageSize?: number | undefined;
  /** How long and for whom a list may be cached. */
  readonly cache?: CacheHints | undefined;
  /** Whether lists may change while the server runs; clients are then notified. */
  readonly changing: boolean;
}

/** Resources, templates, prompts, completions, and the bytes of content. A server of tools alone is bundled without them. */
export interface OtherFeatures {
  /** The capabilities for the kinds that have or had entries. */
  capabilities(features: Features): ServerCapabilities;
  /** The handlers by method. */
  handlers(features: Features): readonly [string, MethodHandler][];
  /** Adds to the options of a server what judges the content that it receives. */
  judgingContent(
    options: ViewOptions & { readonly onWarning?: ((message: string) => unknown) | undefined },
  ): ViewOptions;
}

/** Tools, resources, templates and prompts, and the methods that serve them. */
export class Features {
  readonly tools: Listing<ToolEntry>;
  readonly resources: Listing<ResourceEntry>;
  readonly templates: Listing<TemplateEntry>;
  readonly prompts: Listing<PromptEntry>;
  readonly options: ListOptions;
  /** Absent in a server of tools alone. */
  readonly #others: OtherFeatures | undefined;
  readonly #changes: NotificationBus;
  /** Kinds that have changed in this turn: each is published once, at the end of the turn. */
  readonly #unpublished = new Set<string>();

  constructor(options: ListOptions, changes: NotificationBus, others: OtherFeatures | undefined) {
    const { pageSize, cache } = options;
    this.options = options;
    this.#others = others;
    this.#changes = changes;
    this.tools = new Listing("tools", pageSize, cache);
    this.resources = new Listing("resources", pageSize, cache);
    this.templates = new Listing("resourceTemplates", pageSize, cache);
    this.prompts = new Listing("prompts", pageSize, cache);
  }

  capabilities(): ServerCapabilities {
    return {
      ...(this.tools.wasFilled ? { tools: this.listCapability } : {}),
      ...this.#others?.capabilities(this),
    };
  }

  /** The capability of a list. */
  get listCapability(): { readonly listChanged?: true } {
    return this.options.changing ? { listChanged: true } : {};
  }

  /**
   * Remembers that a list has changed: clients are notified once for all changes of a turn.
   *
   * @returns whether the caller is to publish at the end of this turn
   */
  changed(kind: "tools" | "resources" | "templates" | "prompts"): boolean {
    const listing: Listing<Listed & never> = this[kind] as Listing<never>;
    listing.changed();
    if (!this.options.changing) return false;
    const isFirst = this.#unpublished.size === 0;
    this.#unpublished.add(kind === "templates" ? "resources" : kind);
    return isFirst;
  }

  /** Publishes the pending changes. A client that connects afterwards does not get them. */
  publish(): void {
    for (const kind of this.#unpublished) {
      // A bus may throw: the next call goes on with the others.
      this.#unpublished.delete(kind);
      this.#changes.publish({ method: `notifications/${kind}/list_changed` });
    }
  }

  /** The handlers by method. */
  handlers(): readonly [string, MethodHandler][] {
    return [
      ["tools/list", pagesOf(this.tools)],
      ["tools/call", (params: never, context) => callTool(this.tools, params, context)],
      ...(this.#others?.handlers(this) ?? []),
    ];
  }
}

/** The handler of the method that lists entries. */
export function pagesOf(listing: unknown): MethodHandler {
  return ({ cursor }: Params, context: RequestContext) => (listing as Listing<never>).page(cursor, context);
}
