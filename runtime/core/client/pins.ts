import type { OutgoingRequest, RequestOptions } from "@mcpgen/protocol/model";
import { BoundedMap, invalid, isObject, McpError, messageOf, sortedText } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { Drift, DriftClass, PinnedList } from "../protocol/events.js";
import { runsTools } from "../protocol/revision-view.js";
import { type Bounded, whileConnecting, withinBounds } from "./bounds.js";
import { type ResultCache, textOf } from "./cache.js";
import type { Connection } from "./connection.js";
import type { Decoded } from "./decode.js";
import type { ListPart } from "./lists.js";
import type { Called } from "./middleware.js";
import { attachModern, listKinds, type Subscriber, type Subscribing } from "./subscriptions.js";

/**
 * What a server offered when it was approved: a contract as `mcpgen capture` writes it, parsed from its JSON or YAML. A list that
 * it lacks is empty: nothing of it is approved.
 *
 * Compared are, as JSON whose keys have no order: of each entry `name`, `title` and `description` (`text`); `inputSchema` and
 * `outputSchema` of tools, `arguments` of prompts, `mimeType` of resources and templates (`schema`); `annotations`, but for
 * `lastModified`. Null counts as absent. `_meta`, `icons`, `size`, `execution` and members that no revision defines are not
 * compared. The live lists are those that this client gets, at its revision and for its capabilities.
 */
export interface PinnedContract extends Readonly<Partial<Record<PinnedList, readonly object[] | undefined>>> {
  readonly instructions?: string | undefined;
}

/** `refuse`: what drifts is not usable; `warn`: events alone. */
export type OnDrift = "refuse" | "warn";

/** Each list: its method and capability, and the member that identifies an entry. */
const lists = {
  tools: { method: "tools/list", of: "tools", key: "name" },
  prompts: { method: "prompts/list", of: "prompts", key: "name" },
  resources: { method: "resources/list", of: "resources", key: "uri" },
  resourceTemplates: { method: "resources/templates/list", of: "resources", key: "uriTemplate" },
} as const satisfies Record<PinnedList, object>;

const listNames = Object.keys(lists) as PinnedList[];

/** The classes of drift by members, and the members of all lists. */
const compared: readonly (readonly [DriftClass, readonly string[]])[] = [
  ["text", ["name", "title", "description"]],
  ["schema", ["inputSchema", "outputSchema", "arguments", "mimeType"]],
  ["annotations", ["annotations"]],
];

/** Why each class of drift matters, for people who decide whether to approve it. */
const reasons: Readonly<Record<DriftClass, string>> = {
  added: "the contract does not have it",
  removed: "the server no longer lists it",
  renamed: "it has another name",
  text: "its text changed, and a model follows that text as an instruction",
  schema: "its schema changed, and with it what is sent or returned",
  annotations: "its annotations changed, by which hosts decide whether to ask the user",
  instructions: "the instructions changed, and a model follows them",
  "list-unavailable": "the list cannot be read, so nothing of it is known to be approved",
};

type Entry = { readonly [member: string]: unknown };

/** The compared members of an entry as JSON, by class; `undefined` where they are nested too deeply. */
type Texts = readonly (string | undefined)[];

/** The drift of each entry that the server or the contract lists; `null` for an approved one. */
type Verdict = ReadonlyMap<unknown, Drift | null>;

/** Uses the verdict on a list, or the error of a list that cannot be read. */
type Use<T> = (verdict: Verdict, error: unknown) => T | Promise<T>;

/** A time in which changes of the lists are noticed: until the connection or the subscription ends. */
interface Watch {
  readonly connection: Connection;
  readonly begun: Promise<void>;
}

/** A list over one connection, for one client. */
interface Reading {
  readonly watch: Watch;
  /** Absent while the list is read. */
  verdict?: Verdict;
  /** The error of a list that cannot be read. */
  error?: unknown;
  /** Whether the list has changed since. */
  isStale: boolean;
  done: Promise<void>;
}

/** The part of a client that pins use. */
export interface PinHost extends Pick<Subscribing, "connections" | "profile" | "withMeta"> {
  readonly client: Subscriber & {
    readonly cache: ResultCache;
    items(method: string, options: RequestOptions): AsyncIterable<unknown>;
    entry(method: string, name: string, options: RequestOptions): Promise<unknown>;
  };
}

/** A request of the application. */
interface Request extends Called, Bounded {
  readonly part?: ListPart | "page";
}

