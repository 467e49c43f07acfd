import type * as platform from "../platform/platform.js";
import { type Clock, longestWait, systemClock } from "./clock.js";

/** When an operation is attempted again. */
export interface Pace {
  /** Milliseconds of the pauses between the attempts, 0 for none; or what gives the next one. Without a next pause, the attempts end. */
  readonly pauses: readonly number[] | (() => number | undefined);
  /** Whether the first attempt comes after a pause, too. Default: no. */
  readonly waitsFirst?: boolean;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Ends a pause and the attempts. */
  readonly signal?: platform.AbortSignal | undefined;
  /** Error of the pause that the signal ends. Default: the reason of the signal. */
  readonly reason?: () => unknown;
  /** Register what ends a pause early: the next attempt is made then. */
  readonly wakes?: readonly Register[];
}

/** Registers a callback. Returns a function that removes it. */
type Register = (callback: () => void) => () => void;

/**
 * The attempts of an operation, counted from 0, for `for await`: the loop ends by itself when there is no pause left.
 *
 * @throws the reason of the signal, if it aborts in a pause
 */
export function attempts(pace: Pace): AsyncIterable<number> {
  const { pauses, waitsFirst } = pace;
  let made = 0;
  let paused = 0;
  const next = async (): Promise<IteratorResult<number>> => {
    if (made > 0 || waitsFirst) {
      const pause = typeof pauses === "function" ? pauses() : pauses[paused++];
      if (pause === undefined) return { done: true, value: undefined };
      if (pause > 0 || pace.signal?.aborted) await wait(pause, pace);
    }
    return { done: false, value: made++ };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

/** Resolves after `ms` milliseconds, or as soon as something wakes it. Rejects when the signal aborts. */
function wait(ms: number, { clock = systemClock, signal, reason, wakes = [] }: Pace): Promise<void> {
  return new Promise((resolve, reject) => {
    const removals: (() => void)[] = [];
    let isOver = false;
    const wake = (): void => {
      isOver = true;
      clock.clear(timer);
      for (const remove of removals) remove();
      if (signal?.aborted) reject((reason ? reason() : signal.reason) as Error);
      else resolve();
    };
    const timer = clock.schedule(wake, ms);
    for (const register of signal ? [...wakes, untilAborted(signal)] : wakes) removals.push(register(wake));
    // It may have been called already.
    if (isOver) for (const remove of removals) remove();
  });
}

function untilAborted(signal: platform.AbortSignal): Register {
  return (callback) => {
    signal.addEventListener("abort", callback);
    if (signal.aborted) callback();
    return () => signal.removeEventListener("abort", callback);
  };
}

/** Pauses that grow. */
interface Growth {
  /** Milliseconds of the first pause. */
  readonly first: number;
  /** How many times the one before each pause is. Default: 2. */
  readonly factor?: number;
  /** Milliseconds of the longest pause. Default: no limit. */
  readonly most?: number;
  /** The number of pauses. Default: no limit. */
  readonly count?: number;
  /** Milliseconds of all pauses and attempts; the last attempt is made then. Default: no limit. */
  readonly within?: number;
  /** A pause is multiplied by a random number between both: processes that meet once do not meet again. Default: 1 and 1. */
  readonly spread?: readonly [least: number, greatest: number];
}

/** Pauses that grow, for `attempts`. */
export function growing(growth: Growth): () => number | undefined {
  const { first, factor = 2, most = Infinity, count = Infinity, within = Infinity } = growth;
  const { spread: [least, greatest] = [1, 1] } = growth;
  const due = performance.now() + within;
  let given = 0;
  let pause = first;
  return () => {
    const left = due - performance.now();
    if (given++ >= count || left <= 0) return undefined;
    const drawn = pause * (least + (greatest - least) * Math.random());
    pause = Math.min(pause * factor, most);
    return Math.min(drawn, left);
  };
}

/**
 * Milliseconds to wait, where the other side says how long. A timer fires at once for what it cannot take: a number that is
 * too large, negative, or none.
 *
 * @param asked what was sent, of any type
 */
export function waitAsked(
  asked: unknown,
  { least = 0, most = longestWait, usual }: { least?: number; most?: number; usual: number },
): number {
  const ms = typeof asked === "number" && asked >= 0 ? asked : usual;
  return Math.min(Math.max(ms, least), most, longestWait);
}
