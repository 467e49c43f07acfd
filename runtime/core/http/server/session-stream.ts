import { rpc } from "../../jsonrpc/errors.js";
import { errorText, type RequestId } from "../../jsonrpc/message.js";
import { corsHeaders, joined } from "./cors.js";
import { eventHeaders, eventText, primingText } from "./events.js";
import type { EventSink, Exchange } from "./exchange.js";
import type { HttpSession } from "./session.js";
import { type ResponseForm, jsonHeaders } from "./post-channel.js";
import type { Accepted } from "../shared/media.js";

/**
 * One stream of a session: the answer to a POST, or what a GET listens to. It outlives connections: what is
 * sent while nobody is connected waits in the event store.
 */
export class SessionStream {
  readonly name: string;
  private readonly session: HttpSession;
  private readonly accepted: Accepted;
  private readonly form: ResponseForm;
  /** The POST, until it is answered. */
  private exchange: Exchange | undefined;
  /** Asked for when the answer begins. */
  private readonly headers: () => Readonly<Record<string, string>>;
  private sink: EventSink | undefined;
  /** Requests it answers; a stream without any stays open. */
  readonly ids: readonly RequestId[] | undefined;
  /** How many of them are still to be answered. */
  private remaining: number;
  private readonly batch: string[] | undefined;
  /** Bytes of the body that its requests came in. */
  private held = 0;
  private done = false;
  /** Requests it counts in the load. */
  private counted = 0;
  /** Requests it counts among those without a connection. */
  private lost = 0;
  private started = false;

  constructor(
    session: HttpSession,
    name: string,
    exchange: Exchange,
    accepted: Accepted,
    form: ResponseForm,
    headers: () => Readonly<Record<string, string>>,
    ids?: readonly RequestId[],
    isBatch = false,
  ) {
    this.session = session;
    this.name = name;
    this.exchange = exchange;
    this.accepted = accepted;
    this.form = form;
    this.headers = headers;
    this.ids = ids;
    this.remaining = ids?.length ?? 0;
    this.batch = isBatch ? [] : undefined;
  }

  /** Whether somebody is connected to it. */
  get connected(): boolean {
    return this.sink !== undefined;
  }

  get isDone(): boolean {
    return this.done;
  }

  /** Whether it is an event stream, or may become one. */
  get streams(): boolean {
    return this.sink !== undefined || !this.ids || this.started || this.mayStream;
  }

  private get mayStream(): boolean {
    return this.exchange !== undefined && this.accepted.events && !(this.form === "json" && this.ids);
  }

  /** Whether anybody waits for the answer, or is connected. */
  get attended(): boolean {
    return this.exchange !== undefined || this.sink !== undefined;
  }

  /**
   * Watches for the client going away; only for streams that are not answered at once.
   *
   * @param size of the body that its requests came in
   */
  watch(size: number): void {
    this.held = size;
    this.session.load.held.add(this.session.principal, size);
    if (this.attended) this.count();
    else this.countLost();
    this.exchange?.onGone(() => {
      if (this.exchange) this.lose();
    });
  }

  /** Opens the event stream, if the client takes one. */
  start(): boolean {
    if (this.sink) return true;
    const { exchange } = this;
    if (!exchange || !this.mayStream) return false;
    this.exchange = undefined;
    this.started = true;
    this.attach(exchange.openStream(200, { ...eventHeaders, ...this.headers() }), exchange);
    const { retryMs, primes } = this.session;
    if (primes) this.sink!.write(primingText(this.session.keep(this.name, ""), retryMs));
    return true;
  }

  /** Sends a message that is no answer. */
  message(text: string): void {
    if (this.done) return;
    this.start();
    this.write(text);
  }

  /** Sends an answer; with the last one the stream ends. */
  answer(text: string): void {
    if (this.done) return;
    const last = --this.remaining <= 0;
    if (!this.sink && this.exchange && this.takesJson()) return this.answerJson(text, last);
    if (!this.sink && this.exchange && last && !this.batch) return this.answerEvent(text);
    for (const earlier of this.batch?.splice(0) ?? []) this.write(earlier);
    this.start();
    this.write(text);
    if (last) this.end();
  }

  private takesJson(): boolean {
    return this.accepted.json && (this.form !== "sse" || !this.accepted.events);
  }

