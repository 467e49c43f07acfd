import type { Clock } from "../../time/clock.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { ServerConnection } from "../../server/connection.js";
import type { Channel, Receiver } from "../../jsonrpc/channel.js";
import type { EventStore } from "./events.js";
import type { EventSink } from "./exchange.js";
import type { Load } from "./load.js";
import type { SessionStream } from "./session-stream.js";
import type { StreamAges } from "./stream-ages.js";
import type { Streams } from "./streams.js";

/** What all sessions of an endpoint share. */
export interface SessionEnvironment {
  readonly events: EventStore;
  /** Milliseconds a client waits before it connects to a lost stream again. */
  readonly retryMs: number;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly ages: StreamAges;
  readonly load: Load;
  /** Requests of one session at a time. */
  readonly maxRequests: number;
}

/** The same, and the memory that sessions share. */
export interface SharedEnvironment extends SessionEnvironment {
  /** Whether so many more bytes may be kept for a session. */
  readonly reserve: (session: HttpSession, bytes: number) => boolean;
}

/**
 * From this revision on a stream begins with an event that has an id and no data (2025-11-25, Streamable HTTP,
 * sending messages); clients of those before take every event for a message.
 */
const firstPriming = "2025-11-25";

/** Listening streams of one session that nobody is connected to, and that can still be taken up again. */
const mostForsaken = 4;
/** Those of one session that somebody is connected to. */
const mostListening = 8;

/** One client between its `initialize` and the end of its session (legacy era): which stream a message goes to. */
export class HttpSession implements Channel {
  readonly id: string;
  /** Whose it is; requests of others do not find it. */
  readonly principal: string;
  connection!: ServerConnection;
  /** Milliseconds, by the clock of the endpoint. */
  lastSeen: number;
  private readonly environment: SharedEnvironment;
  private answering: Map<RequestId, SessionStream> | undefined;
  private listening: SessionStream[] | undefined;
  private streams = 0;
  /** Bytes that are kept for it. */
  reserved = 0;
  /** Called when nothing is being answered any more. */
  whenAnswered: (() => void) | undefined;

  constructor(id: string, principal: string, environment: SharedEnvironment) {
    this.id = id;
    this.principal = principal;
    this.environment = environment;
    this.lastSeen = environment.clock.now();
  }

  get retryMs(): number {
    return this.environment.retryMs;
  }

  get primes(): boolean {
    return (this.connection.session?.spoken.id ?? "") >= firstPriming;
  }

  get load(): Load {
    return this.environment.load;
  }

  get ages(): StreamAges {
    return this.environment.ages;
  }

  get isAnswering(): boolean {
    return this.answering !== undefined;
  }

  /** Requests that are being answered, whether anybody waits for them or not. */
  get requests(): number {
    return this.answering?.size ?? 0;
  }

  /** Whether there may be so many more of them. */
  takes(requests: number): boolean {
    return this.requests + requests <= this.environment.maxRequests;
  }

  /** Whether anybody is connected, or waits for an answer. */
  get isAttended(): boolean {
    for (const stream of this.answering?.values() ?? []) if (stream.attended) return true;
    return this.listening?.some(({ connected }) => connected) ?? false;
  }

  /** Whether its principal may have no more streams that listen. */
  get crowded(): boolean {
    return this.environment.streams.isFull(this.principal);
  }

  /** It was used just now. */
  touch(): void {
    this.lastSeen = this.environment.clock.now();
  }

  nextStream(): string {
    return (this.streams++).toString(36);
  }

  /** What answers these requests goes to that stream. */
  expect(ids: readonly RequestId[], stream: SessionStream): void {
    this.answering ??= new Map();
    for (const id of ids) this.answering.set(id, stream);
  }

  /** What belongs to no request goes to the stream that began to listen last. */
  listen(stream: SessionStream): void {
    this.makeRoom();
    const listening = (this.listening ??= []);
    const forsaken = listening.filter((each) => !each.connected);
    if (forsaken.length >= mostForsaken) listening.splice(listening.indexOf(forsaken[0]!), 1);
    listening.push(stream);
  }

  /** The oldest that listens makes room: whoever lost connections that look alive is not shut out by them. */
  makeRoom(): void {
    const connected = this.listening?.filter((each) => each.connected) ?? [];
    if (connected.length >= mostListening) connected[0]!.disconnect(this.retryMs);
  }

  streamOf(id: RequestId | undefined): SessionStream | undefined {
    return id === undefined ? undefined : this.answering?.get(id);
  }

  named(name: string): SessionStream | undefined {
    return [...(this.answering?.values() ?? []), ...(this.listening ?? [])].find(
      (stream) => stream.name === name,
    );
  }

  ended(stream: SessionStream): void {
    for (const id of stream.ids ?? []) this.answering?.delete(id);
    if (this.answering?.size === 0) this.answering = undefined;
    const listening = this.listening?.filter((each) => each !== stream);
    this.listening = listening?.length ? listening : undefined;
    if (!this.isAnswering) this.whenAnswered?.();
  }

  keep(stream: string, data: string): string {
    return this.environment.events.append(this.id, stream, data);
  }

  onStream(sink: EventSink): void {
    this.environment.streams.opened(sink, this.principal);
  }

  offStream(sink: EventSink): void {
    this.environment.streams.ended(sink);
  }

  open(_receiver: Receiver): void {}

  flush(): void {}

  /** One message goes to one stream, and never to another (2025-11-25, multiple connections). */
  send(text: string, origin?: RequestId): void {
    const own = this.streamOf(origin);
    const stream =
      (own?.streams ? own : undefined) ??
      this.listening?.findLast(({ connected }) => connected) ??
      this.listening?.at(-1) ??
      own;
    stream?.message(text);
  }

  forgo(id: RequestId): void {
    this.answering?.get(id)?.forgo();
  }

  reserve(bytes: number): boolean {
    if (!this.environment.reserve(this, bytes)) return false;
    this.reserved += bytes;
    return true;
  }

  late(more: number): void {
    this.load.running.add(this.principal, more);
  }

  answer(id: RequestId | undefined, text: string): void {
    if (id !== undefined) this.answering?.get(id)?.answer(text);
  }

  disconnect(origin: RequestId, retryMs: number): void {
    this.streamOf(origin)?.disconnect(retryMs);
  }

  async close(): Promise<void> {
    for (const stream of new Set([...(this.answering?.values() ?? []), ...(this.listening ?? [])]))
      stream.close();
    this.environment.events.drop(this.id);
  }
}
