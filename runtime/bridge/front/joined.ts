import { BoundedMap, invalidParams, isObject, McpError, messageOf, type Params } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { type HandlerContext, UriTemplate, resourceNotFound } from "@mcpgen/runtime";
import { type ListMethod, type Part, findInPages, keyOf, lists } from "./part.js";

/** URIs and templates whose server is remembered, for all principals, and their bytes. */
const room = { count: 100_000, bytes: 16 * 1_048_576, full: "evict" } as const;

interface Template {
  readonly part: Part;
  readonly principal: string;
  readonly template: UriTemplate | undefined;
}

/** A request of a client, and the server that answers it. */
export interface Routed {
  readonly part: Part;
  /** With the names that the server knows. */
  readonly params: Params;
}

/**
 * The servers behind a bridge as one: their lists, and which of them a request is for. Of one server without a prefix, everything
 * passes as it is.
 */
export class Joined {
  readonly parts: readonly Part[];
  readonly #isOne: boolean;
  /** The server of each listed URI, and of each template, by principal. The first server that lists one keeps it. */
  readonly #owners = new BoundedMap<string, Part>(room);
  /** The listed templates, by principal; `undefined` for one that does not determine its values. */
  readonly #templates = new BoundedMap<string, Template>(room);
  /** The servers whose results named a URI, by principal: what no server lists is read there. */
  readonly #named = new BoundedMap<string, Part>(room);

  constructor(parts: readonly Part[]) {
    this.parts = parts;
    this.#isOne = parts.length === 1 && parts[0]!.back.prefix === "";
  }

