import { type Clock, unref } from "./clock.js";

/**
 * Whether a timer ends with the request that set it, and a request cannot write to the streams of another one, like on
 * workerd.
 */
const timersEndWithRequests =
  (globalThis as { readonly navigator?: { readonly userAgent?: string } }).navigator?.userAgent ===
  "Cloudflare-Workers";

/** A job and its due time. */
interface Job {
  readonly callback: () => void;
  readonly due: number;
}

/** One timer of a clock for all jobs, because each timer costs resources. It does not keep the process alive. */
class SharedTimer {
  readonly #clock: Clock;
  readonly #jobs = new Set<Job>();
  #timer: unknown;
  #due = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  schedule(callback: () => void, delay: number): Job {
    const job = { callback, due: this.#clock.now() + delay };
    this.#jobs.add(job);
    this.#arm();
    return job;
  }

  clear(job: Job): void {
    this.#jobs.delete(job);
    this.#arm();
  }

  /** Sets the timer for the job that is due first. */
  #arm(): void {
    let next = Infinity;
    for (const { due } of this.#jobs) next = Math.min(next, due);
    if (next === this.#due) return;
    if (this.#due < Infinity) this.#clock.clear(this.#timer);
    this.#due = next;
    if (next < Infinity) this.#timer = unref(this.#clock.schedule(this.#fire, next - this.#clock.now()));
  }

  readonly #fire = (): void => {
    this.#due = Infinity;
    const now = this.#clock.now();
    for (const job of this.#jobs) {
      if (job.due > now) continue;
      this.#jobs.delete(job);
      job.callback();
    }
    this.#arm();
  };
}

const sharedTimers = new WeakMap<Clock, SharedTimer>();

function sharedTimerOf(clock: Clock): SharedTimer {
  let timer = sharedTimers.get(clock);
  if (!timer) sharedTimers.set(clock, (timer = new SharedTimer(clock)));
  return timer;
}

/**
 * Calls a function repeatedly with each of its members. All tickers of a clock share one timer, which runs only while
 * one has members; a member is first called after at most one interval. If timers end with their requests, each member
 * has a separate timer.
 */
export class Ticker<Member> {
  /** The members, each with its own timer (if it has one). */
  readonly #members = new Map<Member, unknown>();
  readonly #clock: Clock;
  readonly #every: number;
  readonly #tick: (member: Member) => void;
  readonly #ownTimers: boolean;
  #job: Job | undefined;

  /**
   * @param every milliseconds between the calls for a member; 0 for no calls
   * @param tick may delete members
   * @param ownTimers whether each member has its own timer; default: whether the platform requires that
   */
  constructor(
    clock: Clock,
    every: number,
    tick: (member: Member) => void,
    ownTimers = timersEndWithRequests,
  ) {
    this.#clock = clock;
    this.#every = every;
    this.#tick = tick;
    this.#ownTimers = ownTimers;
  }

  add(member: Member): void {
    if (this.#every === 0) return;
    if (this.#ownTimers) return this.#time(member);
    this.#members.set(member, undefined);
    this.#job ??= sharedTimerOf(this.#clock).schedule(this.#all, this.#every);
  }

  delete(member: Member): void {
    if (this.#ownTimers) this.#clock.clear(this.#members.get(member));
    this.#members.delete(member);
    if (this.#members.size > 0 || !this.#job) return;
    sharedTimerOf(this.#clock).clear(this.#job);
    this.#job = undefined;
  }

  clear(): void {
    for (const member of this.#members.keys()) this.delete(member);
  }

  #time(member: Member): void {
    const again = (): void => {
      this.#time(member);
      this.#tick(member);
    };
    this.#members.set(member, unref(this.#clock.schedule(again, this.#every)));
  }

  readonly #all = (): void => {
    this.#job = undefined;
    for (const member of this.#members.keys()) this.#tick(member);
    if (this.#members.size > 0) this.#job = sharedTimerOf(this.#clock).schedule(this.#all, this.#every);
  };
}
