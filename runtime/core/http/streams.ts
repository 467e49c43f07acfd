import type { Clock } from "../peer/clock.js";
import type { ServerConnection } from "../server/connection.js";
import { keepAliveText } from "./events.js";
import type { EventSink } from "./exchange.js";

/** The event streams of an endpoint that are open, and the connections of POSTs in progress: streams are kept from looking idle by one timer. */
export class Streams {
  /** One for each POST that stands for itself and is not answered yet. */
  readonly connections = new Set<ServerConnection>();
  private readonly sinks = new Set<EventSink>();
  private readonly clock: Clock;
  private readonly every: number;
  private readonly most: number;
  private timer: unknown;

  /**
   * @param every milliseconds between comments; none with 0
   * @param most streams, from which on no more are opened that only listen
   */
  constructor(clock: Clock, every: number, most: number) {
    this.clock = clock;
    this.every = every;
    this.most = most;
  }

  get isFull(): boolean {
    return this.sinks.size >= this.most;
  }

  get size(): number {
    return this.sinks.size;
  }

  readonly opened = (sink: EventSink): void => {
    this.sinks.add(sink);
    if (this.timer === undefined && this.every > 0) this.timer = this.clock.schedule(this.beat, this.every);
  };

  readonly ended = (sink: EventSink): void => void this.sinks.delete(sink);

  close(): void {
    this.clock.clear(this.timer);
    this.timer = undefined;
    for (const sink of this.sinks) sink.end();
    this.sinks.clear();
  }

  private readonly beat = (): void => {
    for (const sink of this.sinks) if (!sink.write(keepAliveText)) this.sinks.delete(sink);
    this.timer = this.sinks.size === 0 ? undefined : this.clock.schedule(this.beat, this.every);
  };
}
