import type { RequestOptions } from "@mcpgen/protocol/model";
import { BoundedMap, invalid, isObject, McpError, messageOf, type Params, sortedText } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { Drift, DriftClass, PinnedList } from "../protocol/events.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { type ResultCache, textOf } from "./cache.js";
import type { ClientProfile } from "./client-profile.js";
import type { Connection } from "./connection.js";
import type { Connections } from "./connections.js";
import type { Decoded } from "./decode.js";
import type { ListPart, ListResult } from "./lists.js";
import type { Called } from "./middleware.js";
import { type Attachment, attachModern, listKinds, type Notifications } from "./subscriptions.js";

/**
 * What a server offered when it was approved: a contract as `mcpgen capture` writes it, parsed from its JSON or YAML. A list that
 * it lacks is empty: nothing of it is approved.
 *
 * Compared are, as JSON whose keys have no order: of each entry `title` and `description`, and the `name` of resources and
 * templates (`text`); `inputSchema` and `outputSchema` of tools, `arguments` of prompts, `mimeType` of resources and templates
 * (`schema`); `annotations`, but for `lastModified`. Null counts as absent. `_meta`, `icons`, `size`, `execution` and members that
 * no revision defines are not compared. The live lists are those that this client gets, at its revision and for its capabilities.
 */
export interface PinnedContract {
  readonly instructions?: string | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly prompts?: readonly object[] | undefined;
  readonly resources?: readonly object[] | undefined;
  readonly resourceTemplates?: readonly object[] | undefined;
}

/** `refuse`: what drifts is not usable; `warn`: events alone. */
export type OnDrift = "refuse" | "warn";

/** Each list: its method and capability, the member that identifies an entry, and the members that are compared. */
const lists = {
  tools: {
    method: "tools/list",
    of: "tools",
    key: "name",
    text: ["title", "description"],
    schema: ["inputSchema", "outputSchema"],
  },
  prompts: {
    method: "prompts/list",
    of: "prompts",
    key: "name",
    text: ["title", "description"],
    schema: ["arguments"],
  },
  resources: {
    method: "resources/list",
    of: "resources",
    key: "uri",
    text: ["name", "title", "description"],
    schema: ["mimeType"],
  },
  resourceTemplates: {
    method: "resources/templates/list",
    of: "resources",
    key: "uriTemplate",
    text: ["name", "title", "description"],
    schema: ["mimeType"],
  },
} as const satisfies Record<PinnedList, object>;

const listNames = Object.keys(lists) as PinnedList[];

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

const compared = ["text", "schema", "annotations"] as const;

/** The compared members of an entry, as text; `undefined` where they are nested too deeply. */
type Texts = { readonly [Class in (typeof compared)[number]]: string | undefined };

/** A list over one connection, for one client. */
interface Reading {
  readonly connection: Connection;
  /** The drift of each entry, `undefined` for an approved one. Absent while the list is read. */
  verdict?: ReadonlyMap<unknown, Drift | undefined>;
  /** The error of a list that cannot be read. */
  error?: unknown;
  /** Whether the list has changed while it was read. */
  isStale: boolean;
  /** Whether each request reads the list again: it could not be read, or its changes are not noticed. */
  isUnsure: boolean;
  done: Promise<void>;
}

/** The part of a client that pins use. */
interface PinHost {
  readonly connections: Connections;
  readonly notifications: Notifications;
  readonly cache: ResultCache;
  readonly profile: ClientProfile;
  readonly onWarning: (message: string) => void;
  withMeta(params: Params, view: RevisionView<"client">): Params;
  collect(method: string, options: RequestOptions): Promise<ListResult<unknown>>;
  entry(method: string, name: string, options: RequestOptions): Promise<unknown>;
  listIn(result: Params, method: string): readonly unknown[];
}

/** An entry that a request uses. */
interface Target {
  readonly list: PinnedList;
  readonly key: unknown;
}

/** A request of the application. */
interface Request extends Called {
  readonly part?: ListPart | "page";
}

/**
 * Compares the lists of a server with a contract: before a client is used, after each `list_changed`, and over each new connection.
 * The requests of the client pass through it after all middleware, so that it judges what is sent.
 */
