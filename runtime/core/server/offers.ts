import { McpError } from "../jsonrpc/errors.js";
import type { Features, Listed, Listing } from "./listing.js";

/** What a server offers: tools, resources, templates of resources, prompts. */
export type Kind = "tools" | "resources" | "templates" | "prompts";

/** The member of a definition that is its key. */
export const keyMembers = {
  tools: "name",
  resources: "uri",
  templates: "uriTemplate",
  prompts: "name",
} as const;

/** The entries of a server that is defined in code. An entry is never changed: another one takes its place. */
export class Offers {
  readonly #features: Features;
  /** Recomputes the methods of the server. */
  readonly #refresh: () => void;

  constructor(features: Features, refresh: () => void) {
    this.#features = features;
    this.#refresh = refresh;
  }

  /**
   * Adds an entry, or puts it in the place of another.
   *
   * @param old the key of the entry that it replaces
   * @throws {McpError} `invalid-definition`: the key is taken; nothing is changed then
   */
  put(kind: Kind, key: string, entry: Listed, old?: string): void {
    const { entries } = this.#listing(kind);
    if (key !== old && entries.has(key)) throw taken(kind, key);
    if (old === undefined || old === key) entries.set(key, entry);
    else rename(entries, old, key, entry);
    this.changed(kind);
  }

  remove(kind: Kind, key: string): void {
    this.#listing(kind).entries.delete(key);
    this.changed(kind);
  }

  /** Notifies clients that the list has changed. */
  changed(kind: Kind): void {
    this.#features.changed(kind);
    this.#refresh();
  }

  #listing(kind: Kind): Listing<Listed> {
    return this.#features[kind] as unknown as Listing<Listed>;
  }
}

/** Replaces an entry by one with another key at the same position: the first template that matches is read. */
function rename(entries: Map<string, Listed>, old: string, key: string, entry: Listed): void {
  const all = [...entries];
  entries.clear();
  for (const [each, found] of all)
    if (each === old) entries.set(key, entry);
    else entries.set(each, found);
}

function taken(kind: Kind, key: string): McpError {
  return new McpError(
    "invalid-definition",
    `${kind}: ${JSON.stringify(key)} is registered already. Choose another name, or update the registration.`,
  );
}