  /** A page of a list: one page of each server that has more. A server that does not answer in time is left out. */
  async list(method: ListMethod, params: Params, context: HandlerContext): Promise<Params> {
    if (this.#isOne) return this.parts[0]!.page(method, params, context);
    const { member, key, of } = lists[method];
    const wanted = this.#cursorsOf(params).filter(([part]) => part.offers(of));
    const { cursor: _, ...others } = params;
    const pages = await Promise.allSettled(
      wanted.map(([part, cursor]) =>
        part.jointPage(method, cursor === undefined ? others : { ...others, cursor }, context),
      ),
    );
    const failed = pages.find((page) => page.status === "rejected");
    if (failed && pages.every(({ status }) => status === "rejected")) throw failed.reason;
    const next: Record<string, string> = {};
    const entries = pages.flatMap((page, index) => {
      const [part] = wanted[index]!;
      part.isMissed = page.status === "rejected";
      if (page.status === "rejected") {
        this.#leaveOut(part, `${method}: ${messageOf(page.reason)}`);
        return [];
      }
      const { nextCursor } = page.value;
      if (typeof nextCursor === "string") next[part.back.name] = nextCursor;
      const all = page.value[member] as Params[];
      const kept = all.filter((entry) => this.#isKept(part, entry[key] as string, key, context));
      const taken = all.length - kept.length;
      if (taken > 0)
        this.#leaveOut(part, `${method}: other servers have ${taken} of its names or URIs already`);
      return kept;
    });
    return { [member]: entries, ...(Object.keys(next).length > 0 && { nextCursor: JSON.stringify(next) }) };
  }

  /** The server for a request, and the params that it understands. @throws {McpError} `method-not-found`, `invalid-params` */
  async route(method: string, params: Params, context: HandlerContext): Promise<Routed> {
    const [only] = this.parts as readonly [Part];
    if (this.#isOne) return { part: only, params };
    if (method === "tools/call") return this.#routedByName("tools/list", params, context);
    if (method === "prompts/get") return this.#routedByName("prompts/list", params, context);
    if (method === "resources/read")
      return { part: await this.ofUri(params["uri"] as string, context), params };
    if (method === "completion/complete") {
      const ref = params["ref"] as Params;
      if (ref["type"] === "ref/prompt") {
        const routed = await this.#routedByName("prompts/list", ref, context);
        return { part: routed.part, params: { ...params, ref: routed.params } };
      }
      const part = await this.#ownerOf(ref["uri"] as string, ["resources/templates/list"], context);
      if (part) return { part, params };
      throw invalidParams(`there is no resource template ${JSON.stringify(ref["uri"])}`);
    }
    if (this.parts.length === 1) return { part: only, params };
    const text = `${JSON.stringify(method)} does not show for which of several servers it is`;
    throw new McpError("method-not-found", text, { rpcCode: rpc.methodNotFound });
  }

  /** The server of the resource. @throws {McpError} `resource-not-found` */
  async ofUri(uri: string, context: HandlerContext): Promise<Part> {
    const [only, another] = this.parts as readonly [Part, Part | undefined];
    if (!another) return only;
    const part =
      (await this.#ownerOf(uri, ["resources/list", "resources/templates/list"], context)) ??
      this.#byTemplate(uri, context) ??
      this.#named.get(keyOf(uri, context));
    if (!part) throw resourceNotFound(uri, context);
    return part;
  }

  /** Remembers the server of resources that its result names: it need not list them. */
  learn({ part }: Routed, result: Params, context: HandlerContext): void {
    if (this.parts.length === 1) return;
    const { content, contents, messages } = result;
    const blocks = [content, contents, messages].flatMap((list: unknown) =>
      Array.isArray(list) ? list : [],
    );
    for (const each of blocks.map((block: unknown) =>
      isObject(block) ? (block["content"] ?? block) : block,
    ))
      for (const { uri } of isObject(each) ? [each, each["resource"]].filter(isObject) : [])
        if (typeof uri === "string") claim(this.#named, part, keyOf(uri, context));
  }

  async #routedByName(method: ListMethod, params: Params, context: HandlerContext): Promise<Routed> {
    const name = params["name"] as string;
    const part =
      this.parts.find((each) => each.owns(name)) ?? this.parts.find(({ back }) => back.prefix === "");
    if (part) return { part, params: { ...params, name: await part.nameOf(name, method, context) } };
    throw invalidParams(`there is no ${method === "tools/list" ? "tool" : "prompt"} ${JSON.stringify(name)}`);
  }

  /** The server that has a URI or a template; lists are read if it is not known. */
  async #ownerOf(
    uri: string,
    from: readonly ListMethod[],
    context: HandlerContext,
  ): Promise<Part | undefined> {
    const read = () => this.#owners.get(keyOf(uri, context));
    for (const method of from) {
      // A server that cannot be read has no entry.
      const found = await findInPages(read, (params) =>
        this.list(method, params, context).catch((): Params => ({})),
      );
      if (found) return found;
    }
    return undefined;
  }

  #byTemplate(uri: string, { session }: HandlerContext): Part | undefined {
    for (const [, { part, principal, template }] of this.#templates)
      if (principal === session.principal && template?.match(uri)) return part;
    return undefined;
  }

  /** The servers with a further page, and their cursors; all of them for the first page. */
  #cursorsOf({ cursor }: Params): readonly (readonly [Part, string | undefined])[] {
    if (cursor === undefined) return this.parts.map((part) => [part, undefined] as const);
    let given: unknown;
    try {
      given = JSON.parse(cursor as string);
    } catch {
      // The error below names it.
    }
    const all = isObject(given) ? Object.entries(given) : [];
    const known = all.flatMap(([name, value]) => {
      const part = this.parts.find(({ back }) => back.name === name);
      return part && typeof value === "string" ? [[part, value] as const] : [];
    });
    if (known.length === 0 || known.length < all.length)
      throw invalidParams("cursor: expected one that a page of this list gave");
    return known;
  }

  /** Whether an entry of a server is listed: no other server has its name or URI. */
  #isKept(part: Part, text: string, key: string, context: HandlerContext): boolean {
    if (key === "name") return part.back.prefix !== "" || !this.parts.some((each) => each.owns(text));
    const id = keyOf(text, context);
    if (!claim(this.#owners, part, id)) return false;
    const { principal } = context.session;
    if (key === "uriTemplate" && !this.#templates.get(id))
      this.#templates.set(id, { part, principal, template: templateOf(text) }, { bytes: 4 * id.length });
    return true;
  }

  #leaveOut({ back: { name, bridge } }: Part, message: string): void {
    bridge.onEvent?.({ type: "left-out", server: name, message });
  }
}

/** Makes a server the owner of a key, unless another one is. Returns whether it is the owner. */
function claim(owners: BoundedMap<string, Part>, part: Part, key: string): boolean {
  const owner = owners.get(key);
  if (!owner) owners.set(key, part, { bytes: key.length });
  return (owner ?? part) === part;
}

function templateOf(text: string): UriTemplate | undefined {
  try {
    const template = new UriTemplate(text);
    template.match("");
    return template;
  } catch {
    // It does not determine its values: the resource must be listed.
    return undefined;
  }
}
