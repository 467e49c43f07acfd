import type { ReceiveTable } from "@mcpgen/protocol/model";
import type { ServerChannel } from "../../jsonrpc/channel.js";
import { rpc } from "../../jsonrpc/errors.js";
import { errorText, type RequestId } from "../../jsonrpc/message.js";
import type { ServerConnection } from "../../server/connection.js";
import type { Accepted } from "../shared/media.js";
import { corsHeaders, mergeHeaders } from "./access.js";
import { eventHeaders, eventText } from "./events.js";
import { type EventSink, type Exchange, jsonHeaders } from "./exchange.js";
import type { ConcurrencyLimit, Quota } from "./limits.js";
import type { Streams } from "./streams.js";

/** Form of responses: `auto` sends JSON unless another message precedes the response. */
export type ResponseForm = "auto" | "json" | "sse";

/** The channel of one POST without a session. */
export class PostChannel implements ServerChannel {
  private readonly exchange: Exchange;
  private readonly accepted: Accepted;
  private readonly form: ResponseForm;
  private readonly table: ReceiveTable;
  private readonly streams: Streams;
  /** Responses to a batch. */
  private readonly batch: string[] | undefined;
  private remaining: number;
  private readonly requests: number;
  private sink: EventSink | undefined;
  private over = false;
  /** Memory limit, for a listening stream. */
  bytes: Quota | undefined;
  /** Counts the running requests. */
  private concurrency: ConcurrencyLimit | undefined;
  /** Set while the requests are counted. */
  private connection: ServerConnection | undefined;

  constructor(
    exchange: Exchange,
    accepted: Accepted,
    form: ResponseForm,
    table: ReceiveTable,
    streams: Streams,
    batch?: number,
  ) {
    this.exchange = exchange;
    this.accepted = accepted;
    this.form = form;
    this.table = table;
    this.streams = streams;
    this.batch = batch === undefined ? undefined : [];
    this.requests = this.remaining = batch ?? 1;
  }

  /**
   * Registers the connection and counts the requests until the response is complete or the client disconnects. Call it
   * before the requests run: a handler may respond at once.
   *
   * @param concurrency counts the requests; absent for a listening stream
   */
  follow(connection: ServerConnection, concurrency: ConcurrencyLimit | undefined): void {
    this.connection = connection;
    this.concurrency = concurrency;
    concurrency?.running.add(this.exchange.principal, this.requests);
    concurrency?.held.add(this.exchange.principal, this.exchange.size);
    this.streams.connections.add(connection);
  }

  /** Watches for disconnection. Call it after the requests have begun: most are complete by then. */
  watch(): void {
    if (this.connection) this.exchange.onGone(() => this.finish());
  }

  private finish(): void {
    const { connection, concurrency } = this;
    if (!connection) return;
    this.connection = undefined;
    concurrency?.running.give(this.exchange.principal, this.requests);
    concurrency?.held.give(this.exchange.principal, this.exchange.size);
    this.streams.connections.delete(connection);
    this.over = true;
    this.drop();
    connection.closed();
  }

  reserve(more: number): boolean {
    return this.bytes?.take(this.exchange.principal, more) ?? true;
  }

  abortedWork(more: number): void {
    this.concurrency?.running.add(this.exchange.principal, more);
  }

  collectBatch(): undefined {}

  dropAnswer(): void {}

  disconnect(): void {}

  flush(): void {}

  send(text: string): void {
    // A client that accepts no event stream misses messages before the response.
    if (this.over || !this.accepted.events || this.form === "json") return;
    this.stream().write(eventText(text));
  }

  private stream(): EventSink {
    if (!this.sink) {
      this.sink = this.exchange.openStream(200, withCors(eventHeaders, this.exchange));
      this.streams.opened(this.sink, this.exchange.principal);
    }
    return this.sink;
  }

  private drop(): EventSink | undefined {
    const { sink } = this;
    if (sink) this.streams.ended(sink);
    this.sink = undefined;
    return sink;
  }

  answer(_id: RequestId | undefined, text: string, rpcCode?: number): void {
    if (this.over) return;
    this.batch?.push(text);
    if (--this.remaining > 0) return;
    this.over = true;
    // An error inside a batch does not set the status of the whole.
    if (this.batch) this.leave(`[${this.batch.join(",")}]`, undefined);
    else this.leave(text, rpcCode);
    this.finish();
  }

  private leave(text: string, rpcCode: number | undefined): void {
    const sink = this.drop();
    if (sink) {
      sink.write(eventText(text));
      return sink.end();
    }
    const status = rpcCode === undefined ? 200 : statusOf(rpcCode, this.table);
    const json = this.accepted.json && (this.form !== "sse" || !this.accepted.events || status !== 200);
    if (json) this.exchange.reply(status, withCors(jsonHeaders, this.exchange), text);
    else this.exchange.reply(status, withCors(eventHeaders, this.exchange), eventText(text));
  }

  /** Replies with 503 because the server is closing. */
  async close(): Promise<void> {
    if (this.over) return;
    this.over = true;
    const sink = this.drop();
    if (sink) sink.end();
    else {
      const error = { code: rpc.internalError, message: "the server is closing" };
      this.exchange.reply(503, withCors(jsonHeaders, this.exchange), errorText(undefined, error));
    }
    this.finish();
  }
}

/** Adds CORS headers. */
function withCors(
  headers: Readonly<Record<string, string>>,
  exchange: Exchange,
): Readonly<Record<string, string>> {
  return mergeHeaders(headers, corsHeaders(exchange));
}

/** The HTTP status of an error code, by the table. */
export function statusOf(rpcCode: number, { errors }: ReceiveTable): number {
  for (const name in errors) {
    const { code, http } = errors[name]!;
    if (code === rpcCode) return http ?? 200;
  }
  return 200;
}
