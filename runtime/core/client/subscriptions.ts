import type { Clock } from "../time/clock.js";
import { attempts } from "../time/retry.js";
import type { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { type Names, requireKnown } from "../options/option-check.js";
import type { Connection, Connections } from "./connections.js";
import { limitExceeded } from "./client-profile.js";
import { subscriptionRetry } from "./retry-policy.js";

/** What a subscription covers. */
export interface SubscriptionRequest {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  /** The list of resources. */
  readonly resources?: boolean;
  /** URIs of resources whose contents to watch. */
  readonly uris?: readonly string[];
}

/** Something that changed, or may have changed while the connection was lost. */
export interface ChangeNotice {
  /** Method of the notification. */
  readonly method: string;
  readonly uri?: string;
  /** Parameters of a notification of an extension; after a lost connection, only the one that the filter names. */
  readonly params?: Params;
}

/**
 * Changes in the order of their arrival. The iteration ends when the server ends the subscription, and when the reader stops
 * (`break` in `for await`). If the connection is lost, the client subscribes again over a new one and gives one notice of
 * each thing the subscription covers. If no new connection can be made, the iteration fails.
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
  /** One for each thing that it covers: any may have changed while the connection was lost. */
  readonly possible: readonly ChangeNotice[];
  /** Resolves when the attachment ends: with the error, or with `undefined` after an orderly end. */
  readonly over: Promise<McpError | undefined>;
  /** Ends the attachment. Resolves when the server has been notified. */
  readonly detach: () => Promise<void>;
}

/** The dependencies of a subscription. */
export interface Subscribing {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly maxNotices: number;
  /** The members of a request that extensions add. */
  readonly added: readonly string[];
  /** Called when a subscription has more than `maxNotices`. */
  readonly onFull: () => void;
  /** Subscribes on one connection. */
  readonly attach: (
    connection: Connection,
    wanted: SubscriptionRequest,
    push: (notice: ChangeNotice) => void,
  ) => Promise<Attachment>;
}

/** @internal */
export async function subscribe(given: Subscribing, wanted: SubscriptionRequest): Promise<Subscription> {
  const added = Object.fromEntries(given.added.map((member) => [member, 0]));
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
    this.#queue = new NoticeQueue(given.maxNotices, given.onFull);
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
    const { connections, attach } = this.#given;
    const connection = await connections.open();
    return attach(connection, this.#wanted, (notice) => this.#queue.push(notice));
  }

  /** Subscribes again each time the connection is lost, until the subscription ends. */
  async #keep(): Promise<void> {
    const { clock } = this.#given;
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
    const { clock, connections } = this.#given;
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
    for await (const _ of attempts({ pauses, waitsFirst: true, clock, wakes })) {
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

/** Characters of the URIs and parameters of all waiting notices. */
const maxCharacters = 1_048_576;

/**
 * Notices that wait to be read, and readers that wait for notices. When the queue is full, a notice equal to a waiting one
 * is dropped. Any other notice ends the subscription, because the reader would miss it.
 */
class NoticeQueue implements AsyncIterator<ChangeNotice, undefined> {
  /** Ends the subscription, when a reader stops or the queue is full. */
  leave: () => Promise<void> = async () => this.end();
  readonly #notices: ChangeNotice[] = [];
  #readers: {
    resolve: (result: IteratorResult<ChangeNotice, undefined>) => void;
    reject: (error: Error) => void;
  }[] = [];
  #over: { readonly error?: Error } | undefined;
  #characters = 0;
  readonly #maxNotices: number;

  readonly #onFull: () => void;

  /**
   * @param maxNotices the most notices that may wait
   * @param onFull called when the queue is full and ends
   */
  constructor(maxNotices: number, onFull: () => void) {
    this.#maxNotices = maxNotices;
    this.#onFull = onFull;
  }

  push(notice: ChangeNotice): void {
    if (this.#over) return;
    const reader = this.#readers.shift();
    if (reader) return reader.resolve({ value: notice, done: false });
    const characters = charactersOf(notice);
    if (this.#notices.length < this.#maxNotices && this.#characters + characters <= maxCharacters) {
      this.#characters += characters;
      this.#notices.push(notice);
    } else if (!this.#notices.some((each) => isEqual(each, notice))) {
      const text = `more than ${this.#maxNotices} notices of a subscription wait to be read`;
      this.#onFull();
      this.fail(limitExceeded(text, "maxNotices", this.#maxNotices));
      void this.leave().catch(() => undefined);
    }
  }

  end(): void {
    this.#settle({});
  }

  fail(error: Error): void {
    this.#settle({ error });
  }

  next(): Promise<IteratorResult<ChangeNotice, undefined>> {
    const notice = this.#notices.shift();
    if (notice) {
      this.#characters -= charactersOf(notice);
      return Promise.resolve({ value: notice, done: false });
    }
    if (this.#over?.error) return Promise.reject(this.#over.error);
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** Called when a reader stops; ends the subscription. */
  async return(): Promise<IteratorResult<ChangeNotice, undefined>> {
    this.#notices.length = 0;
    await this.leave();
    return { value: undefined, done: true };
  }

  #settle(over: { readonly error?: Error }): void {
    if (this.#over) return;
    this.#over = over;
    for (const { resolve, reject } of this.#readers)
      if (over.error) reject(over.error);
      else resolve({ value: undefined, done: true });
    this.#readers = [];
  }
}

function charactersOf({ uri = "", params }: ChangeNotice): number {
  return uri.length + (params ? JSON.stringify(params).length : 0);
}

function isEqual(one: ChangeNotice, other: ChangeNotice): boolean {
  return one.method === other.method && one.uri === other.uri && one.params === other.params;
}
