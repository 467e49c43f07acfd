import { BoundedMap, isObject, type Params, weightOf, withTimeout } from "@mcpgen/base";
import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import type { HandlerContext } from "@mcpgen/runtime";
import { listMs } from "../upstream/notices.js";
import { type Back, passes } from "../upstream/options.js";
import { Pool } from "../upstream/pool.js";
import type { Relaying } from "../upstream/upstream.js";
import { jointName, maybeShortened } from "./names.js";

type Described = Pick<Open<"Tool">, "inputSchema">;

/** The lists of the protocol: the member with the entries, the member that identifies one, and the capability. */
export const lists = {
  "tools/list": { member: "tools", key: "name", of: "tools" },
  "prompts/list": { member: "prompts", key: "name", of: "prompts" },
  "resources/list": { member: "resources", key: "uri", of: "resources" },
  "resources/templates/list": { member: "resourceTemplates", key: "uriTemplate", of: "resources" },
} as const;

export type ListMethod = keyof typeof lists;

/** Entries that a part remembers, for all principals, and their bytes. */
const room = { count: 10_000, bytes: 16 * 1_048_576, full: "evict" } as const;

/** Pages that are read to find an entry. */
const mostPages = 100;

/** A server behind a bridge: which of its tools pass, the schemas by which headers of calls are judged, and its names. */
export class Part {
  readonly back: Back;
  readonly pool: Pool;
  /** Whether a list was sent without the entries of this server, as it was away. */
  isMissed = false;
  readonly #passes: ((name: string) => boolean) | undefined;
  /** Tools by principal and name: a server may show each its own. */
  readonly #tools = new BoundedMap<string, Described>(room);
  /** Names that were too long, by the name that clients see. */
  readonly #shortened = new BoundedMap<string, string>(room);

  constructor(back: Back) {
    this.back = back;
    this.pool = new Pool(back);
    this.#passes = passes(back);
  }

  mayCall(name: string): boolean {
    return this.#passes?.(name) ?? true;
  }

  /** Whether the server has what a capability declares; it may if it has never been reached. */
  offers(kind: keyof ServerCapabilities): boolean {
    const { capabilities } = this.pool.facts;
    return !capabilities || capabilities[kind] !== undefined;
  }

  /** Sends a request of a client on. */
  relay(method: string, params: Params, context: HandlerContext, how?: Relaying): Promise<Params> {
    return this.pool.run(params, context, (upstream, given) => upstream.request(method, given, context, how));
  }

  /** A page of a list, with the server's own names and cursor, and without the tools that may not pass. */
  async page(method: ListMethod, params: Params, context: HandlerContext, how?: Relaying): Promise<Params> {
    const page = await this.relay(method, params, context, how);
    const { tools } = page;
    if (method !== "tools/list" || !Array.isArray(tools)) return page;
    const named = tools.filter(
      (tool): tool is Open<"Tool"> => isObject(tool) && typeof tool["name"] === "string",
    );
    for (const { name, inputSchema } of named) {
      const bytes = weightOf(inputSchema, room.bytes) + name.length;
      const key = keyOf(name, context);
      this.#tools.delete(key);
      this.#tools.set(key, { inputSchema }, { bytes });
    }
    return this.#passes ? { ...page, tools: named.filter(({ name }) => this.mayCall(name)) } : page;
  }

  /** As `page`, where other servers wait: with the names that clients see. @throws if the server does not answer in time */
  async jointPage(method: ListMethod, params: Params, context: HandlerContext): Promise<Params> {
    const { member, key } = lists[method];
    const page = await withTimeout(listMs, this.page(method, params, context, { timeout: listMs }));
    if (!page) throw new Error(`no answer in ${listMs} ms`);
    const given: unknown = page[member];
    if (!Array.isArray(given)) throw new Error(`the result has no ${member}`);
    const entries = given.filter(
      (entry): entry is Params => isObject(entry) && typeof entry[key] === "string",
    );
    if (key !== "name") return { ...page, [member]: entries };
    const renamed = entries.map(async (entry) => ({
      ...entry,
      name: await this.#jointName(entry["name"] as string),
    }));
    return { ...page, [member]: await Promise.all(renamed) };
  }

  async #jointName(name: string): Promise<string> {
    const joint = await jointName(this.back.prefix, name);
    if (maybeShortened(joint)) this.#shortened.set(joint, name, { bytes: joint.length + name.length });
    return joint;
  }

  /** Whether a name that clients see begins with the prefix of this server. */
  owns(joint: string): boolean {
    const { prefix } = this.back;
    return prefix !== "" && joint.startsWith(`${prefix}_`);
  }

  /** The server's own name for one that clients see. */
  async nameOf(joint: string, method: ListMethod, context: HandlerContext): Promise<string> {
    const { prefix } = this.back;
    if (prefix === "") return joint;
    const read = () => this.#shortened.get(joint);
    const whole = maybeShortened(joint)
      ? await findInPages(read, (params) => this.jointPage(method, params, context))
      : undefined;
    return whole ?? joint.slice(prefix.length + 1);
  }

  /** A tool, for the client of the context; the list is read if it has not been. */
  async describe(name: string, context: HandlerContext): Promise<Described | undefined> {
    if (!this.mayCall(name)) return undefined;
    const key = keyOf(name, context);
    return findInPages(
      () => this.#tools.get(key),
      (params) => this.page("tools/list", params, context),
    );
  }
}

/** Reads pages of a list until one shows what is looked for. */
export async function findInPages<T>(
  read: () => T | undefined,
  fetch: (params: Params) => Promise<Params>,
): Promise<T | undefined> {
  let cursor: unknown;
  for (let pages = 0; pages < mostPages && read() === undefined; pages++) {
    const { nextCursor } = await fetch(cursor === undefined ? {} : { cursor });
    if (typeof nextCursor !== "string" || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return read();
}

/** The key of a name or a URI for the principal of a request. */
export function keyOf(name: string, { session }: HandlerContext): string {
  return JSON.stringify([session.principal, name]);
}
