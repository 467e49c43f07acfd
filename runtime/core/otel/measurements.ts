import type { Attributes, Histogram, Meter } from "@opentelemetry/api";
import type { ClientEvent, ServerEvent } from "../protocol/events.js";
import type { Begun, Outcome } from "./conventions.js";

/** Seconds. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Names of tools and prompts that are labels. Others are `_OTHER`: labels with many values are costly. */
const mostTargets = 1000;

/** What stands for a name that is no label. */
const other = "_OTHER";

/** Measures requests and sessions. */
export class Measurements {
  readonly #operations: { readonly incoming: Histogram; readonly outgoing: Histogram };
  readonly #sessions: { readonly server: Histogram; readonly client: Histogram };
  /** Names of tools and prompts that exist. */
  readonly #targets = new Set<string>();
  /** When sessions of a server began, by id. */
  readonly #began = new Map<string, number>();
  /** When the connection of a client began. */
  #connected: number | undefined;

  constructor(meter: Meter) {
    const histogram = (name: string): Histogram =>
      meter.createHistogram(name, { unit: "s", advice: { explicitBucketBoundaries: boundaries } });
    this.#operations = {
      incoming: histogram("mcp.server.operation.duration"),
      outgoing: histogram("mcp.client.operation.duration"),
    };
    this.#sessions = {
      server: histogram("mcp.server.session.duration"),
      client: histogram("mcp.client.session.duration"),
    };
  }

  request(direction: "incoming" | "outgoing", begun: Begun, ms: number, outcome: Outcome): void {
    this.#operations[direction].record(ms / 1000, {
      ...begun.labels,
      ...this.#labelOf(begun, outcome),
      ...outcome.attributes,
    });
  }

  /** A name that only failed may be invented by the other side. */
  #labelOf({ target }: Begun, { attributes }: Outcome): Attributes {
    if (!target) return {};
    const [attribute, name] = target;
    if (attributes["rpc.response.status_code"] === undefined && this.#targets.size < mostTargets)
      this.#targets.add(name);
    return { [attribute]: this.#targets.has(name) ? name : other };
  }

  event(event: ServerEvent | ClientEvent): void {
    const { type } = event;
    if (type === "session-created") this.#began.set(event.sessionId!, performance.now());
    else if (type === "session-ended" || type === "session-expired" || type === "session-evicted")
      this.#sessionEnded(event.sessionId!);
    else if (type === "connection-opened" && "revision" in event) this.#connected = performance.now();
    else if (type === "connection-closed" && this.#connected !== undefined) {
      this.#sessions.client.record((performance.now() - this.#connected) / 1000);
      this.#connected = undefined;
    }
  }

  #sessionEnded(id: string): void {
    const began = this.#began.get(id);
    this.#began.delete(id);
    if (began !== undefined) this.#sessions.server.record((performance.now() - began) / 1000);
  }
}
