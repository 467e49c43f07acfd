import type { RequestOptions } from "@mcpgen/protocol/model";
import { BoundedMap, invalid, isObject, McpError, messageOf, type Params, sortedText } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { ContractDrift, DriftClass, PinnedListName } from "../protocol/events.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { ResultCache } from "./cache.js";
import type { ClientProfile } from "./client-profile.js";
import type { Connection } from "./connection.js";
import type { Connections } from "./connections.js";
import type { Decoded } from "./decode.js";
import type { ListBounds, ListPart, ListResult } from "./lists.js";
import type { Called } from "./middleware.js";
import {
  type Attachment,
  attachModern,
  listKinds,
  type Notifications,
  type Subscriber,
} from "./subscriptions.js";

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

/** The members of entries that are compared, and the list that has the entries. */
const lists = {
  tools: { method: "tools/list", of: "tools", key: "name", schema: ["inputSchema", "outputSchema"] },
  prompts: { method: "prompts/list", of: "prompts", key: "name", schema: ["arguments"] },
  resources: { method: "resources/list", of: "resources", key: "uri", schema: ["mimeType"] },
  resourceTemplates: {
    method: "resources/templates/list",
    of: "resources",
    key: "uriTemplate",
    schema: ["mimeType"],
  },
} as const satisfies Record<PinnedListName, object>;

const listNames = Object.keys(lists) as PinnedListName[];

/** Why each class of drift matters, for people who decide whether to approve it. */
const reasons: Readonly<Record<DriftClass, string>> = {
  added: "the contract does not have it",
  removed: "the server does not list it any more",
  renamed: "it has another name",
  text: "its text changed, and a model follows that text as an instruction",
  schema: "its schema changed, and with it what is sent or returned",
  annotations: "its annotations changed, by which hosts decide whether to ask the user",
  instructions: "the instructions changed, and a model follows them",
  "list-unavailable": "the list cannot be read, so nothing of it is known to be approved",
};

type Entry = { readonly [member: string]: unknown };

/** The members of an entry, as text of each class. */
type Texts = { readonly [Class in "text" | "schema" | "annotations"]: string };

interface Drift {
  readonly classes: readonly DriftClass[];
  /** The other name, of a renamed entry. */
  readonly counterpart?: string | undefined;
}

/** A list compared with the contract. */
interface Verdict {
  readonly approved: ReadonlySet<unknown>;
  readonly drifts: ReadonlyMap<unknown, Drift>;
  /** The error of a list that could not be read. */
  readonly error?: unknown;
}

/** A list as read over one connection for one client. */
interface Reading {
  readonly connection: Connection;
  /** Absent while the list is read. */
  verdict?: Verdict;
  /** Whether the list has changed while it was read. */
  isStale: boolean;
  done: Promise<void>;
}

/** The part of a client that pins use. */
interface PinHost extends Subscriber {
  readonly connections: Connections;
  readonly notifications: Notifications;
  readonly cache: ResultCache;
  readonly profile: ClientProfile;
  readonly onWarning: (message: string) => void;
  withMeta(params: Params, view: RevisionView<"client">): Params;
  collect(method: string, options: ListBounds): Promise<ListResult<unknown>>;
  entry(method: string, name: string, options: RequestOptions): Promise<unknown>;
  listIn(result: Params, method: string): readonly unknown[];
}

/** An entry that a request uses. */
interface Target {
  readonly list: PinnedListName;
  readonly key: unknown;
}

/** A request of the application for a list, or for an entry of it. */
interface Listing extends Called {
  readonly part?: ListPart | "page";
}

/**
 * Compares the lists of a server with a contract: before a client is used, after each `list_changed`, and over each new connection.
 * The requests of the client pass through it after all middleware, so that they name what is sent.
 */
export class Pins {
  readonly #refuses: boolean;
  readonly #instructions: string;
  readonly #approved: Readonly<Record<PinnedListName, ReadonlyMap<unknown, Texts>>>;
  /** By list and by the client that the request states. */
  readonly #readings = new BoundedMap<string, Reading>({ count: 400, full: "evict" });
  /** Options of the requests that read lists for a comparison, and the entries that came. */
  readonly #own = new WeakMap<object, unknown[]>();
  /** The drifts that events have told. */
  readonly #told = new Set<string>();
  #watch: { readonly connection: Connection; readonly begun: Promise<void> } | undefined;
  #host!: PinHost;

