import {
  afterTurn,
  type Clock,
  errorText,
  isPromise,
  type McpError,
  rateLimitedCode,
  type RequestId,
  type ServerChannel,
  isProduction,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { ServerConnection } from "../../server/connection.js";
import { type Accepted, corsHeaders, mergeHeaders, replyDenial } from "../../http/server/access.js";
import {
  type Awaited,
  type Streams,
  eventHeaders,
  eventText,
  randomText,
} from "../../http/server/event-streams.js";
import {
  type EventSink,
  type Exchange,
  jsonHeaders,
  maxWaitingBytes,
  retryHeaders,
  tooManyRequests,
} from "../../http/server/exchange.js";
import type { HttpCounts } from "../../http/server/http-stats.js";
import { type EndpointQuotas, maxSessionRequests } from "../../http/server/limits.js";
import type { ResponseForm } from "../../http/server/posts.js";
import type { EventStore, MissedEvents } from "./event-store.js";
import type { StreamExpiry } from "./stream-expiry.js";

/** Milliseconds that a client waits before it reconnects to a lost stream. */
const retryMs = 1000;

/** An event without data: it gives the client an id to resume from and the time to wait before it reconnects. */
function primingText(id: string): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

/** 128 random bits (2025-11-25, session management). */
export function sessionId(): string {
  // A copy: `randomText` returns a part of a longer text, which each session would keep in memory.
  return JSON.parse(JSON.stringify(randomText(16))) as string;
}

/** Objects and settings that all sessions of an endpoint share. */
export interface SessionEnvironment {
  readonly events: EventStore;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly expiry: StreamExpiry;
  readonly quotas: EndpointQuotas;
  readonly counts: HttpCounts;
  /** Reports a failure of the event store that no response carries. */
  readonly warn: (error: unknown) => void;
}

/** The environment with further shared functions. */
export interface SharedEnvironment extends SessionEnvironment {
  /** Reserves bytes for a session; `false` if the limit is reached. */
  readonly reserve: (session: HttpSession, bytes: number) => boolean;
  /** Stores a session that other processes may continue. @throws {McpError} `store-failed` */
  readonly store: (session: HttpSession) => Promise<void>;
  /** Whether only the ids keep what changes in a session. */
  readonly seals: boolean;
  /** Whether another process may continue the sessions after this one has closed. */
  readonly survive: boolean;
  /** The name of this process among those that may continue the sessions. */
  readonly node: string | undefined;
}

/** Limit of a session's listening streams without a connection. They can be resumed. */
const maxOrphanedStreams = 4;
/** Limit of a session's listening streams with a connection. */
const maxConnectedStreams = 8;

/** The reason why a POST is refused. */
export interface ClusterRefusal {
  readonly status: 400 | 503;
  readonly error: McpError;
}

/** One session that this process shares with other processes. */
export interface ClusterSession {
  /** The id of a request to the client, which names this process. */
  requestId(number: number): RequestId;
  /** Whether this process notifies the client of changes. Each process gets each change, but only one may notify. */
  hears(): boolean;
  /** The name of a stream, which names this process. @param ids of the requests that the stream answers */
  streamName(name: string, ids: readonly RequestId[] | undefined): string;
  /** Announces that clients may use the session, so that other processes may refer to it. */
  opened(): void;
  /** Reads the log level and the subscriptions that other processes have stored. Does not fail. */
  read(): Promise<void>;
  /** Announces that the client listens here: all processes then send their messages outside of requests here. */
  listens(): void;
  /** Sends a message to the process at which the client listens. Returns `false` if too many wait. */
  pass(text: string): boolean;
  /**
   * Passes messages on to the processes that wait for them.
   *
   * @param reply called when all are passed on, or with the refusal if that fails
   * @returns `false` if no process waits for them; `reply` is then not called
   */
  forward(messages: readonly unknown[], reply: (refusal?: ClusterRefusal) => void): boolean;
  /**
   * Continues a stream of requests that another process runs, or that has ended. The caller continues a GET stream itself
   * (`listens`).
   *
   * @param last the event that the client names
   */
  follow(exchange: Exchange, missed: MissedEvents, last: string): "followed" | "listens";
  /** Announces that the log level or the subscriptions have changed. @throws {McpError} `store-failed` */
  saved(): Promise<void>;
  /** Announces that the session has ended in this process. */
  left(): void;
}

/** One session of a legacy client, from `initialize` to its end. Chooses the stream for each message. */
export class HttpSession implements ServerChannel {
  id: string;
  /** The owner; requests of other principals get 404. */
  readonly principal: string;
  connection!: ServerConnection;
  /** The session's connection to other processes, in a cluster. */
  declare peer?: ClusterSession | undefined;
  /** The handshake is complete: clients may use the session. */
  isOpen = false;
  /** By the endpoint's clock. */
  created: number;
  /** Time of the last use, by the endpoint's clock. */
  lastSeen: number;
  readonly #environment: SharedEnvironment;
  /** The streams of running requests. */
  #answering: SessionStream[] | undefined;
  #listening: SessionStream[] | undefined;
  #streams = 0;
  /** Bytes that are reserved for the session. */
  reserved = 0;
  /** Called when the last running request is answered. */
  whenAnswered: (() => void) | undefined;
  /** Called with the function that sends the response to `initialize`. */
  whenOpening: ((send: () => void) => void) | undefined;

  get hidesErrors(): boolean {
    return isProduction();
  }

  /** Whether its id holds its data, which then cannot change. */
  get isSealed(): boolean {
    return this.isOpen && this.#environment.seals;
  }

  get node(): string | undefined {
    return this.#environment.node;
  }

  constructor(id: string, principal: string, environment: SharedEnvironment) {
    this.id = id;
    this.principal = principal;
    this.#environment = environment;
    this.created = this.lastSeen = environment.clock.now();
  }

  /** Whether a stream begins with an event that has an id and no data (2025-11-25, sending messages). */
  get primes(): boolean {
    return this.connection.session?.revision.table.priming === true;
  }

  get quotas(): EndpointQuotas {
    return this.#environment.quotas;
  }

  get expiry(): StreamExpiry {
    return this.#environment.expiry;
  }

  get warn(): (error: unknown) => void {
    return this.#environment.warn;
  }

  get isAnswering(): boolean {
    return this.#answering !== undefined;
  }

  /** Running requests, with or without a connected client. */
  get requests(): number {
    let requests = 0;
    for (const { ids } of this.#answering ?? none) requests += ids!.length;
    return requests;
  }

  /** Whether the session may run this many more requests. */
  takes(requests: number): boolean {
    return this.requests + requests <= maxSessionRequests;
  }

  /** Whether a client is connected to any stream or awaits a response. */
  get hasClient(): boolean {
    for (const stream of this.#answering ?? none) if (stream.hasClient) return true;
    return this.#listening?.some(({ connected }) => connected) ?? false;
  }

  /** Whether the principal may open no more listening streams. */
  get streamLimitReached(): boolean {
    return this.#environment.streams.isFull(this.principal);
  }

  /** Records that the session is in use. */
  touch(): void {
    this.lastSeen = this.#environment.clock.now();
  }

  /** @param ids the ids of the requests that the stream answers */
  nextStream(ids?: readonly RequestId[]): string {
    const name = (this.#streams++).toString(36);
    return this.peer?.streamName(name, ids) ?? name;
  }

  /** Avoids stream names that another process has used. */
  renameStreams(): void {
    // Below 2^30, V8 stores a small integer, and enough names remain for the streams of this process.
    this.#streams = crypto.getRandomValues(new Uint32Array(1))[0]! >>> 2;
  }

  /** Registers a stream that answers requests. Call it before the requests run. */
  expect(stream: SessionStream): void {
    if (this.#answering) this.#answering.push(stream);
    else this.#answering = [stream];
  }

  /** Adds a listening stream. Messages that belong to no request go to the newest connected one. */
  listen(stream: SessionStream): void {
    this.evictOldestStream();
    const orphaned = this.#listening?.filter((each) => !each.connected) ?? none;
    const kept =
      orphaned.length >= maxOrphanedStreams ? without(this.#listening, orphaned[0]!) : this.#listening;
    // Not with `push`: a growing array reserves room for 17 streams, and most sessions have one.
    this.#listening = kept ? [...kept, stream] : [stream];
    this.peer?.listens();
  }

  /** Whether there is a listening stream, connected or not. */
  get listens(): boolean {
    return this.#listening !== undefined;
  }

  /** Disconnects the oldest listening stream at the limit: a client with dead connections can still open one. */
  evictOldestStream(): void {
    const connected = this.#listening?.filter((each) => each.connected) ?? [];
    if (connected.length >= maxConnectedStreams) connected[0]!.disconnect();
  }

  streamOf(id: RequestId | undefined): SessionStream | undefined {
    if (id === undefined) return undefined;
    return this.#answering?.find(({ ids }) => ids!.includes(id));
  }

  named(name: string): SessionStream | undefined {
    return [...(this.#answering ?? none), ...(this.#listening ?? none)].find(
      (stream) => stream.name === name,
    );
  }

  ended(stream: SessionStream): void {
    if (stream.ids) this.#answering = without(this.#answering, stream);
    else this.#listening = without(this.#listening, stream);
    if (!this.isAnswering) this.whenAnswered?.();
  }

  /** Stores an event. Returns its id, or `undefined` if the store failed. */
  keep(stream: string, data: string): string | undefined | Promise<string | undefined> {
    const { events, warn } = this.#environment;
    try {
      const id = events.append(this.id, stream, data);
      return isPromise(id) ? Promise.resolve(id).catch(warn as (error: unknown) => undefined) : id;
    } catch (error) {
      return void warn(error);
    }
  }

  /** Stores that the log level or the subscriptions have changed. @throws {McpError} `store-failed` */
  async store(): Promise<void> {
    await this.#environment.store(this);
    await this.peer?.saved();
  }

  /** Deletes the stored events. */
  forget(): void {
    dropEvents(this.#environment, this.id);
  }

  onStream(sink: EventSink): void {
    this.#environment.streams.opened(sink, this.principal);
  }

  offStream(sink: EventSink): void {
    this.#environment.streams.ended(sink);
  }

  /**
   * Begins a pending response in time. Returns `false` for a handshake, whose headers depend on its success, so that
   * they must wait for the response.
   */
  awaits(stream: SessionStream): boolean {
    if (this.isOpen) this.#environment.streams.awaits(stream);
    return this.isOpen;
  }

  answered(stream: SessionStream): void {
    this.#environment.streams.answered(stream);
  }

  flush(): void {}

  /**
   * Sends a message on exactly one stream (2025-11-25, multiple connections). Returns `false` if there is no stream; a
   * GET may still open one.
   */
  send(text: string, origin?: RequestId): boolean {
    const own = this.streamOf(origin);
    const stream =
      (own?.streams ? own : undefined) ?? this.#listening?.findLast(({ connected }) => connected);
    if (!stream && this.peer?.pass(text)) return true;
    return this.hear(text, stream ?? this.#listening?.at(-1) ?? own);
  }

  /** Sends a message on a stream, or else on the newest listening one. Returns `false` if there is no stream. */
  hear(
    text: string,
    stream = this.#listening?.findLast(({ connected }) => connected) ?? this.#listening?.at(-1),
  ): boolean {
    stream?.message(text);
    return stream !== undefined;
  }

  dropAnswer(id: RequestId): void {
    this.streamOf(id)?.dropAnswer(id);
  }

  reserve(bytes: number): boolean {
    if (!this.#environment.reserve(this, bytes)) return false;
    this.reserved += bytes;
    return true;
  }

  abortedWork(more: number): void {
    this.quotas.work.take(this.principal, 0, more);
  }

  answer(id: RequestId | undefined, text: string, rpcCode?: number): void {
    const stream = this.streamOf(id);
    const { whenOpening } = this;
    if (!whenOpening) return stream?.answer(id, text, rpcCode);
    this.whenOpening = undefined;
    whenOpening(() => stream?.answer(id, text, rpcCode));
  }

  disconnect(origin: RequestId, waitMs: number): void {
    this.streamOf(origin)?.disconnect(waitMs);
  }

  async close(): Promise<void> {
    this.end(this.#environment.survive);
  }

  /** Ends all streams. @param survives whether another process may continue the session: its events then stay stored */
  end(survives: boolean): void {
    for (const stream of [...(this.#answering ?? none), ...(this.#listening ?? none)]) stream.close(survives);
    this.peer?.left();
    if (!survives) this.forget();
  }
}

function dropEvents({ events, warn }: SessionEnvironment, session: string): void {
  try {
    void Promise.resolve(events.drop(session)).catch(warn);
  } catch (error) {
    warn(error);
  }
}

const none: readonly SessionStream[] = [];
/** The error of requests whose session ends. */
export const endedError = { code: rpc.internalError, message: "the session was ended" };
const noHeaders = (): Readonly<Record<string, string>> => ({});

/**
 * An event before the end of a connection: without a retry value, the client would treat the end as a lost connection.
 */
function retryText(waitMs: number): string {
  return `retry: ${Math.max(waitMs, 1)}\n\n`;
}

/** Characters counted for each waiting message in addition to its text. */
const waitingOverhead = 256;

/** Returns the streams without one of them, or `undefined` instead of an empty list. */
function without(streams: SessionStream[] | undefined, stream: SessionStream): SessionStream[] | undefined {
  if (!streams || (streams.length === 1 && streams[0] === stream)) return undefined;
  return streams.filter((each) => each !== stream);
}

/** The beginning of a session's stream. */
interface BegunStream {
  readonly exchange: Exchange;
  readonly accepted: Accepted;
  readonly form: ResponseForm;
  /** The response headers; called when the response begins. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The requests that it answers; absent for a GET stream. */
  readonly ids?: readonly RequestId[];
  readonly isBatch?: boolean;
}

/**
 * One stream of a session: the response to a POST, or a GET stream. It outlives connections: messages that are sent
 * without a connection wait in the event store.
 */
export class SessionStream implements Awaited {
  readonly name: string;
  readonly #session: HttpSession;
  readonly #accepted: Accepted;
  readonly #form: ResponseForm;
  /** The POST or GET, until its response begins. */
  #exchange: Exchange | undefined;
  /**
   * Returns the response headers; called when the response begins. Dropped then, because it keeps the request in
   * memory.
   */
  #headers: () => Readonly<Record<string, string>>;
  #sink: EventSink | undefined;
  /** The requests that the stream answers; absent for a GET stream, which stays open. */
  readonly ids: readonly RequestId[] | undefined;
  /** Requests without an answer. */
  #open: readonly RequestId[];
  readonly #batch: string[] | undefined;
  /** Counted bytes of the request body. */
  #held = 0;
  /** The quota that counts its requests: running, or running without a connection. */
  #counted: "work" | "lost" | undefined;
  #done = false;
  /** Whether the last answer was given; its event may still wait for its id. */
  #complete = false;
  /** Steps that wait for ids of events, in order; absent if no step waits. */
  #steps: Promise<void> | undefined;
  /** Characters of the messages that wait for their ids. */
  #waiting = 0;
  /** Ids of the events that the last reconnection sent, while steps wait. */
  #resent: ReadonlySet<string> | undefined;
  #started = false;
  /** Whether `Streams` may begin the response. Most responses are complete before. */
  #isAwaited = false;

  constructor(
    session: HttpSession,
    name: string,
    { exchange, accepted, form, headers, ids, isBatch = false }: BegunStream,
  ) {
    this.#session = session;
    this.name = name;
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#form = form;
    this.#headers = headers;
    this.ids = ids;
    this.#open = ids ?? [];
    this.#batch = isBatch ? [] : undefined;
  }

  /** Whether an event stream is open. */
  get connected(): boolean {
    return this.#sink !== undefined;
  }

  /** Whether the stream is an event stream or may become one. */
  get streams(): boolean {
    return this.#sink !== undefined || !this.ids || this.#started || this.#mayStream;
  }

  get #mayStream(): boolean {
    return this.#exchange !== undefined && this.#accepted.events && !(this.#form === "json" && this.ids);
  }

  /** Whether a client awaits the response or is connected. */
  get hasClient(): boolean {
    return this.#exchange !== undefined || this.#sink !== undefined;
  }

  /**
   * Counts the requests. Call it before they run: a handler may respond at once.
   *
   * @param size characters of the request body
   */
  follow(size: number): void {
    this.#held = size;
    this.#session.quotas.bodies.take(this.#session.principal, size, 0);
    this.#count("work");
  }

  /** Watches for a disconnect until the response begins. An open event stream does so itself. */
  watch(): void {
    if (this.#done) return;
    this.#exchange?.onGone(() => {
      if (this.#exchange) this.#lose();
    });
    if (this.#mayStream) afterTurn(() => this.#await());
  }

  #await(): void {
    if (this.#done || !this.#exchange) return;
    this.#isAwaited = this.#session.awaits(this);
  }

  begin(): EventSink | undefined {
    this.start();
    return this.#sink;
  }

  /** Opens the event stream. Returns `false` if the client does not accept one. */
  start(): boolean {
    if (this.#sink) return true;
    const exchange = this.#exchange;
    if (!exchange || !this.#mayStream) return false;
    this.#exchange = undefined;
    this.#unawait();
    this.#started = true;
    this.#attach(exchange.openStream(200, { ...eventHeaders, ...this.#headers() }), exchange);
    this.#headers = noHeaders;
    if (this.#session.primes) this.#emit("", (id) => (id === undefined ? "" : primingText(id)));
    return true;
  }

  /** Sends a message other than a response. */
  message(text: string): void {
    if (this.#complete) return;
    this.start();
    this.#write(text);
  }

  /** Sends a response. The last one ends the stream. */
  answer(id: RequestId | undefined, text: string, rpcCode?: number): void {
    if (this.#complete) return;
    const last = this.#settles(id);
    const { denial } = this.#exchange ?? {};
    if (denial && !this.#batch) {
      replyDenial(this.#exchange!, denial);
      this.#exchange = undefined;
      return this.#end();
    }
    if (!this.#sink && this.#exchange && this.#takesJson()) return this.#answerJson(text, last, rpcCode);
    if (!this.#sink && this.#exchange && last && !this.#batch) return this.#answerEvent(text);
    for (const earlier of this.#batch?.splice(0) ?? []) this.#write(earlier);
    this.start();
    this.#write(text);
    if (last) this.#finish();
  }

  /** Whether all requests have an answer after this one. */
  #settles(id: RequestId | undefined): boolean {
    if (this.#batch) this.#open = this.#open.filter((each) => each !== id);
    return !this.#batch || this.#open.length === 0;
  }

  #takesJson(): boolean {
    return this.#accepted.json && (this.#form !== "sse" || !this.#accepted.events);
  }

  /** An error inside a batch does not set the status of the whole. */
  #answerJson(text: string, last: boolean, rpcCode: number | undefined): void {
    this.#batch?.push(text);
    if (!last) return;
    const isLimited = !this.#batch && rpcCode === rateLimitedCode;
    this.#exchange!.reply(
      isLimited ? tooManyRequests : 200,
      mergeHeaders(isLimited ? retryHeaders(text) : jsonHeaders, this.#headers()),
      this.#batch ? `[${this.#batch.join(",")}]` : text,
    );
    this.#exchange = undefined;
    this.#end();
  }

  /** Sends the whole stream as one body when no message precedes the response. */
  #answerEvent(text: string): void {
    const session = this.#session;
    const { name } = this;
    const exchange = this.#exchange;
    this.#exchange = undefined;
    const first = session.primes ? session.keep(name, "") : undefined;
    // A client that knows this id has the whole event. Its data is needed only for a client that knows an earlier id.
    const second = session.keep(name, session.primes ? text : "");
    const reply = (primingId: string | undefined, id: string | undefined): void => {
      const priming = primingId === undefined ? "" : primingText(primingId);
      exchange!.reply(200, mergeHeaders(eventHeaders, this.#headers()), priming + eventText(text, id));
      this.#end();
    };
    if (!isPromise(first) && !isPromise(second)) return reply(first, second);
    this.#complete = true;
    this.#later(async () => reply(await first, await second));
  }

  /** Handles a cancelled request, which gets no response. The last one ends the stream. */
  dropAnswer(id: RequestId): void {
    if (this.#complete || !this.#settles(id)) return;
    const exchange = this.#exchange;
    this.#exchange = undefined;
    const texts = this.#batch?.splice(0) ?? [];
    if (exchange && texts.length > 0)
      exchange.reply(200, { ...jsonHeaders, ...this.#headers() }, `[${texts.join(",")}]`);
    else if (exchange && this.#accepted.events)
      exchange.reply(200, { ...eventHeaders, ...this.#headers() }, "");
    else exchange?.reply(202, this.#headers());
    this.#finish();
  }

  /** Ends the connection; the client reconnects to get the rest (2025-11-25, polling). */
  disconnect(waitMs = retryMs): void {
    if (!this.start()) return;
    if (this.#steps) this.#later(() => this.#cut(waitMs));
    else this.#cut(waitMs);
  }

  #cut(waitMs: number): void {
    if (!this.#sink) return;
    this.#sink.write(retryText(waitMs));
    const sink = this.#sink;
    this.#lose();
    sink.end();
  }

  /** Continues on a new connection, starting with the missed events. */
  resume(exchange: Exchange, { events }: MissedEvents): void {
    this.#leave();
    const fresh = exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) });
    for (const { id, data } of events) fresh.write(eventText(data, id));
    if (this.#done) return fresh.end();
    this.#attach(fresh, exchange);
  }

  /**
   * Continues on a new connection after the events that still wait for their ids are stored.
   *
   * @param read reads the missed events again
   * @param fail replies with the error of the store
   */
  resumeLater(
    exchange: Exchange,
    read: () => Promise<MissedEvents | undefined>,
    fail: (error: unknown) => void,
  ): void {
    this.#leave();
    this.#later(async () => {
      try {
        // The store may have dropped the event that the client names in favour of newer ones.
        const missed = (await read()) ?? { events: [] };
        this.#leave();
        this.#resent = new Set(missed.events.map(({ id }) => id));
        this.resume(exchange, { stream: this.name, ...missed });
      } catch (error) {
        fail(error);
      }
    });
  }

  /** Ends the connection before another one continues the stream. */
  #leave(): void {
    const sink = this.#sink;
    if (!sink && !this.ids) this.#session.evictOldestStream();
    this.#detach();
    sink?.end();
  }

  /**
   * Ends the stream with the session. Running requests get an error, in the open event stream or with status 503, not 404: a
   * client resends requests after 404.
   *
   * @param survives whether another process may continue the session: its client then reconnects
   */
  close(survives: boolean): void {
    const texts = this.#lostAnswers();
    if (survives) this.#sink?.write(retryText(retryMs));
    else if (!this.#complete) for (const text of texts) this.#sink?.write(eventText(text));
    if (this.ids)
      this.#exchange?.reply(
        503,
        mergeHeaders(jsonHeaders, this.#headers()),
        this.#batch ? `[${texts.join(",")}]` : texts[0]!,
      );
    this.#exchange = undefined;
    this.#end();
  }

  /** The answers of a batch that were not sent, and an error for each request without an answer. */
  #lostAnswers(): readonly string[] {
    return [...(this.#batch ?? []), ...this.#open.map((id) => errorText(id, endedError))];
  }

  #write(text: string): void {
    this.#emit(text, (id) => eventText(text, id));
  }

  /** Stores an event, and sends it in order when its id is known. */
  #emit(data: string, textOf: (id: string | undefined) => string): void {
    const id = this.#session.keep(this.name, data);
    if (!isPromise(id) && !this.#steps) this.#sink?.write(textOf(id));
    else {
      this.#waiting += data.length + waitingOverhead;
      // The store does not answer. The client reconnects to get the rest; messages that are not stored are lost.
      if (this.#waiting > maxWaitingBytes) return this.#end();
      this.#later(async () => {
        const known = await id;
        this.#waiting -= data.length + waitingOverhead;
        if (known === undefined || !this.#resent?.has(known)) this.#sink?.write(textOf(known));
      });
    }
  }

  /** Runs a step after the waiting ones. */
  #later(step: () => void | Promise<void>): void {
    const steps = (this.#steps ?? Promise.resolve())
      .then(step)
      .catch(this.#session.warn)
      .then(() => {
        if (this.#steps === steps) this.#steps = this.#resent = undefined;
      });
    this.#steps = steps;
  }

  /** Ends the stream after the events that wait for their ids. */
  #finish(): void {
    this.#complete = true;
    if (this.#steps) this.#later(() => this.#end());
    else this.#end();
  }

  #count(where: "work" | "lost" | undefined): void {
    if (!this.ids || this.#counted === where) return;
    const { quotas, principal } = this.#session;
    if (this.#counted) quotas[this.#counted].release(principal, 0, this.ids.length);
    if (where) quotas[where].take(principal, 0, this.ids.length);
    this.#counted = where;
  }

  #end(): void {
    this.#complete = true;
    if (this.#done) return;
    this.#session.quotas.bodies.release(this.#session.principal, this.#held, 0);
    this.#held = 0;
    this.#done = true;
    const sink = this.#sink;
    this.#detach();
    this.#count(undefined);
    sink?.end();
    this.#session.ended(this);
  }

  #attach(sink: EventSink, exchange: Exchange): void {
    this.#sink = sink;
    this.#count("work");
    if (!this.ids) this.#session.expiry.begin(this);
    this.#session.onStream(sink);
    // The stream may have been resumed on another connection meanwhile.
    exchange.onGone(() => {
      if (this.#sink === sink) this.#lose();
    });
  }

  #unawait(): void {
    if (this.#isAwaited) this.#session.answered(this);
    this.#isAwaited = false;
  }

  /** The client disconnected; the request continues. */
  #lose(): void {
    this.#exchange = undefined;
    this.#detach();
  }

  #detach(): void {
    if (this.#counted && !this.#done) this.#count("lost");
    if (this.#sink) this.#session.offStream(this.#sink);
    if (!this.ids) this.#session.expiry.end(this);
    this.#unawait();
    this.#sink = undefined;
    this.#session.touch();
  }
}
