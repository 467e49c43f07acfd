import { checkOptions, invalid, type Rules } from "@mcpgen/base";
import type { HandlerContext } from "./context.js";
import type { Listed, Listing } from "./listing.js";
import { type Kind, keyMembers } from "./definitions.js";
import type { DefinitionRules, UsedExtension } from "@mcpgen/protocol/model";
import type { Server } from "./server.js";

const kinds = Object.keys(keyMembers) as readonly Kind[];

/** One server in another. */
interface Mounted {
  /** The server that shows the offers. */
  readonly host: Offers;
  readonly guest: Offers;
  /** Text before names, with the separator. */
  readonly prefix: string;
}

/** The keys that one change adds, by server. */
type Claims = Map<Offers, Set<string>>;

/** The entries of a server, and the servers that also show them. An entry is immutable: a change replaces it. */
export class Offers {
  readonly extensions: readonly Pick<UsedExtension, "wrongMember">[];
  readonly #server: Server;
  /** Recomputes the methods of the server. */
  readonly #refresh: () => void;
  readonly #guests = new Set<Mounted>();
  readonly #hosts = new Set<Mounted>();
  /** Kinds that have changed in this turn: each is published once, at the end of the turn. */
  readonly #unpublished = new Set<string>();

  /** The members that extensions add to definitions, with their rules. */
  readonly added: DefinitionRules;

  /**
   * @param added rules of the members that extensions add to definitions
   * @param extensions the extensions of the server, which check members of their schemas
   */
  constructor(
    server: Server,
    refresh: () => void = () => {},
    added: DefinitionRules = {},
    extensions: Offers["extensions"] = [],
  ) {
    this.added = added;
    this.#server = server;
    this.#refresh = refresh;
    this.extensions = extensions;
  }

  /**
   * Adds an entry, or puts it in the place of another.
   *
   * @param old the key of the entry that it replaces
   * @throws {McpError} `invalid-definition`: the key is taken here or in a server that shows it; nothing is changed then
   */
  put(kind: Kind, key: string, entry: Listed, old?: string): void {
    this.#server.requireStore(JSON.stringify(key), entry.replay);
    this.#claim(kind, key, old, new Map());
    this.#place(kind, key, entry, old);
    this.changed(kind);
  }

  remove(kind: Kind, key: string): void {
    this.#drop(kind, key);
    this.changed(kind);
  }

