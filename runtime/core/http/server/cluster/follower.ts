import { McpError, messageOf } from "../../../jsonrpc/errors.js";
import { type RequestId, errorText } from "../../../jsonrpc/message.js";
import { corsHeaders } from "../access.js";
import { type MissedEvents, eventHeaders, eventText } from "../event-streams.js";
import type { EventSink, Exchange } from "../exchange.js";
import { stored } from "../sessions.js";
import { eventsChannel } from "./messages.js";
import { nodeLost } from "./node-lost.js";
import type { Node } from "./node.js";
import type { SharedSession } from "./shared-session.js";

/** Where a followed stream comes from. */
interface Producer {
  readonly node: string;
  /** The requests that the stream answers; empty if their ids are not known. */
  readonly ids: readonly RequestId[];
}

/**
 * Sends the stream of another node to a client that resumed it here. Each event is read from the log, so that none is lost and
 * none comes twice; the channel of events only says when to read.
 */
export class Follower {
  readonly session: SharedSession;
  readonly #node: Node;
  readonly #producer: Producer;
  readonly #sink: EventSink;
  readonly #answered = new Set<RequestId>();
  #last = "";
  #unsubscribe: (() => Promise<void>) | undefined;
  /** The log is being read. */
  #isReading = false;
  /** Events came while the log was read. */
  #hasMore = false;
  #isOver = false;

  constructor(node: Node, session: SharedSession, exchange: Exchange, producer: Producer) {
    this.#node = node;
    this.session = session;
    this.#producer = producer;
    this.#sink = exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) });
    session.session.onStream(this.#sink);
    node.followers.add(this);
    exchange.onGone(() => this.end());
  }

  /** @param last the event that the client names */
  start(missed: MissedEvents, last: string): void {
    this.#last = last;
    this.#send(missed);
    if (!this.#isOver) void this.#subscribe();
  }

  async #subscribe(): Promise<void> {
    const channel = eventsChannel(this.session.digest);
    const read = (): void => void this.#read();
    try {
      const unsubscribe = await this.#node.store.subscribe(channel, read, read);
      if (this.#isOver) return void (await unsubscribe());
      this.#unsubscribe = unsubscribe;
      // Events may have come before the subscription, and the node may be lost by now.
      this.check();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Called every second: the node of the stream may be lost. */
  check(): void {
    this.session.session.touch();
    this.#check().catch((error: unknown) => this.#fail(error));
  }

  async #check(): Promise<void> {
    const isLost = await this.#node.isLost(this.#producer.node);
    // What the node wrote before it was lost comes first.
    await this.#read();
    if (!isLost || this.#isOver || this.#isReading) return;
    const { message, data, rpcCode } = nodeLost("the process that ran the request is gone");
    const ids = this.#producer.ids.filter((id) => !this.#answered.has(id));
    for (const id of ids.length > 0 ? ids : [undefined])
      this.#sink.write(eventText(errorText(id, { code: rpcCode!, message, data })));
    this.end();
  }

  async #read(): Promise<void> {
    if (this.#isOver) return;
    this.#hasMore = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#hasMore && !this.#isOver) {
        this.#hasMore = false;
        const missed = await stored(
          () => this.#node.store.log.after(this.session.digest, this.#last),
          "cluster store",
        );
        if (missed) this.#send(missed);
        else this.end();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  #send({ events }: MissedEvents): void {
    for (const { id, data } of events) {
      if (this.#isOver) return;
      this.#last = id;
      if (!this.#sink.write(eventText(data, id))) return this.end();
      const message = JSON.parse(data) as { readonly id?: RequestId; readonly method?: string };
      if (message.method === undefined && message.id !== undefined) this.#answered.add(message.id);
    }
    const { ids } = this.#producer;
    if (this.#answered.size > 0 && ids.every((id) => this.#answered.has(id))) this.end();
  }

  /** Ends the connection: the client comes back, and gets 503 if the store is still away. */
  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#node.endpoint.warn(new McpError("store-failed", `a stream was cut: ${messageOf(error)}`));
    this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#node.followers.delete(this);
    this.session.session.offStream(this.#sink);
    this.#sink.end();
    this.#unsubscribe?.().catch(this.#node.endpoint.warn);
  }
}
