import type { ClientEvent, ServerEvent } from "@mcpgen/runtime";
import { BoundedMap } from "@mcpgen/base";
import {
  type Attributes,
  type Histogram,
  type Meter,
  type MeterProvider,
  type UpDownCounter,
  createNoopMeter,
  metrics,
} from "@opentelemetry/api";
import {
  type Begun,
  type Operation,
  type Outcome,
  isDefined,
  other,
  overHttp,
  overPipe,
  targetOf,
} from "./conventions.js";

/** Boundaries of the histograms, in seconds. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Without an SDK, the API returns this histogram for every call. */
const nothing = createNoopMeter().createHistogram("");

/** The start of a session, and the labels of its measurement. */
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
  /** The provider of `#kept`. It may change when the application sets up the global provider. */
  #providerOfKept: MeterProvider | undefined;
  #kept!: Instruments;
  /** Open sessions of a server, by id. */
  readonly #open = new Map<string, Session>();
  /**
   * Open connections of a server over pipes and in memory, oldest first. Events do not identify a connection.
   */
  readonly #connections: Session[] = [];
  /** The connection of a client. */
  #connection: Session | undefined;
  /** Labels for transport and server of a client, taken from its requests. */
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

  /** Whether the application has no SDK for metrics. */
  get isSilent(): boolean {
    return this.#instruments.operations.incoming === nothing;
  }

  /** @returns the start time of the operation; `undefined` without an SDK */
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
    // The semantic conventions do not have this instrument.
    streams: meter.createUpDownCounter("mcpgen.server.streams", {
      unit: "{stream}",
      description: "Streams of notifications that are open",
    }),
    series,
  };
}

/** Names of labels that requests and sessions share. */
const shared = new Set(["network.transport", "network.protocol.name", "server.address", "server.port"]);

function sessionLabels(labels: Attributes): Attributes {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => shared.has(name)));
}

/**
 * The first series, up to this number, contain names of tools, prompts and servers, and codes. In later
 * series, `_OTHER` replaces these values.
 */
const mostNamed = 900;

/** Maximum number of distinct series. One more series counts all other operations. */
const most = 999;

/** The labels of that last series. */
const beyond: Attributes = { "mcp.method.name": other };

/** Limits the series of measurements to 1,000 for each meter provider. */
class Series {
  static readonly #ofProviders = new WeakMap<MeterProvider, Series>();
  /** Cached series by labels, then by target and outcome. */
  readonly #kept = new WeakMap<Attributes, Map<string, Attributes>>();
  /** The JSON of all series that are in use. */
  readonly #given = new BoundedMap<string, true>({ count: most, full: "refuse" });
  /** Names of tools and prompts that are known to exist. */
  readonly #targets = new BoundedMap<string, true>({ count: mostNamed, full: "refuse" });

  /** Returns the series that all instrumentations with one provider share. */
  static of(provider: MeterProvider): Series {
    let series = Series.#ofProviders.get(provider);
    if (!series) Series.#ofProviders.set(provider, (series = new Series()));
    return series;
  }

  /**
   * Returns the attributes of a measurement. After `mostNamed` series, names and codes are `_OTHER`, because
   * the other side may invent any number of them.
   */
  ofOperation(operation: Operation, { labels, target }: Begun, { attributes }: Outcome): Attributes {
    const named = target === undefined ? undefined : this.#labelOf(target, attributes);
    let known = this.#kept.get(labels);
    if (!known) this.#kept.set(labels, (known = new Map()));
    const key = JSON.stringify([named, attributes]);
    const found = known.get(key);
    if (found) return found;
    const series: Attributes = { ...labels, ...attributes };
    if (named !== undefined) series[targetOf(operation.method)!] = named;
    const isFull = this.#isFull;
    const given = this.#limited(isFull ? withoutNames(series, isDefined(operation)) : series);
    if (!isFull) known.set(key, given);
    return given;
  }

  ofSession(labels: Attributes): Attributes {
    return this.#limited(this.#isFull ? withoutNames(labels, true) : labels);
  }

  /** Whether there are `mostNamed` series or more. */
  get #isFull(): boolean {
    return this.#given.size >= mostNamed;
  }

  #limited(series: Attributes): Attributes {
    return this.#given.set(JSON.stringify(series), true) ? series : beyond;
  }

  /**
   * Returns the name of a tool or prompt, or `_OTHER` if all calls by that name failed: the other side may
   * have invented it.
   */
  #labelOf(name: string, attributes: Attributes): string {
    if (attributes["rpc.response.status_code"] === undefined) this.#targets.set(name, true);
    return this.#targets.get(name) ? name : other;
  }
}

/** Attributes that may have many values, chosen by the other side or by the number of servers. */
const ofNames = [
  "error.type",
  "rpc.response.status_code",
  "gen_ai.tool.name",
  "gen_ai.prompt.name",
  "server.address",
];

function withoutNames(named: Attributes, isDefinedMethod: boolean): Attributes {
  const series = { ...named };
  for (const name of ofNames) if (series[name] !== undefined) series[name] = other;
  delete series["server.port"];
  if (!isDefinedMethod) series["mcp.method.name"] = other;
  return series;
}