  /** Notifies the clients, including clients of servers that show this one, that the list has changed. */
  changed(kind: Kind): void {
    this.#listing(kind).changed();
    if (this.#server.features.options.changing) {
      if (this.#unpublished.size === 0) this.#publishLater();
      this.#unpublished.add(kind === "templates" ? "resources" : kind);
    }
    this.#refresh();
    for (const { host } of this.#hosts) host.changed(kind);
  }

  /** Publishes at the end of this turn, or before an answer that is sent earlier. */
  #publishLater(): void {
    const publish = (this.#server.definition.publish = () => this.#publish());
    queueMicrotask(publish);
  }

  /**
   * Publishes what has changed in this turn. A client that connects afterwards does not get it. An exception of the bus
   * is only reported, because no request waits for it.
   */
  #publish(): void {
    const { definition } = this.#server;
    definition.publish = undefined;
    try {
      for (const kind of this.#unpublished) {
        // Deleted first: if the bus throws, the next call continues with the other kinds.
        this.#unpublished.delete(kind);
        this.#server.publish({ method: `notifications/${kind}/list_changed` });
      }
    } catch (error) {
      definition.hooks.emit({ type: "handler-error", error, method: "list_changed" });
      this.#publishLater();
    }
  }

  /** Notifies the clients of the servers that show this one that a resource has changed. */
  resourceUpdated(uri: string): void {
    for (const { host } of this.#hosts) host.#server.resourceUpdated(uri);
  }

  /**
   * Shows the entries of another server, and follows its changes.
   *
   * @throws {McpError} `invalid-definition`: an option is wrong, a key is taken, `guest` shows this server, or it is
   *   written for another revision
   */
  mount(guest: Offers, options: MountOptions): Mount {
    const mounted: Mounted = { host: this, guest, prefix: prefixOf(options) };
    this.#requireMountable(guest);
    const entries = guest.#all();
    const claims: Claims = new Map();
    for (const [kind, key] of entries) this.#claimIn(mounted, kind, key, undefined, claims);
    guest.#hosts.add(mounted);
    this.#guests.add(mounted);
    for (const [kind, key, entry] of entries) this.#placeIn(mounted, kind, key, entry);
    this.#changedFor(entries);
    return { unmount: () => this.#unmount(mounted) };
  }

  #unmount(mounted: Mounted): void {
    const { guest, prefix } = mounted;
    if (!this.#guests.delete(mounted)) return;
    guest.#hosts.delete(mounted);
    const entries = guest.#all();
    for (const [kind, key] of entries) this.#drop(kind, keyIn(kind, prefix, key));
    this.#changedFor(entries);
  }

  #requireMountable(guest: Offers): void {
    const name = guest.#name;
    if (guest.#isShownBy(this))
      throw invalid(`mount: ${name} shows ${this.#name} already. A server cannot show itself.`);
    const [own, other] = [this.#server.vocabulary, guest.#server.vocabulary];
    if (own !== other)
      throw invalid(
        `mount: the handlers of ${name} write revision ${other}, those of ${this.#name} revision ${own}. Pass both servers the same revisions.`,
      );
  }

  /** Whether this server is `server`, or `server` is shown in it. */
  #isShownBy(server: Offers): boolean {
    return this === server || [...this.#guests].some(({ guest }) => guest.#isShownBy(server));
  }

  #all(): (readonly [Kind, string, Listed])[] {
    return kinds.flatMap((kind) =>
      [...this.#listing(kind).entries].map(([key, entry]) => [kind, key, entry] as const),
    );
  }

  #changedFor(entries: readonly (readonly [Kind, ...unknown[]])[]): void {
    for (const kind of new Set(entries.map(([each]) => each))) this.changed(kind);
  }

  /**
   * Checks that a key is free, here and in the servers that show this one.
   *
   * @param from the origin of the key, for errors
   */
  #claim(kind: Kind, key: string, old: string | undefined, claims: Claims, from = ""): void {
    const claimed = claims.get(this) ?? new Set();
    claims.set(this, claimed);
    const id = `${kind} ${key}`;
    const advice =
      from === "" ? "Choose another name, or update the registration." : "Choose another prefix or name.";
    if ((key !== old && this.#listing(kind).entries.has(key)) || claimed.has(id))
      throw invalid(
        `${kind}: ${JSON.stringify(key)}${from} is registered already${this.#ownerOf(kind, key, from !== "")}. ${advice}`,
      );
    claimed.add(id);
    for (const mounted of this.#hosts) mounted.host.#claimIn(mounted, kind, key, old, claims);
  }

  /** @param key the key in the mounted server */
  #claimIn(mounted: Mounted, kind: Kind, key: string, old: string | undefined, claims: Claims): void {
    const { guest, prefix } = mounted;
    const from = ` (${JSON.stringify(key)} of the mounted server ${guest.#name})`;
    const oldKey = old === undefined ? undefined : keyIn(kind, prefix, old);
    this.#claim(kind, keyIn(kind, prefix, key), oldKey, claims, from);
  }

  /** Names the owner of a key, for errors. @param named whether to name this server */
  #ownerOf(kind: Kind, key: string, named: boolean): string {
    for (const { guest, prefix } of this.#guests)
      for (const each of guest.#listing(kind).entries.keys())
        if (keyIn(kind, prefix, each) === key)
          return `: ${JSON.stringify(each)} of the mounted server ${guest.#name}`;
    return named ? ` in the server ${this.#name}` : "";
  }

  #place(kind: Kind, key: string, entry: Listed, old: string | undefined): void {
    const { entries } = this.#listing(kind);
    if (old === undefined || old === key) entries.set(key, entry);
    else rename(entries, old, key, entry);
    for (const mounted of this.#hosts) mounted.host.#placeIn(mounted, kind, key, entry, old);
  }

  /** @param key the key in the mounted server */
  #placeIn({ prefix }: Mounted, kind: Kind, key: string, entry: Listed, old?: string): void {
    const oldKey = old === undefined ? undefined : keyIn(kind, prefix, old);
    this.#place(kind, keyIn(kind, prefix, key), entryIn(kind, prefix, entry), oldKey);
  }

  #drop(kind: Kind, key: string): void {
    this.#listing(kind).entries.delete(key);
    for (const { host, prefix } of this.#hosts) host.#drop(kind, keyIn(kind, prefix, key));
  }

  #listing(kind: Kind): Listing<Listed> {
    return this.#server.features[kind] as unknown as Listing<Listed>;
  }

  get #name(): string {
    return JSON.stringify(this.#server.definition.info.name);
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

/** How one server shows the tools and prompts of another. */
export interface MountOptions {
  /**
   * Text before the names of tools and prompts, without the separator: letters and digits of ASCII, `_`, `-` and `.`
   * (server features, tools, tool names). Default: the names stay as they are.
   */
  readonly prefix?: string;
  /** Stands between the prefix and the name. Default: `"_"`, which APIs of models accept. */
  readonly separator?: "_" | "-" | ".";
}

/** A server that another one shows. */
export interface Mount {
  /** Removes its tools, resources, templates and prompts from the other server. Running calls continue. */
  unmount(): void;
}

const rules: Rules<MountOptions> = { prefix: "string", separator: ["_", "-", "."] };

/** The longest name of a tool (server features, tools, tool names). */
const longestName = 128;

/**
 * The text before names, with the separator.
 *
 * @throws {McpError} `invalid-definition`
 */
export function prefixOf(options: MountOptions): string {
  checkOptions(options, rules, "mount: ");
  const { prefix, separator = "_" } = options;
  if (prefix === undefined) return "";
  if (/^[\w.-]+$/.test(prefix)) return prefix + separator;
  throw invalid(
    `mount: prefix: expected letters, digits, "_", "-" or ".", got ${JSON.stringify(prefix)}. Leave it out to keep the names.`,
  );
}

/**
 * The key of an entry in the server that shows it. URIs and templates stay as they are.
 *
 * @throws {McpError} `invalid-definition`: the name is too long
 */
export function keyIn(kind: Kind, prefix: string, key: string): string {
  if (keyMembers[kind] !== "name") return key;
  const name = prefix + key;
  if (prefix === "" || name.length <= longestName) return name;
  throw invalid(
    `${kind}: ${JSON.stringify(name)} has ${name.length} characters; a name has at most ${longestName}. Choose a shorter prefix.`,
  );
}

/** The entry in the server that shows it. `visible` gets the definition as its author wrote it. */
export function entryIn(kind: Kind, prefix: string, entry: Listed): Listed {
  const member = keyMembers[kind];
  if (prefix === "" || member !== "name") return entry;
  const { definition, visible } = entry;
  return {
    ...entry,
    definition: { ...definition, name: keyIn(kind, prefix, definition[member] as string) },
    visible: visible && ((_, context: HandlerContext) => visible(definition as never, context)),
  };
}