  private answerJson(text: string, last: boolean): void {
    this.batch?.push(text);
    if (!last) return;
    this.exchange!.reply(
      200,
      joined(jsonHeaders, this.headers()),
      this.batch ? `[${this.batch.join(",")}]` : text,
    );
    this.exchange = undefined;
    this.end();
  }

  /** The whole stream in one body, where nothing precedes the answer. */
  private answerEvent(text: string): void {
    const { session, name } = this;
    const { exchange } = this;
    this.exchange = undefined;
    const priming = session.primes ? primingText(session.keep(name, ""), session.retryMs) : "";
    const event = eventText(text, session.keep(name, text));
    exchange!.reply(200, joined(eventHeaders, this.headers()), priming + event);
    this.end();
  }

  /** One of its requests was cancelled, and gets no answer: nobody is to wait for it. */
  forgo(): void {
    if (this.done || --this.remaining > 0) return;
    const { exchange } = this;
    this.exchange = undefined;
    const texts = this.batch?.splice(0) ?? [];
    if (exchange && texts.length > 0)
      exchange.reply(200, { ...jsonHeaders, ...this.headers() }, `[${texts.join(",")}]`);
    else if (exchange && this.accepted.events)
      exchange.reply(200, { ...eventHeaders, ...this.headers() }, "");
    else exchange?.reply(202, this.headers());
    this.end();
  }

  /** Ends the connection, and lets the client come back for the rest (2025-11-25, polling). */
  disconnect(retryMs: number): void {
    if (!this.start() || !this.sink) return;
    // None at all would look like a connection that nobody meant to end.
    this.sink.write(`retry: ${Math.max(retryMs, 1)}\n\n`);
    const { sink } = this;
    this.lose();
    sink.end();
  }

  /** Goes on with another connection, from the events it missed. */
  resume(exchange: Exchange, missed: readonly { readonly id: string; readonly data: string }[]): void {
    const { sink } = this;
    if (!sink && !this.ids) this.session.makeRoom();
    this.detach();
    sink?.end();
    const fresh = exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) });
    for (const { id, data } of missed) fresh.write(eventText(data, id));
    if (this.done) return fresh.end();
    this.attach(fresh, exchange);
  }

  /** The session is over. Requests that had begun are not told that it is not there: they would be sent again. */
  close(): void {
    if (this.exchange && this.ids) {
      const error = { code: rpc.internalError, message: "the session was ended" };
      for (const id of this.ids)
        this.exchange.reply(503, joined(jsonHeaders, this.headers()), errorText(id, error));
    }
    this.exchange = undefined;
    const { sink } = this;
    this.end();
    sink?.end();
  }

  private write(text: string): void {
    const id = this.session.keep(this.name, text);
    this.sink?.write(eventText(text, id));
  }

  /** A client waits for the answer. */
  private count(): void {
    if (this.counted > 0 || !this.ids) return;
    this.uncount();
    this.counted = this.ids.length;
    this.session.load.running.add(this.session.principal, this.counted);
  }

  /** The requests go on without a connection. */
  private countLost(): void {
    if (this.lost > 0 || !this.ids) return;
    this.uncount();
    this.lost = this.ids.length;
    this.session.load.lost.add(this.session.principal, this.lost);
  }

  private uncount(): void {
    const { load, principal } = this.session;
    if (this.counted > 0) load.running.give(principal, this.counted);
    if (this.lost > 0) load.lost.give(principal, this.lost);
    this.counted = this.lost = 0;
  }

  private end(): void {
    this.session.load.held.give(this.session.principal, this.held);
    this.held = 0;
    this.done = true;
    const { sink } = this;
    this.detach();
    this.uncount();
    sink?.end();
    this.session.ended(this);
  }

  private attach(sink: EventSink, exchange: Exchange): void {
    this.sink = sink;
    this.count();
    if (!this.ids) this.session.ages.begin(this);
    this.session.onStream(sink);
    // A connection that is found dead late may have been replaced long ago.
    exchange.onGone(() => {
      if (this.sink === sink) this.lose();
    });
  }

  /** Nobody is connected any more, and it goes on. */
  private lose(): void {
    this.exchange = undefined;
    this.detach();
  }

  private detach(): void {
    if (this.counted > 0 && !this.done) this.countLost();
    if (this.sink) this.session.offStream(this.sink);
    if (!this.ids) this.session.ages.end(this);
    this.sink = undefined;
    this.session.touch();
  }
}
