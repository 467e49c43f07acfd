import type { IncomingNotification, RequestOptions } from "@mcpgen/protocol/model";
import { attempts, isObject, McpError, type Names, type Params, requireKnown, weightOf } from "@mcpgen/base";
import { metaKeys } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { unbounded } from "./bounds.js";
import type { ResultCache } from "./cache.js";
import { type ClientProfile, limitExceeded } from "./client-profile.js";
import type { Connection } from "./connection.js";
import type { Connections } from "./connections.js";
import { invalidResult, remoteError } from "./decode.js";
import type { NotificationListener, OriginatingRequest } from "./middleware.js";
import type { Questions } from "./questions.js";
import { subscriptionRetry } from "./retry-policy.js";

/** The notifications of the server, and their listeners. A listener that throws does not stop the messages after it. */
export class Notifications {
  readonly #byMethod = new Map<string, Set<NotificationListener>>();
  readonly #cache: ResultCache;
  readonly #questions: Questions;

  /** @param questions reports exceptions of listeners */
  constructor(cache: ResultCache, questions: Questions) {
    this.#cache = cache;
    this.#questions = questions;
  }

  /**
   * @param method `*` for all methods
   * @returns a function that removes the listener
   */
  add(method: string, listener: NotificationListener): () => void {
    const listeners = this.#byMethod.get(method) ?? new Set();
    this.#byMethod.set(method, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Passes a notification to its listeners. Drops a malformed one. */
  received(view: RevisionView<"client">, method: string, params: Params, request?: OriginatingRequest): void {
    const entry = view.table.incomingNotifications.get(method);
    const message = { jsonrpc: "2.0", method, params };
    if (!entry || entry.accepts(message)) return this.#deliver(view, entry, message, request);
    void this.#questions.hooked
      .readNulls(entry, message, method)
      .then((mended) => entry.accepts(mended) && this.#deliver(view, entry, mended, request))
      .catch(() => undefined);
  }

  /** Returns the options with listeners that never throw. */
  guard(options: RequestOptions): RequestOptions {
    const { onProgress, onDisconnect } = options;
    let guarded = options;
    // One after the other, so that options share hidden classes.
    if (onProgress)
      guarded = {
        ...guarded,
        onProgress: (given) => this.attempt("notifications/progress", () => onProgress(given)),
      };
    if (onDisconnect)
      guarded = {
        ...guarded,
        onDisconnect: (given) => this.attempt("onDisconnect", () => onDisconnect(given)),
      };
    return guarded;
  }

  /** Calls a listener, and reports its exception or rejection. */
  attempt(method: string, call: () => unknown): void {
    const failed = (error: unknown): void => this.#questions.report(error, method);
    try {
      const returned = call();
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #deliver(
    view: RevisionView<"client">,
    entry: IncomingNotification | undefined,
    { method, params }: { readonly method: string; readonly params: Params },
    request: OriginatingRequest | undefined,
  ): void {
    let lifted = params;
    try {
      if (entry) lifted = view.lift("incomingNotifications", method, params);
    } catch (error) {
      return this.#questions.report(error, method);
    }
    if (entry) this.#cache.invalidate(entry, lifted, view.table.outgoingRequests);
    for (const key of [method, "*"])
      for (const listener of this.#byMethod.get(key) ?? [])
        this.attempt(method, () => listener(lifted, method, request));
  }
}

/** The changes that a subscription covers. */
export interface SubscriptionRequest {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  /** The list of resources. */
  readonly resources?: boolean;
  /** URIs of resources whose contents to watch. */
  readonly uris?: readonly string[];
}

/** A change, or a possible change while the connection was lost. */
export interface ChangeNotice {
  /** Method of the notification. */
  readonly method: string;
  readonly uri?: string;
  /** Parameters of an extension's notification; after a lost connection, only the parameter that the filter names. */
  readonly params?: Params;
}

/**
 * Changes in the order of their arrival. The iteration ends when the server ends the subscription, and when the reader
 * stops (`break` in `for await`). If the connection is lost, the client subscribes again over a new one and yields one
 * notice for each part of the subscription. If no new connection can be made, the iteration fails.
 */
export interface Subscription extends AsyncIterable<ChangeNotice> {
  /** The part of the request that the server accepted. */
  readonly honoured: SubscriptionRequest;
  close(): Promise<void>;
}

const known: Names<SubscriptionRequest> = { tools: 0, prompts: 0, resources: 0, uris: 0 };

/** The lists that a subscription may cover. */
export const listKinds = ["tools", "prompts", "resources"] as const;

export type ListKind = (typeof listKinds)[number];

/** A subscription's part on one connection. */
export interface Attachment {
  readonly honoured: SubscriptionRequest;
  /** One notice for each part that it covers: each may have changed while the connection was lost. */
  readonly possible: readonly ChangeNotice[];
  /** Resolves when the attachment ends: with the error, or with `undefined` after an orderly end. */
  readonly over: Promise<McpError | undefined>;
  /** Ends the attachment. Resolves when the server has been notified. */
  readonly detach: () => Promise<void>;
}

/** The client of a subscription. */
export interface Subscriber {
  on(method: string, listener: NotificationListener): () => void;
  request(method: string, params: object): Promise<unknown>;
}

/**
 * Subscribes on one connection in the legacy era; `runtime/core/legacy/client` has it.
 *
 * @param push gets the notices
 */
export type LegacyAttach = (
  client: Subscriber,
  connection: Connection,
  wanted: SubscriptionRequest,
  push: (notice: ChangeNotice) => void,
) => Promise<Attachment>;

/** The dependencies of a subscription. */
export interface Subscribing {
  readonly client: Subscriber;
  readonly connections: Connections;
  readonly profile: ClientProfile;
  readonly maxNotices: number;
  /** The revisions that the client knows: their extensions add members to the request. */
  readonly known: readonly RevisionView<"client">[];
  /** Adds the `_meta` of the revision. */
  readonly withMeta: (params: Params, view: RevisionView<"client">) => Params;
  /** For revisions without a listening stream; absent if the client has none of them. */
  readonly attachLegacy: LegacyAttach | undefined;
}

/** @internal */
export async function subscribe(given: Subscribing, wanted: SubscriptionRequest): Promise<Subscription> {
  const added = Object.fromEntries(addedMembers(given.known).map((member) => [member, 0]));
  requireKnown(wanted, { ...known, ...added });
  const subscription = new LastingSubscription(given, wanted);
  await subscription.begin();
  return subscription;
}

class LastingSubscription implements Subscription {
  readonly #given: Subscribing;
  readonly #wanted: SubscriptionRequest;
  readonly #queue: NoticeQueue;
  #attachment!: Attachment;
  #attempts = 0;
  #closed = false;
  /** Ends the pause before an attempt. */
  #wake: () => void = () => {};

  constructor(given: Subscribing, wanted: SubscriptionRequest) {
    this.#given = given;
    this.#wanted = wanted;
    const { maxNotices, profile } = given;
    const onFull = (): void => profile.hooks.emit({ type: "limit-hit", limit: "limits.maxNotices" });
    this.#queue = new NoticeQueue(maxNotices, onFull);
  }

  get honoured(): SubscriptionRequest {
    return this.#attachment.honoured;
  }

  [Symbol.asyncIterator](): NoticeQueue {
    return this.#queue;
  }

  async begin(): Promise<void> {
    this.#attachment = await this.#attach();
    this.#queue.leave = () => this.close();
    void this.#keep();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    this.#queue.end();
    await this.#attachment.detach();
  }

  async #attach(): Promise<Attachment> {
    const { connections, client, attachLegacy } = this.#given;
    const connection = await connections.open();
    const push = (notice: ChangeNotice): void => this.#queue.push(notice);
    return attachLegacy && !connection.negotiated.view.table.outgoingRequests.has(listen)
      ? attachLegacy(client, connection, this.#wanted, push)
      : attachModern(this.#given, connection, this.#wanted, push);
  }

  /** Subscribes again each time the connection is lost, until the subscription ends. */
  async #keep(): Promise<void> {
    const { clock } = this.#given.profile;
    for (;;) {
      const began = clock.now();
      const why = await this.#attachment.over;
      if (!why || this.#closed) return this.#queue.end();
      if (clock.now() - began >= subscriptionRetry.steadyMs) this.#attempts = 0;
      try {
        this.#attachment = await this.#again(why);
      } catch (error) {
        return this.#queue.fail(error as Error);
      }
      if (this.#closed) return void this.#attachment.detach().catch(() => undefined);
      for (const notice of this.#attachment.possible) this.#queue.push(notice);
    }
  }

  /** @throws {McpError} the last error, when no further attempt is made */
  async #again(lost: McpError): Promise<Attachment> {
    const { connections, profile } = this.#given;
    let why: unknown = lost;
    const pauses = (): number | undefined =>
      subscriptionRetry.when(why) && connections.renewable
        ? subscriptionRetry.pauses[this.#attempts++]
        : undefined;
    const untilClosed = (wake: () => void): (() => void) => {
      this.#wake = wake;
      return () => void (this.#wake = () => {});
    };
    const wakes = [(wake: () => void) => connections.whenStopped(wake), untilClosed];
    for await (const _ of attempts({ pauses, waitsFirst: true, clock: profile.clock, wakes })) {
      if (!connections.renewable || this.#closed) break;
      try {
        return await this.#attach();
      } catch (error) {
        why = error;
      }
    }
    throw why;
  }
}

type Read = IteratorResult<ChangeNotice, undefined>;

/** Bytes of all waiting notices, about. */
const maxBytes = 2 * 1_048_576;

/**
 * Notices that wait to be read, and readers that wait for notices. When the queue is full, a notice equal to a waiting one
 * is dropped. Any other notice ends the subscription, because the reader would miss it.
 */
class NoticeQueue implements AsyncIterator<ChangeNotice, undefined> {
  /** Ends the subscription, when a reader stops or the queue is full. */
  leave: () => Promise<void> = async () => this.end();
  readonly #notices: ChangeNotice[] = [];
  #readers: ((read: Read | Promise<never>) => void)[] = [];
  /** The result of reads after the end of the subscription. */
  #over: (() => Read | Promise<never>) | undefined;
  #bytes = 0;
  readonly #maxNotices: number;

  readonly #onFull: () => void;

  /**
   * @param maxNotices maximum number of waiting notices
   * @param onFull called when the queue is full and ends
   */
  constructor(maxNotices: number, onFull: () => void) {
    this.#maxNotices = maxNotices;
    this.#onFull = onFull;
  }

  push(notice: ChangeNotice): void {
    if (this.#over) return;
    const reader = this.#readers.shift();
    if (reader) return reader({ value: notice, done: false });
    const bytes = weightOf(notice, maxBytes);
    if (this.#notices.length < this.#maxNotices && this.#bytes + bytes <= maxBytes) {
      this.#bytes += bytes;
      this.#notices.push(notice);
    } else if (!this.#notices.some((each) => isEqual(each, notice))) {
      const text = `more than ${this.#maxNotices} notices of a subscription wait to be read`;
      this.#onFull();
      this.fail(limitExceeded(text, "maxNotices", this.#maxNotices));
      void this.leave().catch(() => undefined);
    }
  }

  end(): void {
    this.#settle(() => ({ value: undefined, done: true }));
  }

  fail(error: Error): void {
    this.#settle(() => Promise.reject(error));
  }

  async next(): Promise<Read> {
    const notice = this.#notices.shift();
    if (!notice) return this.#over ? this.#over() : new Promise((resolve) => this.#readers.push(resolve));
    this.#bytes -= weightOf(notice, maxBytes);
    return { value: notice, done: false };
  }

  /** Called when a reader stops; ends the subscription. */
  async return(): Promise<Read> {
    this.#notices.length = 0;
    await this.leave();
    return { value: undefined, done: true };
  }

  #settle(over: () => Read | Promise<never>): void {
    if (this.#over) return;
    this.#over = over;
    for (const reader of this.#readers.splice(0)) reader(over());
  }
}

function isEqual(one: ChangeNotice, other: ChangeNotice): boolean {
  return one.method === other.method && one.uri === other.uri && one.params === other.params;
}

/** The member of a request that asks for each notification of the protocol. */
const memberOf: { readonly [method: string]: keyof SubscriptionRequest } = {
  "notifications/tools/list_changed": "tools",
  "notifications/prompts/list_changed": "prompts",
  "notifications/resources/list_changed": "resources",
  "notifications/resources/updated": "uris",
};

const listen = "subscriptions/listen";

/**
 * Subscribes in the modern era: one `subscriptions/listen`, whose answer ends the subscription (2026-07-28,
 * subscriptions).
 */
export async function attachModern(
  { client, profile, withMeta }: Pick<Subscribing, "client" | "profile" | "withMeta">,
  connection: Connection,
  wanted: SubscriptionRequest,
  push: (notice: ChangeNotice) => void,
): Promise<Attachment> {
  const { view } = connection.negotiated;
  const ended = new AbortController();
  let acknowledge: (filter: Params) => void = () => {};
  const acknowledged = new Promise<Params>((resolve) => (acknowledge = resolve));
  let own: number | undefined;
  const off = client.on("*", (params, method) => {
    if (params._meta?.[metaKeys.subscriptionId] !== own) return;
    if (method !== "notifications/subscriptions/acknowledged") return push(noticeOf(method, params));
    const filter = params["notifications"];
    acknowledge(isObject(filter) ? filter : {});
  });
  const asked = { notifications: filterOf(wanted as Params, view) };
  const options = { ...unbounded, signal: ended.signal };
  const answer = connection.exchange(view, listen, asked, options, (given, id) => {
    own = id;
    return withMeta(view.lower("outgoingRequests", listen, given), view);
  });
  const over = answer.then(
    (response) => (response.error ? remoteError(listen, response, undefined, view) : undefined),
    (error: Error) => {
      const reason: unknown = ended.signal.aborted ? ended.signal.reason : error;
      return reason instanceof McpError ? reason : undefined;
    },
  );
  void over.then(off);
  const { clock, timeouts } = profile;
  const timer = clock.schedule(() => ended.abort(unacknowledged(timeouts.timeout)), timeouts.timeout);
  const first = await Promise.race([acknowledged, over.then(() => undefined)]);
  clock.clear(timer);
  if (first === undefined)
    throw (await over) ?? invalidResult(listen, "the server ended the subscription without acknowledging it");
  const detach = async (): Promise<void> => {
    ended.abort();
    await over;
  };
  const honoured = requestOf(first, view);
  return { honoured, possible: possible(honoured, view), over, detach };
}

function unacknowledged(timeout: number): McpError {
  return new McpError("timeout", `subscriptions/listen: no acknowledgement for ${timeout} ms`, {
    data: { timer: "timeout", limit: timeout, elapsed: timeout },
  });
}

/** A notification that a subscription may select (2026-07-28, subscriptions). */
interface Selectable {
  readonly method: string;
  /** The member of the request that asks for it; for an extension, the member of the filter. */
  readonly asked: string;
  readonly filter: string;
  readonly filterKey: string | undefined;
}

function selectable({ table }: RevisionView<"client">): Selectable[] {
  return [...table.incomingNotifications].flatMap(([method, { filter, filterKey }]) =>
    filter === undefined ? [] : [{ method, asked: memberOf[method] ?? filter, filter, filterKey }],
  );
}

/** The members that extensions add to `SubscriptionRequest`. */
function addedMembers(views: readonly RevisionView<"client">[]): string[] {
  return views.flatMap((view) =>
    selectable(view).flatMap(({ method, asked }) => (Object.hasOwn(memberOf, method) ? [] : [asked])),
  );
}

function filterOf(wanted: Params, view: RevisionView<"client">): Params {
  const members = selectable(view).filter(({ asked }) => wanted[asked]);
  return Object.fromEntries(members.map(({ asked, filter }) => [filter, wanted[asked]]));
}

function requestOf(given: Params, view: RevisionView<"client">): SubscriptionRequest {
  const members = selectable(view).filter(({ filter, filterKey }) =>
    filterKey === undefined ? given[filter] === true : Array.isArray(given[filter]),
  );
  return Object.fromEntries(members.map(({ asked, filter }) => [asked, given[filter]]));
}

/** Notices of everything that may have changed while the connection was lost. */
export function possible(honoured: SubscriptionRequest, view?: RevisionView<"client">): ChangeNotice[] {
  const lists = listKinds.filter((kind) => honoured[kind]);
  const added = view ? selectable(view).filter(({ method }) => !Object.hasOwn(memberOf, method)) : [];
  return [
    ...lists.map((kind) => ({ method: `notifications/${kind}/list_changed` })),
    ...(honoured.uris ?? []).map((uri) => ({ method: "notifications/resources/updated", uri })),
    ...added.flatMap(({ method, asked, filterKey }): ChangeNotice[] => {
      const value = (honoured as Params)[asked];
      if (filterKey === undefined) return value === true ? [{ method }] : [];
      return ((value ?? []) as unknown[]).map((key) => ({ method, params: { [filterKey]: key } }));
    }),
  ];
}

function noticeOf(method: string, params: Params): ChangeNotice {
  if (!Object.hasOwn(memberOf, method)) return { method, params };
  return isObject(params) && typeof params["uri"] === "string" ? { method, uri: params["uri"] } : { method };
}
