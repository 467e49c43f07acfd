import type { Attributes, MeterProvider } from "@opentelemetry/api";
import { BoundedMap } from "@mcpgen/runtime/extending";
import { type Begun, type Operation, type Outcome, isDefined, other, targetOf } from "./conventions.js";

/** Series with names of tools, prompts and servers, and with codes. After them, these are `_OTHER`. */
const mostNamed = 900;

/** All series. After them, there is one more. */
const most = 999;

/** Stands for all operations beyond the last series. */
const beyond: Attributes = { "mcp.method.name": other };

/** The attributes of measurements, of which one provider gets at most 1,000. */
export class Series {
  static readonly #ofProviders = new WeakMap<MeterProvider, Series>();
  /** By labels and the rest. */
  readonly #kept = new WeakMap<Attributes, Map<string, Attributes>>();
  /** All that were given away, each as text. */
  readonly #given = new BoundedMap<string, true>({ count: most, full: "refuse" });
  /** Names of tools and prompts that exist. */
  readonly #targets = new BoundedMap<string, true>({ count: mostNamed, full: "refuse" });

  /** Those of all instrumentations that measure with a provider. */
  static of(provider: MeterProvider): Series {
    let series = Series.#ofProviders.get(provider);
    if (!series) Series.#ofProviders.set(provider, (series = new Series()));
    return series;
  }

  /** Beyond the first series, names and codes are `_OTHER`: the other side may invent them. */
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

  /** Whether there is no more room for names. */
  get #isFull(): boolean {
    return this.#given.size >= mostNamed;
  }

  #limited(series: Attributes): Attributes {
    return this.#given.set(JSON.stringify(series), true) ? series : beyond;
  }

  /** A name that only failed may be invented by the other side. */
  #labelOf(name: string, attributes: Attributes): string {
    if (attributes["rpc.response.status_code"] === undefined) this.#targets.set(name, true);
    return this.#targets.get(name) ? name : other;
  }
}

/** Attributes whose values the other side, or the number of servers, may make many. */
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
