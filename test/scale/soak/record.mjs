// The record of a run: calls by interval and in total, faults, memory, and the broken rules.
import { createHistogram } from "node:perf_hooks";
import { aftermathMs, faults } from "./faults.mjs";
import { kinds, plainKinds } from "./load.mjs";

/** Broken rules that are kept with their details. */
const mostKept = 50;

const newHistogram = () => createHistogram({ lowest: 1, highest: 600_000_000, figures: 3 });
const ms = (microseconds) => microseconds / 1000;

/** Latencies of one kind of calls. */
class Latencies {
  #all = newHistogram();
  failed = 0;

  add(took, isFailed) {
    this.#all.record(Math.max(1, Math.round(took * 1000)));
    if (isFailed) this.failed++;
  }

  get summary() {
    const { count, max } = this.#all;
    if (count === 0) return { count, failed: 0 };
    const at = (percentile) => ms(this.#all.percentile(percentile));
    return { count, failed: this.failed, p50: at(50), p99: at(99), max: ms(max) };
  }

  reset() {
    this.#all.reset();
    this.failed = 0;
  }
}

const latenciesOfKinds = () => Object.fromEntries(Object.keys(kinds).map((kind) => [kind, new Latencies()]));

export class Record {
  /** Calls in turn: `at` (ms since the begin), and by kind the summary of an interval. */
  intervals = [];
  faults = [];
  /** `at`, `nodes` (`slot`, `pid`, `rss`, `heap`), `redis`. */
  samples = [];
  /** Descriptions of broken rules, with their times. */
  broken = [];
  brokenCount = 0;
  /** By fault and code of the error: how many calls failed. */
  excused = new Map();
  longest = 0;
  lost = 0;
  #began = performance.now();
  #interval = latenciesOfKinds();
  #calm = latenciesOfKinds();
  #disturbed = latenciesOfKinds();
  #hangMs;

  /** @param hangMs milliseconds that a call may take */
  constructor(hangMs) {
    this.#hangMs = hangMs;
  }

  /** Milliseconds since the begin. */
  since = (at = performance.now()) => at - this.#began;

  /** Forgets what was measured before: the load has begun. */
  begin() {
    this.#began = performance.now();
  }

  fault = (fault) => void this.faults.push(fault);

  /** Faults that a call met. */
  #met({ began, took }) {
    const end = began + took;
    return this.faults.filter(({ at, until = Infinity }) => at <= end && until + aftermathMs >= began);
  }

  call = (call) => {
    const { kind, key, revision, took, error, lost = 0 } = call;
    const met = this.#met(call);
    const isFailed = error !== undefined;
    for (const each of [this.#interval, met.length ? this.#disturbed : this.#calm])
      each[kind].add(took, isFailed);
    this.longest = Math.max(this.longest, took);
    const name = `${kind} ${key} (${revision})`;
    if (took > this.#hangMs) this.break(`${name} took ${Math.round(took)} ms`);
    if (lost > 0) this.#loss(name, lost, met);
    if (!isFailed) return;
    const code = error.data?.code ?? error.code;
    const excuse = met.find((fault) => faults[fault.name].excuses(kind, code));
    if (!excuse) {
      const during = met.map((fault) => fault.name).join(", ") || "no fault";
      return this.break(`${name} failed with ${code} (${error.message}) during ${during}`);
    }
    const line = `${excuse.name}\t${plainKinds.has(kind) ? "plain" : kind}\t${code}`;
    this.excused.set(line, (this.excused.get(line) ?? 0) + 1);
  };

  /** While Redis is away, events have no ids, so a cut stream loses its events. */
  #loss(name, lost, met) {
    this.lost += lost;
    if (!met.some((fault) => fault.name.startsWith("Redis") || fault.name === "kill -9"))
      this.break(`${name} ended well, and ${lost} of its steps were lost`);
  }

  break(text) {
    this.brokenCount++;
    const at = Math.round(this.since() / 1000);
    if (this.broken.length < mostKept) this.broken.push(`${at} s: ${text}`);
  }

  endInterval() {
    const summaries = Object.entries(this.#interval).map(([kind, latencies]) => [kind, latencies.summary]);
    this.intervals.push({ at: this.since(), kinds: Object.fromEntries(summaries) });
    for (const latencies of Object.values(this.#interval)) latencies.reset();
  }

  sample(nodes, redis) {
    this.samples.push({ at: this.since(), nodes, redis });
  }

  /** All of it as data, with milliseconds since the begin. */
  get data() {
    const { intervals, samples, broken, brokenCount, longest, lost } = this;
    return {
      ...{ intervals, samples, broken, brokenCount, longest, lost },
      faults: this.faults.map((fault) => ({
        ...fault,
        at: this.since(fault.at),
        until: this.since(fault.until),
      })),
      excused: [...this.excused].sort().map(([line, count]) => [...line.split("\t"), count]),
      /** By kind: latencies of calls that met no fault, and of those that did. */
      totals: Object.keys(kinds).map((kind) => ({
        kind,
        calm: this.#calm[kind].summary,
        disturbed: this.#disturbed[kind].summary,
      })),
    };
  }
}
