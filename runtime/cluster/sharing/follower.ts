import { McpError, type RequestId } from "@mcpgen/runtime";
import { classify, errorText, jsonOr, messageOf } from "@mcpgen/base";
import type { EventSink, Exchange, HttpSession, MissedEvents } from "@mcpgen/runtime/extending";
import type { Link } from "./link.js";
import { eventsChannel, lostError } from "./messages.js";

/** The source of a followed stream. */
interface Producer {
  readonly node: string;
  /** The name of the stream. */
  readonly stream: string;
  /** The requests that the stream answers; empty if their ids are not known. */
  readonly ids: readonly RequestId[];
}

/** The session of the client that resumed the stream. */
interface FollowedSession {
  readonly session: HttpSession;
  /** Digest of the session id; other nodes know the session by it. */
  readonly digest: string;
  /** Streams of other nodes that clients of this node read. */
  readonly followers: Set<Follower>;
}

/**
 * Sends the stream of another node to a client that resumed it here. Reads each event from the log, so that
 * no event is lost or repeated. Messages on the events channel only trigger reading.
 */
export class Follower {
  readonly session: FollowedSession;
  readonly #link: Link;
  readonly #producer: Producer;
  readonly #sink: EventSink;
  readonly #answered = new Set<RequestId>();
  #last = "";
  #unsubscribe: (() => Promise<void>) | undefined;
  /** Settles when the current read of the log ends. */
  #reading: Promise<void> | undefined;
  /** New events came while the log was being read. */
  #hasMore = false;
  #isOver = false;

  constructor(link: Link, session: FollowedSession, exchange: Exchange, producer: Producer) {
    this.#link = link;
    this.session = session;
    this.#producer = producer;
    this.#sink = link.sessions!.openStream(exchange);
    session.session.onStream(this.#sink);
    session.followers.add(this);
    exchange.onGone(() => this.end());
  }

  /**
   * @param last id of the last event that the client has
   * @param isOver whether the stream is known to have ended at its node
   */
  start(missed: MissedEvents, last: string, isOver: boolean): void {
    this.#last = last;
    this.#send(missed);
    if (this.#isOver) return;
    if (isOver) this.over();
    else void this.#subscribe();
  }

  async #subscribe(): Promise<void> {
    const channel = eventsChannel(this.session.digest);
    const read = (): void => void this.#read();
    try {
      const unsubscribe = await this.#link.store.subscribe(channel, read, read);
      if (this.#isOver) return void (await unsubscribe());
      this.#unsubscribe = unsubscribe;
      // Events may have come before the subscription, and the node may already be lost.
      this.check();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether this follower continues the given stream. */
  continues(session: string, stream: string): boolean {
    return this.session.digest === session && this.#producer.stream === stream;
  }

  /**
   * Called every second: checks whether the stream's node is lost, and reports to it that the client is
   * connected.
   */
  check(): void {
    this.session.session.touch();
    this.#check().catch((error: unknown) => this.#fail(error));
  }

  async #check(): Promise<void> {
    const { node, stream } = this.#producer;
    if (await this.#link.isLost(node))
      return await this.#close(lostError("node-lost", "the process that ran the request is gone"));
    await this.#read();
    if (this.#isOver) return;
    const { digest: session } = this.session;
    await this.#link.send(node, { session, follows: { stream, from: this.#link.name } });
  }

  /**
   * Called when the stream has ended at its node. An answer that is not in the log was lost while the store
   * was unavailable.
   */
  over(): void {
    const reason = lostError("answer-lost", "the answer to the request is not in the store");
    this.#close(reason).catch((error: unknown) => this.#fail(error));
  }

  /** Sends the remaining events, then an error for each request without an answer. */
  async #close({ message, data, rpcCode }: McpError): Promise<void> {
    await this.#read();
    if (this.#isOver) return;
    const ids = this.#producer.ids.filter((id) => !this.#answered.has(id));
    for (const id of ids.length > 0 ? ids : [undefined])
      this.#sink.write(this.#link.sessions!.eventText(errorText(id, { code: rpcCode!, message, data })));
    this.end();
  }

  /** Reads the log to its end. */
  #read(): Promise<void> {
    this.#hasMore = true;
    return (this.#reading ??= this.#readOn().finally(() => (this.#reading = undefined)));
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#hasMore && !this.#isOver) {
        this.#hasMore = false;
        const missed = await this.#link.call(({ log }) => log.after(this.session.digest, this.#last));
        if (missed) this.#send(missed);
        else this.end();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #send({ events }: MissedEvents): void {
    for (const { id, data } of events) {
      if (this.#isOver) return;
      this.#last = id;
      if (!this.#sink.write(this.#link.sessions!.eventText(data, id))) return this.end();
      const message = jsonOr(data) as { readonly id?: RequestId } | undefined;
      if (classify(message) === "response" && message?.id !== undefined) this.#answered.add(message.id);
    }
    const { ids } = this.#producer;
    if (this.#answered.size > 0 && ids.every((id) => this.#answered.has(id))) this.end();
  }

  /** Ends the connection. The client reconnects, and gets 503 if the store is still unavailable. */
  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#link.endpoint.warn(new McpError("store-failed", `a stream was cut: ${messageOf(error)}`));
    this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.session.followers.delete(this);
    this.session.session.offStream(this.#sink);
    this.#sink.end();
    this.#unsubscribe?.().catch(this.#link.endpoint.warn);
  }
}
