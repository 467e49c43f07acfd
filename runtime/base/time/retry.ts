import type * as platform from "../platform/platform.js";
import { type Clock, longestWait, systemClock } from "./clock.js";

/** The pauses between the attempts of an operation. */
export interface Pace {
  /**
   * Pauses between the attempts in milliseconds (0 is allowed), or a function that returns the next pause. The attempts
   * end when there is no next pause.
   */
  readonly pauses: readonly number[] | (() => number | undefined);
  /** Whether the first attempt also comes after a pause. Default: no. */
  readonly waitsFirst?: boolean;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Ends a pause and the attempts. */
  readonly signal?: platform.AbortSignal | undefined;
  /** Makes the error if the signal ends a pause. Default: the reason of the signal. */
  readonly reason?: () => unknown;
  /** Functions that register a callback that ends a pause early; the next attempt follows. */
  readonly wakes?: readonly Register[];
}

/** Registers a callback. Returns a function that removes it. */
type Register = (callback: () => void) => () => void;

/**
 * The attempts of an operation, counted from 0, for `for await`. The loop ends after the last pause.
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
    // A callback may have been called during registration.
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

/** Parameters of growing pauses. */
interface Growth {
  /** Milliseconds of the first pause. */
  readonly first: number;
  /** Factor between a pause and the next one. Default: 2. */
  readonly factor?: number;
  /** Milliseconds of the longest pause. Default: no limit. */
  readonly most?: number;
  /** The number of pauses. Default: no limit. */
  readonly count?: number;
  /** Total milliseconds of pauses and attempts, after which one last attempt follows. Default: no limit. */
  readonly within?: number;
  /** Range of a random factor of each pause, so that processes do not retry at the same times. Default: 1 and 1. */
  readonly spread?: readonly [least: number, greatest: number];
}

/** Makes growing pauses for `attempts`. */
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
 * Milliseconds to wait, as requested by the other side. Corrects values for which a timer would fire at once: too large
 * or negative numbers, and other types.
 *
 * @param asked the received value, of any type
 */
export function waitAsked(
  asked: unknown,
  { least = 0, most = longestWait, usual }: { least?: number; most?: number; usual: number },
): number {
  const ms = typeof asked === "number" && asked >= 0 ? asked : usual;
  return Math.min(Math.max(ms, least), most, longestWait);
}