  /** @throws {McpError} `invalid-definition`: a list of the contract is not one, or an entry has no name */
  constructor(contract: PinnedContract, onDrift: OnDrift = "refuse") {
    this.#refuses = onDrift === "refuse";
    this.#instructions = contract.instructions ?? "";
    const approved = (list: PinnedListName): ReadonlyMap<unknown, Texts> => {
      const entries: unknown = contract[list] ?? [];
      const { key } = lists[list];
      const isEntry = (entry: unknown): boolean => isObject(entry) && typeof entry[key] === "string";
      if (!Array.isArray(entries) || !entries.every(isEntry))
        throw invalid(`contract.${list}: expected a list of objects with ${key}.`);
      return new Map((entries as Entry[]).map((entry) => [entry[key], textsOf(list, entry)]));
    };
    this.#approved = Object.fromEntries(listNames.map((list) => [list, approved(list)])) as never;
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
    const { instructions } = standing.negotiated;
    const drifts = this.instructionsOf(instructions, true) === instructions ? [] : ["instructions" as const];
    this.#tell("instructions", new Map(drifts.map((each) => [undefined, { classes: [each] }])));
    await Promise.all(listNames.map((list) => this.read(standing, list)));
  }

  /** The instructions that the application gets: none if the contract has others. @param always also where drifts only warn */
  instructionsOf(live: string | undefined, always = false): string | undefined {
    return (always || this.#refuses) && (live ?? "") !== this.#instructions ? undefined : live;
  }

  /** The pinned entry that a request uses. @param isCall whether the method runs tools */
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
    const verdict = this.#verdictOf(connection, list, options);
    if (!this.#refuses) {
      if (!verdict) void this.read(connection, list, options);
      return true;
    }
    if (!verdict || (verdict.error !== undefined && !isFresh)) return false;
    if (verdict.approved.has(key)) return true;
    const isListed = list === "tools" || list === "prompts" || verdict.error !== undefined;
    const drift = verdict.drifts.get(key) ?? (isListed ? { classes: ["added"] as const } : undefined);
    if (!drift) return true;
    const { classes, counterpart } = verdict.error === undefined ? drift : unavailable;
    const name = typeof key === "string" ? key : undefined;
    throw new McpError("contract-drift", textOf(list, { classes, counterpart }, name), {
      data: { drift: classes, list, name, counterpart },
      cause: verdict.error,
    });
  }