/**
 * Compares the lists of a server with a contract: before a client is used, after each `list_changed`, and over each new connection.
 * The requests of the client pass through it after all middleware, so that it judges what is sent.
 */
export class Pins {
  readonly #host: PinHost;
  readonly #refuses: boolean;
  readonly #instructions: string;
  readonly #pinned: Readonly<Record<PinnedList, ReadonlyMap<unknown, Texts>>>;
  /** By list and by the client that the request states. */
  readonly #readings = new BoundedMap<string, Reading>({ count: 400, full: "evict" });
  /** The options of the requests that read lists for a comparison, and the entries that came. */
  readonly #own = new WeakMap<object, Entry[]>();
  /** The drifts of each list that events have reported. */
  readonly #reported = new Map<PinnedList | undefined, ReadonlySet<string>>();
  #watch: Watch | undefined;

  /** @throws {McpError} `invalid-definition`: a list of the contract is not one, or an entry has no name */
  constructor(host: PinHost, contract: PinnedContract, onDrift: OnDrift = "refuse") {
    this.#host = host;
    this.#refuses = onDrift === "refuse";
    this.#instructions = contract.instructions ?? "";
    this.#pinned = Object.fromEntries(listNames.map((list) => [list, pinned(list, contract)])) as never;
    for (const kind of listKinds)
      host.client.on(`notifications/${kind}/list_changed`, () => this.#changed(kind));
    host.profile.hooks.onEvent(({ type }) => {
      if (type === "connection-opened") void this.compare();
    });
  }

  /** Reads all lists over the current connection. Does not reject: a list that cannot be read is a drift. */
  async compare(): Promise<void> {
    const { standing } = this.#host.connections;
    if (!standing) return;
    const isOther = (standing.negotiated.instructions ?? "") !== this.#instructions;
    this.#report(undefined, isOther ? [{ drift: ["instructions"] }] : []);
    await Promise.all(listNames.map((list) => this.#read(standing, list)));
  }

  /** The instructions that the application gets: none where the contract has others. */
  instructionsOf(live: string | undefined): string | undefined {
    return this.#refuses && (live ?? "") !== this.#instructions ? undefined : live;
  }

  /**
   * Sends a request on a connection, unless it uses an entry that is not approved. Servers may have resources that they do not
   * list, and whose URIs come from tools and templates: those pass.
   */
  guarding(connection: Connection, call: Request, entry: OutgoingRequest): Pick<Connection, "request"> {
    const [list, key] = targetOf(call, entry);
    if (list && !this.#refuses) void this.#whenRead(connection, list, call, () => {}).catch(() => undefined);
    if (!list || !this.#refuses) return connection;
    const name = typeof key === "string" ? key : undefined;
    return {
      request: (sending) => {
        // A batch waits for its other messages, and the list may change meanwhile.
        sending.place?.leave();
        return this.#whenRead(connection, list, call, (verdict, cause) => {
          let drift = verdict.get(key);
          if (cause !== undefined) drift = { drift: ["list-unavailable"], list, name };
          else if (drift === undefined && lists[list].key === "name")
            drift = { drift: ["added"], list, name };
          if (drift) throw new McpError("contract-drift", messageOfDrift(drift), { data: drift, cause });
          return connection.request(sending);
        });
      },
    };
  }

  /** Leaves out of a list in a result what is not approved. */
  async judged(call: Request, answer: Promise<Decoded>): Promise<Decoded> {
    const decoded = await answer;
    const method = typeof call.part === "object" ? call.part.list : call.method;
    const list = listNames.find((each) => lists[each].method === method);
    const items = list && (decoded.result[list] as readonly Entry[] | undefined);
    if (!list || !items) return decoded;
    const own = this.#own.get(call.given);
    for (const item of own ? items : []) own!.push(item);
    if (own || !this.#refuses) return decoded;
    const connection = await this.#host.connections.open();
    return this.#whenRead(connection, list, call, (verdict) => {
      const { key, of } = lists[list];
      const isApproved = (item: Entry): boolean => verdict.get(item[key]) === null;
      const isPinned = (item: Entry): boolean =>
        classesOf(textsOf(list, item), this.#pinned[list].get(item[key])).length === 0;
      // The list has changed without a notification.
      if (items.some((item) => isPinned(item) !== isApproved(item))) this.#changed(of);
      const kept = items.filter((item) => isPinned(item) && isApproved(item));
      return { ...decoded, result: { ...decoded.result, [list]: kept } };
    });
  }

  /**
   * Judges a request by its list, at once if the list is known. The list is read again first, within the limits of the request,
   * if it has changed or could not be read, or if changes are not noticed.
   */
  async #whenRead<T>(connection: Connection, list: PinnedList, call: Request, use: Use<T>): Promise<T> {
    const { clock, timeouts } = this.#host.profile;
    for (let isFresh = false; !connection.over; isFresh = true) {
      const reading = this.#readings.get(readingKey(list, call.given));
      if (reading?.verdict && !reading.isStale && reading.watch.connection === connection) {
        const isSure = reading.error === undefined && reading.watch === this.#watch;
        if (isSure || isFresh) return use(reading.verdict, reading.error);
      }
      const read = (): Promise<void> => this.#read(connection, list, call.given);
      await withinBounds(whileConnecting(clock, timeouts, call), read);
    }
    throw connection.over;
  }

  /** Reads a list and compares it, or waits for a reading that goes on. Does not reject. */
  #read(connection: Connection, list: PinnedList, options: RequestOptions = {}): Promise<void> {
    const key = readingKey(list, options);
    const current = this.#readings.get(key);
    if (current?.watch.connection === connection && !current.verdict) return current.done;
    if (this.#watch?.connection !== connection)
      this.#watch = { connection, begun: this.#subscribed(connection) };
    const reading: Reading = { watch: this.#watch, isStale: false, done: Promise.resolve() };
    this.#readings.set(key, reading);
    return (reading.done = this.#fill(reading, list, options));
  }

  async #fill(reading: Reading, list: PinnedList, { onBehalfOf }: RequestOptions): Promise<void> {
    const { connection, begun } = reading.watch;
    await begun;
    let verdict: Verdict;
    do {
      reading.isStale = false;
      reading.error = undefined;
      const entries = await this.#entries(connection, list, { onBehalfOf }).catch((error: unknown) => {
        // Many servers have resources, but do not have the method of templates.
        if (!(error instanceof McpError && error.rpcCode === rpc.methodNotFound)) reading.error = error;
        return [];
      });
      verdict = compare(list, this.#pinned[list], entries);
    } while (reading.isStale && !connection.over);
    reading.verdict = verdict;
    const unavailable: Drift = { drift: ["list-unavailable"], list };
    const drifts = reading.error === undefined ? [...verdict.values()] : [unavailable];
    if (!connection.over) this.#report(list, drifts, !onBehalfOf);
  }

  /** The entries of a list, as the server sends them. @param options options that no other request has */
  async #entries({ negotiated }: Connection, list: PinnedList, options: RequestOptions): Promise<Entry[]> {
    const { method, of, key } = lists[list];
    const { client } = this.#host;
    const read: Entry[] = [];
    if (!negotiated.capabilities[of]) return read;
    this.#own.set(options, read);
    client.cache.clear();
    for await (const _ of client.items(method, options));
    // Revisions whose lists may leave entries out have a request for one entry.
    const { partial } = negotiated.view.table.outgoingRequests.get(method)?.page ?? {};
    const keys = new Set(read.map((item) => item[key]));
    for (const name of partial?.get ? this.#pinned[list].keys() : [])
      if (!keys.has(name)) await client.entry(method, name as string, options);
    return read;
  }

  /** Has each reading of the lists repeated before the next request. */
  #changed(kind: string): void {
    const { standing } = this.#host.connections;
    for (const list of listNames.filter((each) => lists[each].of === kind)) {
      for (const [key, reading] of this.#readings) if (key.startsWith(`${list} `)) reading.isStale = true;
      if (standing) void this.#read(standing, list);
    }
  }

  /** Has the server notify of changes, where that takes a subscription (2026-07-28, subscriptions). */
  async #subscribed(connection: Connection): Promise<void> {
    const { view, capabilities } = connection.negotiated;
    const kinds = listKinds.filter((kind) => capabilities[kind]?.listChanged);
    if (!view.table.outgoingRequests.has("subscriptions/listen") || kinds.length === 0) return;
    const wanted = Object.fromEntries(kinds.map((kind) => [kind, true]));
    try {
      const { over } = await attachModern(this.#host, connection, wanted, () => {});
      // Without the stream, changes would be missed: the next request begins another, and reads its list again.
      void over.then(() => {
        if (this.#watch?.connection === connection) this.#watch = undefined;
      });
    } catch (error) {
      const message = `changes of the server's lists are not noticed: ${messageOf(error)}`;
      this.#host.profile.hooks.emit({ type: "warning", message });
    }
  }

  /** Reports each drift once, and again when it comes back. @param isOwn whether the lists are those of the client itself */
  #report(list: PinnedList | undefined, drifts: readonly (Drift | null)[], isOwn = true): void {
    const earlier = this.#reported.get(list);
    const marks = new Map(drifts.flatMap((drift) => (drift ? [[sortedText(drift), drift]] : [])));
    if (isOwn) this.#reported.set(list, new Set(marks.keys()));
    for (const [mark, drift] of marks) {
      if (earlier?.has(mark)) continue;
      const message = messageOfDrift(drift);
      this.#host.profile.hooks.emit({ type: "contract-drift", ...drift, refused: this.#refuses, message });
    }
  }
}

function readingKey(list: PinnedList, { onBehalfOf }: RequestOptions): string {
  return `${list} ${onBehalfOf ? sortedText(onBehalfOf) : ""}`;
}

/** The list and the key of the entry that a request uses, if it uses one. */
function targetOf({ method, params, part }: Request, entry: OutgoingRequest): [PinnedList?, unknown?] {
  if (typeof part === "object") return [];
  if (runsTools(entry)) return ["tools", params["name"]];
  if (method === "prompts/get") return ["prompts", params["name"]];
  if (method === "resources/read" || method === "resources/subscribe") return ["resources", params["uri"]];
  const ref: unknown = method === "completion/complete" && params["ref"];
  if (!isObject(ref)) return [];
  return ref["type"] === "ref/prompt" ? ["prompts", ref["name"]] : ["resourceTemplates", ref["uri"]];
}

/** @throws {McpError} `invalid-definition` */
function pinned(list: PinnedList, contract: PinnedContract): ReadonlyMap<unknown, Texts> {
  const entries: unknown = contract[list] ?? [];
  const { key } = lists[list];
  const isEntry = (entry: unknown): boolean => isObject(entry) && typeof entry[key] === "string";
  if (!Array.isArray(entries) || !entries.every(isEntry))
    throw invalid(`contract.${list}: expected a list of objects with ${key}.`);
  return new Map((entries as Entry[]).map((entry) => [entry[key], textsOf(list, entry)]));
}

function textsOf(list: PinnedList, entry: Entry): Texts {
  const { lastModified: _, ...annotations } = (entry["annotations"] ?? {}) as Entry;
  // Without its key, because a renamed entry is found by the rest.
  const held: Entry = { ...entry, annotations, [lists[list].key]: null };
  const valuesOf = (members: readonly string[]): unknown[] => members.map((name) => held[name] ?? null);
  return compared.map(([, members]) => textOf(valuesOf(members), sortedText));
}

/** The classes in which an entry differs from the contract. */
function classesOf(live: Texts, approved: Texts | undefined): DriftClass[] {
  if (!approved) return ["added"];
  const isOther = (at: number): boolean => live[at] === undefined || live[at] !== approved[at];
  return compared.flatMap(([name], at) => (isOther(at) ? [name] : []));
}

/** Compares all entries of a list. Of entries with one name, each must be as approved. */
function compare(list: PinnedList, approved: ReadonlyMap<unknown, Texts>, live: readonly Entry[]): Verdict {
  const verdict = new Map<unknown, Drift | null>();
  // New entries by their text and schema.
  const added = new Map<string, string>();
  const markOf = ([text, schema]: Texts): string => JSON.stringify([text, schema]);
  const set = (name: string, drift: DriftClass[], counterpart?: string): unknown =>
    verdict.set(name, drift.length > 0 ? { drift, list, name, counterpart } : null);
  for (const entry of live) {
    const name = entry[lists[list].key] as string;
    const texts = textsOf(list, entry);
    if (!approved.has(name)) added.set(markOf(texts), name);
    if (!verdict.get(name)) set(name, classesOf(texts, approved.get(name)));
  }
  for (const [name, texts] of approved as ReadonlyMap<string, Texts>) {
    if (verdict.has(name)) continue;
    const other = added.get(markOf(texts));
    set(name, [other === undefined ? "removed" : "renamed"], other);
    if (other !== undefined) set(other, ["renamed"], name);
    added.delete(markOf(texts));
  }
  return verdict;
}

function messageOfDrift({ list, name, drift, counterpart }: Drift): string {
  const what = [list, name === undefined ? undefined : JSON.stringify(name)].filter(Boolean).join(" ");
  const other = counterpart === undefined ? "" : `, ${JSON.stringify(counterpart)}`;
  const why = drift.map((each) => `${each}: ${reasons[each]}${other}`).join("; ");
  return `${what || "the server"} differs from the contract: ${why}. See mcpgen diff; to approve, write the contract again.`;
}
