import {
  type Attributes,
  type Histogram,
  type Meter,
  type MeterProvider,
  type UpDownCounter,
  createNoopMeter,
  metrics,
} from "@opentelemetry/api";
import type { ClientEvent, ServerEvent } from "@mcpgen/runtime";
import { type Begun, type Operation, type Outcome, overHttp, overPipe } from "./conventions.js";
import { Series } from "./series.js";

/** Seconds. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** All histograms of the API alone are the same one. */
const nothing = createNoopMeter().createHistogram("");

/** When a session began, and what its later measurement says. */
interface Session {
  readonly began: number;
  labels: Attributes;
}

interface Instruments {
  readonly operations: { readonly incoming: Histogram; readonly outgoing: Histogram };
  readonly sessions: { readonly server: Histogram; readonly client: Histogram };
  readonly streams: UpDownCounter;
  readonly series: Series;
}

/** Measures operations, sessions and streams. */
export class Measurements {
  readonly #provider: MeterProvider;
  readonly #scope: string;
  /** The provider of `#kept`: the application may set up the global one later. */
  #providerOfKept: MeterProvider | undefined;
  #kept!: Instruments;
  /** Sessions of a server, by id. */
  readonly #open = new Map<string, Session>();
  /** Connections of a server on pipes and in memory, the oldest first: events do not tell them apart. */
  readonly #connections: Session[] = [];
  /** The connection of a client. */
  #connection: Session | undefined;
  /** Transport and server of a client: its requests know them. */
  #server: Attributes = {};

  /** @param scope name of the instrumentation */
  constructor(provider: MeterProvider, scope: string) {
    this.#provider = provider;
    this.#scope = scope;
  }

  get #instruments(): Instruments {
    const provider = this.#provider === metrics ? metrics.getMeterProvider() : this.#provider;
    if (provider !== this.#providerOfKept) {
      this.#providerOfKept = provider;
      this.#kept = instrumentsOf(provider.getMeter(this.#scope), Series.of(provider));
    }
    return this.#kept;
  }

  /** Whether the meter is that of an application without an SDK. */
  get isSilent(): boolean {
    return this.#instruments.operations.incoming === nothing;
  }

  /** @returns when it began; `undefined` where nothing is measured */
  begin({ isStream }: Begun): number | undefined {
    if (this.isSilent) return undefined;
    if (isStream) this.#instruments.streams.add(1);
    return performance.now();
  }

  end(operation: Operation, begun: Begun, began: number, outcome: Outcome): void {
    const { direction, context } = operation;
    const { labels } = begun;
    const seconds = (performance.now() - began) / 1000;
    const { operations, series, streams } = this.#instruments;
    operations[direction].record(seconds, series.ofOperation(operation, begun, outcome));
    if (begun.isStream) streams.add(-1);
    const version = labels["mcp.protocol.version"];
    if (version === undefined) return;
    const { sessionId } =
      (context as { readonly connection?: { readonly sessionId?: string } }).connection ?? {};
    const session = sessionId === undefined ? undefined : this.#open.get(sessionId);
    if (session) session.labels = { ...overHttp, "mcp.protocol.version": version };
    if (direction === "outgoing") this.#server = sessionLabels(labels);
  }

  event(event: ServerEvent | ClientEvent): void {
    const { type } = event;
    if (type === "session-created")
      this.#open.set(event.sessionId!, { began: performance.now(), labels: overHttp });
    else if (type === "session-ended" || type === "session-expired" || type === "session-evicted")
      this.#ended(event.sessionId!);
    else if (type === "connection-opened") this.#opened(event.revision);
    else if (type === "connection-closed") this.#closed();
  }

  /** @param revision absent on servers */
  #opened(revision: string | undefined): void {
    const began = performance.now();
    if (revision === undefined) this.#connections.push({ began, labels: overPipe });
    else this.#connection = { began, labels: { "mcp.protocol.version": revision } };
  }

  #closed(): void {
    if (this.#connection) {
      const { labels } = this.#connection;
      this.#record("client", { ...this.#connection, labels: { ...this.#server, ...labels } });
    } else this.#record("server", this.#connections.shift());
    this.#connection = undefined;
  }

  #ended(id: string): void {
    this.#record("server", this.#open.get(id));
    this.#open.delete(id);
  }

  #record(side: "server" | "client", session: Session | undefined): void {
    if (!session) return;
    const { sessions, series } = this.#instruments;
    sessions[side].record((performance.now() - session.began) / 1000, series.ofSession(session.labels));
  }
}

function instrumentsOf(meter: Meter, series: Series): Instruments {
  const histogram = (name: string, description: string): Histogram =>
    meter.createHistogram(name, {
      unit: "s",
      description,
      advice: { explicitBucketBoundaries: boundaries },
    });
  const operation = "Duration of a request or a notification, measured by the side that";
  const session = "Duration of a session or a connection, measured by the";
  return {
    operations: {
      incoming: histogram("mcp.server.operation.duration", `${operation} received it`),
      outgoing: histogram("mcp.client.operation.duration", `${operation} sent it`),
    },
    sessions: {
      server: histogram("mcp.server.session.duration", `${session} server`),
      client: histogram("mcp.client.session.duration", `${session} client`),
    },
    // Not of the conventions.
    streams: meter.createUpDownCounter("mcpgen.server.streams", {
      unit: "{stream}",
      description: "Streams of notifications that are open",
    }),
    series,
  };
}

/** Labels that requests and sessions share. */
const shared = new Set(["network.transport", "network.protocol.name", "server.address", "server.port"]);

function sessionLabels(labels: Attributes): Attributes {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => shared.has(name)));
}