  /** Reads a list and compares it. Waits for a reading that goes on, and does not reject. */
  read(connection: Connection, list: PinnedListName, options: RequestOptions = {}): Promise<void> {
    const key = readingKey(list, options);
    const current = this.#readings.get(key);
    if (current?.connection === connection && !current.verdict) return current.done;
    const reading: Reading = { connection, isStale: false, done: Promise.resolve() };
    this.#readings.set(key, reading);
    return (reading.done = this.#fill(reading, list, options));
  }

  /**
   * Runs a request, and leaves out of a list in its result what is not approved.
   *
   * @param wait waits within the limits of the request
   */
  async around(
    call: Listing,
    run: () => Promise<Decoded>,
    wait: (work: () => Promise<void>) => Promise<void>,
  ): Promise<Decoded> {
    const decoded = await run();
    const method = typeof call.part === "object" ? call.part.list : call.method;
    const list = listNames.find((each) => lists[each].method === method);
    const read = this.#own.get(call.given);
    if (!list || !(read ?? this.#refuses)) return decoded;
    const { result } = decoded;
    const items = this.#host.listIn(result, method);
    if (read) {
      for (const item of items) read.push(item);
      return decoded;
    }
    const { key } = lists[list];
    const { standing } = this.#host.connections;
    const isApproved = (item: unknown): boolean =>
      isObject(item) && classesOf(list, item, this.#approved[list].get(item[key]))?.length === 0;
    let approved: ReadonlySet<unknown> = none;
    const compared = async (): Promise<void> => {
      let verdict: Verdict | undefined;
      while (standing && !(verdict = this.#verdictOf(standing, list, call.given)))
        await this.read(standing, list, call.given);
      approved = verdict?.approved ?? none;
    };
    await wait(compared);
    const differs = (item: unknown): boolean => isApproved(item) !== approved.has((item as Entry)[key]);
    if (items.some(differs)) {
      this.#reread(list);
      await wait(compared);
    }
    const kept = items.filter((item) => isApproved(item) && approved.has((item as Entry)[key]));
    const member = Object.keys(result).find((name) => result[name] === items);
    return member === undefined ? decoded : { ...decoded, result: { ...result, [member]: kept } };
  }

  #verdictOf(connection: Connection, list: PinnedListName, options: RequestOptions): Verdict | undefined {
    const reading = this.#readings.get(readingKey(list, options));
    return reading?.connection === connection ? reading.verdict : undefined;
  }

  #changed(kind: string): void {
    const { standing } = this.#host.connections;
    for (const list of listNames.filter((each) => lists[each].of === kind)) {
      this.#reread(list);
      if (standing) void this.read(standing, list);
    }
  }

  /** Has each reading of a list repeated before the next request. */
  #reread(list: PinnedListName): void {
    for (const [key, reading] of [...this.#readings]) {
      if (!key.startsWith(`${list} `)) continue;
      reading.isStale = true;
      if (reading.verdict) this.#readings.delete(key);
    }
  }

  async #fill(reading: Reading, list: PinnedListName, options: RequestOptions): Promise<void> {
    const { connection } = reading;
    await this.#watched(connection);
    let verdict: Verdict;
    do {
      reading.isStale = false;
      verdict = await this.#compared(connection, list, options);
    } while (reading.isStale && !connection.over);
    reading.verdict = verdict;
    if (!connection.over) this.#tell(readingKey(list, options), verdict.drifts, list);
  }

  async #compared(
    { negotiated }: Connection,
    list: PinnedListName,
    { onBehalfOf }: RequestOptions,
  ): Promise<Verdict> {
    const { method, of, key } = lists[list];
    const approved = this.#approved[list];
    const read: unknown[] = [];
    const options: RequestOptions = { onBehalfOf };
    this.#own.set(options, read);
    const { cache, collect, entry } = this.#host;
    try {
      if (negotiated.capabilities[of]) {
        cache.clear();
        const { complete, references } = await collect(method, options);
        const keys = new Set(read.map((item) => (item as Entry)[key]));
        if (!complete || references.length > 0)
          for (const name of approved.keys())
            if (!keys.has(name)) await entry(method, name as string, options);
      }
    } catch (error) {
      // Many servers have resources, but do not have the method of templates.
      if (!(error instanceof McpError && error.rpcCode === rpc.methodNotFound))
        return { approved: none, drifts: new Map([[undefined, unavailable]]), error };
    }
    return compare(list, approved, read.filter(isObject));
  }

  /** Has the server notify of changes, where that takes a subscription (2026-07-28, subscriptions). */
  #watched(connection: Connection): Promise<void> {
    if (this.#watch?.connection !== connection)
      this.#watch = { connection, begun: this.#subscribed(connection) };
    return this.#watch.begun;
  }

  async #subscribed(connection: Connection): Promise<void> {
    const { view, capabilities } = connection.negotiated;
    const wanted = Object.fromEntries(
      listKinds.filter((kind) => capabilities[kind]?.listChanged).map((kind) => [kind, true]),
    );
    if (!view.table.outgoingRequests.has("subscriptions/listen") || Object.keys(wanted).length === 0) return;
    let attachment: Attachment;
    try {
      const host = this.#host;
      attachment = await attachModern({ ...host, client: host }, connection, wanted, () => {});
    } catch (error) {
      return this.#host.onWarning(`changes of the server's lists are not noticed: ${messageOf(error)}`);
    }
    // Without the stream, changes would be missed: the next request begins another, and reads its list again.
    void attachment.over.then(() => {
      if (this.#watch?.connection === connection) this.#watch = undefined;
      for (const list of listNames) this.#reread(list);
    });
  }

  /** Tells each drift once, and again when it comes back. */
  #tell(place: string, drifts: Verdict["drifts"], list?: PinnedListName): void {
    const found = new Set<string>();
    for (const [key, drift] of drifts) {
      const name = key as string | undefined;
      const mark = sortedText([place, name, drift]);
      found.add(mark);
      if (this.#told.has(mark)) continue;
      const message = textOf(list, drift, name);
      const { classes, counterpart } = drift;
      const event = { type: "contract-drift", drift: classes, list, name, counterpart } as const;
      this.#host.profile.hooks.emit({ ...event, refused: this.#refuses, message } satisfies ContractDrift);
    }
    const prefix = JSON.stringify([place]).slice(0, -1);
    for (const mark of this.#told) if (mark.startsWith(prefix) && !found.has(mark)) this.#told.delete(mark);
    for (const mark of found) this.#told.add(mark);
  }
}

const none: ReadonlySet<unknown> = new Set();

const unavailable: Drift = { classes: ["list-unavailable"] };

function readingKey(list: PinnedListName, { onBehalfOf }: RequestOptions): string {
  return `${list} ${onBehalfOf ? sortedText(onBehalfOf) : ""}`;
}

function textsOf(list: PinnedListName, entry: Entry): Texts {
  const { key, schema } = lists[list];
  const text = (...members: readonly string[]): string =>
    sortedText(members.map((member) => entry[member] ?? null));
  const { annotations } = entry;
  const { lastModified: _, ...kept } = isObject(annotations) ? annotations : {};
  return {
    text: key === "name" ? text("title", "description") : text("title", "description", "name"),
    schema: text(...schema),
    annotations: isObject(annotations) ? sortedText(kept) : text("annotations"),
  };
}

/** The classes in which an entry differs from the contract; `undefined` if the contract does not have it. */
function classesOf(list: PinnedListName, entry: Entry, pinned: Texts | undefined): DriftClass[] | undefined {
  if (!pinned) return undefined;
  const texts = textsOf(list, entry);
  return (["text", "schema", "annotations"] as const).filter((each) => texts[each] !== pinned[each]);
}

/** Compares all entries of a list. Of entries with one name, each must be as approved. */
function compare(list: PinnedListName, pinned: ReadonlyMap<unknown, Texts>, live: readonly Entry[]): Verdict {
  const { key } = lists[list];
  const approved = new Set<unknown>();
  const drifts = new Map<unknown, Drift>();
  const removed = new Map(pinned);
  const added = new Map<unknown, Texts>();
  for (const entry of live) {
    const name = entry[key];
    removed.delete(name);
    const classes = classesOf(list, entry, pinned.get(name));
    if (!classes) added.set(name, textsOf(list, entry));
    else if (classes.length === 0) approved.add(name);
    else drifts.set(name, { classes });
  }
  for (const name of drifts.keys()) approved.delete(name);
  for (const [name, { text, schema }] of removed) {
    const [other] = [...added].find(([, to]) => to.text === text && to.schema === schema) ?? [];
    drifts.set(name, renamedOr("removed", other as string | undefined));
    if (other === undefined) continue;
    drifts.set(other, renamedOr("added", name as string));
    added.delete(other);
  }
  for (const name of added.keys()) drifts.set(name, { classes: ["added"] });
  return { approved, drifts };
}

function renamedOr(otherwise: DriftClass, counterpart: string | undefined): Drift {
  return counterpart === undefined ? { classes: [otherwise] } : { classes: ["renamed"], counterpart };
}

function textOf(list: PinnedListName | undefined, { classes, counterpart }: Drift, name?: string): string {
  const what = [list, name === undefined ? undefined : JSON.stringify(name)].filter(Boolean).join(" ");
  const other = counterpart === undefined ? "" : ` (${JSON.stringify(counterpart)})`;
  const why = classes.map((each) => `${each}: ${reasons[each]}`).join("; ");
  return `${what ? `${what}: ` : ""}differs from the contract (${why}${other}). Compare them with mcpgen diff, and write the contract again to approve.`;
}
