import type { RequestId } from "../../jsonrpc/message.js";
import type { ServerConnection } from "../../server/connection.js";
import type { Channel, Receiver } from "../../jsonrpc/channel.js";
import type { EventSink } from "./exchange.js";
import type { Load } from "./load.js";
import type { Quota } from "./quota.js";

/** One client over HTTP+SSE (2024-11-05): it is there as long as its stream is. */
export class SseSession implements Channel {
  readonly id: string;
  /** Whose it is; messages of others do not find it. */
  readonly principal: string;
  connection!: ServerConnection;
  private readonly sink: EventSink;
  private readonly load: Load;
  private readonly onEnd: (session: SseSession) => void;
  /** Requests that are being answered, and the bytes held for each. */
  private readonly running = new Map<RequestId, number>();
  private readonly bytes: Quota;
  private reserved = 0;
  private over = false;

  constructor(
    id: string,
    principal: string,
    sink: EventSink,
    load: Load,
    bytes: Quota,
    onEnd: (session: SseSession) => void,
  ) {
    this.id = id;
    this.principal = principal;
    this.sink = sink;
    this.load = load;
    this.bytes = bytes;
    this.onEnd = onEnd;
  }

  /** Requests that are being answered. */
  get requests(): number {
    return this.running.size;
  }

  /** What answers a request, if it is being answered. */
  streamOf(id: RequestId): EventSink | undefined {
    return this.running.has(id) ? this.sink : undefined;
  }

  /** These requests are about to be answered. @param size of the body they came in */
  expect(ids: readonly RequestId[], size: number): void {
    const each = Math.ceil(size / Math.max(1, ids.length));
    for (const id of ids) {
      this.running.set(id, each);
      this.load.running.add(this.principal, 1);
      this.load.held.add(this.principal, each);
    }
  }

  open(_receiver: Receiver): void {}

  flush(): void {}

  send(text: string): void {
    if (!this.over) this.sink.write(`event: message\ndata: ${text}\n\n`);
  }

  answer(id: RequestId | undefined, text: string): void {
    this.forgo(id);
    this.send(text);
  }

  forgo(id: RequestId | undefined): void {
    const held = id === undefined ? undefined : this.running.get(id);
    if (held === undefined) return;
    this.running.delete(id!);
    this.load.running.give(this.principal, 1);
    this.load.held.give(this.principal, held);
  }

  reserve(bytes: number): boolean {
    if (!this.bytes.take(this.principal, bytes)) return false;
    this.reserved += bytes;
    return true;
  }

  late(more: number): void {
    this.load.running.add(this.principal, more);
  }

  /** The client is gone, or nobody serves it any more. */
  end(): void {
    if (this.over) return;
    this.over = true;
    for (const id of [...this.running.keys()]) this.forgo(id);
    this.onEnd(this);
    this.connection.closed();
    this.bytes.give(this.principal, this.reserved);
    this.sink.end();
  }

  async close(): Promise<void> {
    this.end();
  }
}