export class Pins {
  readonly #refuses: boolean;
  readonly #instructions: string;
  readonly #pinned: Readonly<Record<PinnedList, ReadonlyMap<unknown, Texts>>>;
  /** By list and by the client that the request states. */
  readonly #readings = new BoundedMap<string, Reading>({ count: 400, full: "evict" });
  /** The options of the requests that read lists for a comparison, and the entries that came. */
  readonly #own = new WeakMap<object, unknown[]>();
  /** The drifts that events have reported. */
  readonly #reported = new Set<string>();
  #watch: { readonly connection: Connection; readonly begun: Promise<void> } | undefined;
  #host!: PinHost;

  /** @throws {McpError} `invalid-definition`: a list of the contract is not one, or an entry has no name */
  constructor(contract: PinnedContract, onDrift: OnDrift = "refuse") {
    this.#refuses = onDrift === "refuse";
    this.#instructions = contract.instructions ?? "";
    this.#pinned = Object.fromEntries(listNames.map((list) => [list, pinned(list, contract)])) as never;
  }

  /** Called once, before the client connects. */
  attach(host: PinHost): void {
    this.#host = host;
    for (const kind of listKinds)
      host.notifications.add(`notifications/${kind}/list_changed`, () => this.#changed(kind));
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
    await Promise.all(listNames.map((list) => this.read(standing, list)));
  }

  /** The instructions that the application gets: none where the contract has others. */
  instructionsOf(live: string | undefined): string | undefined {
    return this.#refuses && (live ?? "") !== this.#instructions ? undefined : live;
  }

  /** The entry that a request uses. @param isCall whether the method runs tools */
  targetOf(method: string, params: Params, isCall: boolean): Target | undefined {
    if (isCall) return { list: "tools", key: params["name"] };
    if (method === "prompts/get") return { list: "prompts", key: params["name"] };
    if (method === "resources/read" || method === "resources/subscribe")
      return { list: "resources", key: params["uri"] };
    const ref: unknown = method === "completion/complete" && params["ref"];
    if (!isObject(ref)) return undefined;
    return ref["type"] === "ref/prompt"
      ? { list: "prompts", key: ref["name"] }
      : { list: "resourceTemplates", key: ref["uri"] };
  }

  /**
   * Whether a request may be sent now: `false` if the list must be read before. Servers may have resources that they do not list, and
   * whose URIs come from tools and templates: those pass.
   *
   * @param isFresh whether the list was read for this request
   * @throws {McpError} `contract-drift`
   */
  permits({ list, key }: Target, connection: Connection, options: RequestOptions, isFresh: boolean): boolean {
    const reading = this.#readingOf(connection, list, options);
    const verdict = isFresh || !reading?.isUnsure ? reading?.verdict : undefined;
    if (!this.#refuses && !verdict) void this.read(connection, list, options);
    if (!this.#refuses || !verdict) return !this.#refuses;
    const name = typeof key === "string" ? key : undefined;
    const { error: cause } = reading!;
    let drift = verdict.get(key);
    if (cause !== undefined) drift = { drift: ["list-unavailable"], list, name };
    else if (!verdict.has(key) && lists[list].key === "name") drift = { drift: ["added"], list, name };
    if (drift) throw new McpError("contract-drift", messageOfDrift(drift), { data: drift, cause });
    return true;
  }

  /** Reads a list and compares it, or waits for a reading that goes on. Does not reject. */
  read(connection: Connection, list: PinnedList, options: RequestOptions = {}): Promise<void> {
    const current = this.#readingOf(connection, list, options);
    if (current && !current.verdict) return current.done;
    const reading: Reading = { connection, isStale: false, isUnsure: false, done: Promise.resolve() };
    this.#readings.set(readingKey(list, options), reading);
    return (reading.done = this.#fill(reading, list, options));
  }

  /**
   * Runs a request, and leaves out of a list in its result what is not approved.
   *
   * @param wait waits within the limits of the request
   */
  async around(
    call: Request,
    run: () => Promise<Decoded>,
    wait: (work: () => Promise<void>) => Promise<void>,
  ): Promise<Decoded> {
    const decoded = await run();
    const { result } = decoded;
    const method = typeof call.part === "object" ? call.part.list : call.method;
    const list = listNames.find((each) => lists[each].method === method);
    const own = this.#own.get(call.given);
    if (!list || !(own ?? this.#refuses)) return decoded;
    const items = this.#host.listIn(result, method) as readonly Entry[];
    if (own) {
      for (const item of items) own.push(item);
      return decoded;
    }
    const { key, of } = lists[list];
    const { standing } = this.#host.connections;
    const verdict = (): Reading["verdict"] =>
      standing && this.#readingOf(standing, list, call.given)?.verdict;
    if (standing)
      await wait(async () => {
        while (!verdict()) await this.read(standing, list, call.given);
      });
    const isPinned = (item: Entry): boolean =>
      classesOf(list, item, this.#pinned[list].get(item[key])).length === 0;
    const isApproved = (item: Entry): boolean =>
      verdict()?.has(item[key]) === true && !verdict()!.get(item[key]);
    const kept = items.filter((item) => isPinned(item) && isApproved(item));
    // The list has changed without a notification.
    if (items.some((item) => isPinned(item) !== isApproved(item))) this.#changed(of);
    const member = Object.keys(result).find((name) => result[name] === items);
    return member === undefined ? decoded : { ...decoded, result: { ...result, [member]: kept } };
  }

  #readingOf(connection: Connection, list: PinnedList, options: RequestOptions): Reading | undefined {
    const reading = this.#readings.get(readingKey(list, options));
    return reading?.connection === connection ? reading : undefined;
  }

  #changed(kind: string): void {
    const { standing } = this.#host.connections;
    for (const list of listNames.filter((each) => lists[each].of === kind)) {
      this.#reread(list, "isStale");
      if (standing) void this.read(standing, list);
    }
  }

  /** Has each reading of a list repeated before the next request. @param mark for readings that go on */
  #reread(list: PinnedList, mark: "isStale" | "isUnsure"): void {
    for (const [key, reading] of [...this.#readings]) {
      if (!key.startsWith(`${list} `)) continue;
      reading[mark] = true;
      if (reading.verdict) this.#readings.delete(key);
    }
  }

  async #fill(reading: Reading, list: PinnedList, options: RequestOptions): Promise<void> {
    const { connection } = reading;
    if (this.#watch?.connection !== connection)
      this.#watch = { connection, begun: this.#subscribed(connection) };
    await this.#watch.begun;
    let verdict: Reading["verdict"];
    do {
      reading.isStale = false;
      reading.error = undefined;
      try {
        verdict = compare(list, this.#pinned[list], await this.#live(connection, list, options));
      } catch (error) {
        reading.error = error;
      }
    } while (reading.isStale && !connection.over);
    const isRead = reading.error === undefined;
    reading.verdict = isRead ? verdict! : new Map();
    reading.isUnsure ||= !isRead;
    const drifts = isRead ? [...verdict!.values()] : [{ drift: ["list-unavailable"] as const, list }];
    if (!connection.over) this.#report(list, drifts, !options.onBehalfOf);
  }

  /** The entries of a list, as the server sends them. */
  async #live(
    { negotiated }: Connection,
    list: PinnedList,
    { onBehalfOf }: RequestOptions,
  ): Promise<readonly Entry[]> {
    const { method, of, key } = lists[list];
    const { cache, collect, entry } = this.#host;
    const read: Entry[] = [];
    const options: RequestOptions = { onBehalfOf };
    this.#own.set(options, read);
    try {
      if (!negotiated.capabilities[of]) return read;
      cache.clear();
      const { complete, references } = await collect(method, options);
      const keys = new Set(read.map((item) => item[key]));
      for (const name of complete && references.length === 0 ? [] : this.#pinned[list].keys())
        if (!keys.has(name)) await entry(method, name as string, options);
    } catch (error) {
      // Many servers have resources, but do not have the method of templates.
      if (!(error instanceof McpError && error.rpcCode === rpc.methodNotFound)) throw error;
    }
    return read;
  }

  /** Has the server notify of changes, where that takes a subscription (2026-07-28, subscriptions). */
  async #subscribed(connection: Connection): Promise<void> {
    const { view, capabilities } = connection.negotiated;
    const kinds = listKinds.filter((kind) => capabilities[kind]?.listChanged);
    if (!view.table.outgoingRequests.has("subscriptions/listen") || kinds.length === 0) return;
    const wanted = Object.fromEntries(kinds.map((kind) => [kind, true]));
    const client = {
      on: this.#host.notifications.add.bind(this.#host.notifications),
    };
    let attachment: Attachment;
    try {
      attachment = await attachModern({ ...this.#host, client }, connection, wanted, () => {});
    } catch (error) {
      return this.#host.onWarning(`changes of the server's lists are not noticed: ${messageOf(error)}`);
    }
    // Without the stream, changes would be missed: the next request begins another, and reads its list again.
    void attachment.over.then(() => {
      if (this.#watch?.connection === connection) this.#watch = undefined;
      for (const list of listNames) this.#reread(list, "isUnsure");
    });
  }

  /** Reports each drift once, and again when it comes back. @param isOwn whether the lists are those of the client itself */
  #report(list: PinnedList | undefined, drifts: readonly (Drift | undefined)[], isOwn = true): void {
    const found = new Map(drifts.flatMap((drift) => (drift ? [[sortedText([list, drift]), drift]] : [])));
    const prefix = sortedText([list]).slice(0, -1);
    for (const mark of isOwn ? this.#reported : [])
      if (mark.startsWith(prefix) && !found.has(mark)) this.#reported.delete(mark);
    const { emit } = this.#host.profile.hooks;
    for (const [mark, drift] of found) {
      const isReported = this.#reported.has(mark);
      this.#reported.add(mark);
      const message = messageOfDrift(drift);
      if (!isReported) emit({ type: "contract-drift", ...drift, refused: this.#refuses, message });
    }
  }
}

function readingKey(list: PinnedList, { onBehalfOf }: RequestOptions): string {
  return `${list} ${onBehalfOf ? sortedText(onBehalfOf) : ""}`;
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
  const { text, schema } = lists[list];
  const members = (names: readonly string[]): unknown[] => names.map((name) => entry[name] ?? null);
  const { lastModified: _, ...annotations } = (entry["annotations"] ?? {}) as Entry;
  return {
    text: textOf(members(text), sortedText),
    schema: textOf(members(schema), sortedText),
    annotations: textOf(annotations, sortedText),
  };
}

/** The classes in which an entry differs from the contract. */
function classesOf(list: PinnedList, entry: Entry, approved: Texts | undefined): DriftClass[] {
  if (!approved) return ["added"];
  const texts = textsOf(list, entry);
  return compared.filter((each) => texts[each] === undefined || texts[each] !== approved[each]);
}

/** Compares all entries of a list. Of entries with one name, each must be as approved. */
function compare(
  list: PinnedList,
  approved: ReadonlyMap<unknown, Texts>,
  live: readonly Entry[],
): ReadonlyMap<unknown, Drift | undefined> {
  const verdict = new Map<unknown, Drift | undefined>();
  const added = new Map<string, Texts>();
  const set = (name: string, drift: DriftClass, counterpart?: string): unknown =>
    verdict.set(name, { drift: [drift], list, name, counterpart });
  for (const entry of live) {
    const name = entry[lists[list].key] as string;
    const drift = classesOf(list, entry, approved.get(name));
    if (!approved.has(name)) added.set(name, textsOf(list, entry));
    if (!verdict.get(name)) verdict.set(name, drift.length > 0 ? { drift, list, name } : undefined);
  }
  for (const [name, { text, schema }] of approved as ReadonlyMap<string, Texts>) {
    if (verdict.has(name)) continue;
    const [other] = [...added].find(([, to]) => to.text === text && to.schema === schema) ?? [];
    set(name, other === undefined ? "removed" : "renamed", other);
    if (other === undefined) continue;
    set(other, "renamed", name);
    added.delete(other);
  }
  return verdict;
}

function messageOfDrift({ list, name, drift, counterpart }: Drift): string {
  const what = [list, name === undefined ? undefined : JSON.stringify(name)].filter(Boolean).join(" ");
  const other = counterpart === undefined ? "" : `, ${JSON.stringify(counterpart)}`;
  const why = drift.map((each) => `${each}: ${reasons[each]}${other}`).join("; ");
  return `${what || "the server"} differs from the contract: ${why}. See mcpgen diff; to approve, write the contract again.`;
}
