import { BoundedMap, isObject, type Params, weightOf } from "@mcpgen/base";
import type { Open } from "@mcpgen/protocol/open";
import type { HandlerContext } from "@mcpgen/runtime";
import { type BackServer, passes } from "../upstream/options.js";

type Described = Pick<Open<"Tool">, "inputSchema">;

/** Tools that the bridge remembers, for all principals, and their bytes. */
const room = { count: 10_000, bytes: 16 * 1_048_576, full: "evict" } as const;

/** Pages that are read to find a tool. */
const mostPages = 100;

/** The tools of the server behind a bridge: which of them pass, and the schemas by which headers of calls are judged. */
export class ToolsOfBack {
  readonly #passes: ((name: string) => boolean) | undefined;
  readonly #fetch: (params: Params, context: HandlerContext) => Promise<Params>;
  /** By principal and name: a server may show each its own. */
  readonly #known = new BoundedMap<string, Described>(room);

  /** @param fetch reads a page of the list, for the client of the context */
  constructor(back: BackServer, fetch: (params: Params, context: HandlerContext) => Promise<Params>) {
    this.#passes = passes(back);
    this.#fetch = fetch;
  }

  mayCall(name: string): boolean {
    return this.#passes?.(name) ?? true;
  }

  /** A page of the list, with its own cursor, and without the tools that may not pass. */
  async list(params: Params, context: HandlerContext): Promise<Params> {
    const page = await this.#fetch(params, context);
    const { tools } = page;
    if (!Array.isArray(tools)) return page;
    const named = tools.filter(
      (tool): tool is Open<"Tool"> => isObject(tool) && typeof tool["name"] === "string",
    );
    for (const { name, inputSchema } of named) {
      const bytes = weightOf(inputSchema, room.bytes) + name.length;
      const key = keyOf(name, context);
      this.#known.delete(key);
      this.#known.set(key, { inputSchema }, { bytes });
    }
    return this.#passes ? { ...page, tools: named.filter(({ name }) => this.mayCall(name)) } : page;
  }

  /** A tool, for the client of the context; the list is read if it has not been. */
  async describe(name: string, context: HandlerContext): Promise<Described | undefined> {
    if (!this.mayCall(name)) return undefined;
    const key = keyOf(name, context);
    let cursor: unknown;
    for (let pages = 0; pages < mostPages && !this.#known.get(key); pages++) {
      const page = await this.list(cursor === undefined ? {} : { cursor }, context);
      cursor = page["nextCursor"];
      if (typeof cursor !== "string") break;
    }
    return this.#known.get(key);
  }
}

function keyOf(name: string, { session }: HandlerContext): string {
  return JSON.stringify([session.principal, name]);
}
