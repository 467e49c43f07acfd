import { Admission } from "../admission/admission.js";
import { BoundedMap } from "../admission/bounded-map.js";
import type * as platform from "../platform/platform.js";
import type { Clock } from "../time/clock.js";
import { McpError } from "./errors.js";
import type { Params, RequestId, RequestMessage } from "./message.js";
import { afterTurn, JsonRpcPeer } from "./peer.js";
import type { Pending, Timeouts } from "./pending.js";
import { type LostCause, type Round, identityOf, lost, ofOtherRequest, stateUsed } from "./round-state.js";
import * as rpc from "./rpc-codes.js";

/** The request of a call, as it waits: it goes on in each request of its client that brings answers. */
export interface Waiting {
  readonly method: string;
  /** Nothing more is sent for it. */
  readonly over: boolean;
  readonly signal: platform.AbortSignal;
  /** Whose share of the bounds it uses; without a name, only the bounds of all apply. */
  readonly owner: string | undefined;
  /** Its call, if its handler waits. */
  readonly parked?: { done(outcome: Outcome): void } | undefined;
  /** The state with which its handler runs again. */
  readonly rounds?: { readonly before?: Round } | undefined;
  readonly request: RequestMessage;
  /** The parts of questions that are still being made. */
  takeEncoding(): readonly Promise<unknown>[];
  /** A question as the client gets it. @param isNew it was not sent before @throws {McpError} the client cannot get it */
  questionOf(asked: Asked, isNew: boolean): Asked;
  /** The text of the result that ends a round. @param lifetime milliseconds */
  roundText(asked: Readonly<Record<string, Asked>>, round: Round, lifetime: number): Promise<string>;
  answerRound(text: string): void;
  /** The answers that it brings, by key. */
  answersGiven(): Readonly<Record<string, unknown>>;
  /** Reads and judges an answer. @throws {McpError} it is wrong */
  judged(question: Judged, answer: unknown): Promise<Params>;
  /** Continues in another request. */
  continueIn(next: this): void;
  /** Ends while its client has no request open. */
  lapse(reason: McpError): void;
}

/** A request to the client inside a result (`InputRequests`). */
export interface Asked {
  readonly method: string;
  readonly params?: Params;
}

/** A question, and how its answer is judged; without `judge`, it is passed on as it is. */
export interface Judged {
  readonly key: string;
  readonly asked: Asked;
  readonly judge?: Judge | undefined;
}

/** Judges an answer by the form that asked for it. @throws {McpError} `invalid-result` */
export type Judge = (answer: Params) => Promise<void>;

/** What happens to the calls of a parking. */
export interface ParkingEvent {
  readonly type: "call-parked" | "call-lost";
  readonly round?: number;
  readonly cause?: LostCause;
  /** Calls that wait now. */
  readonly parked: number;
}

/** Bounds of the calls that wait for answers of their clients. */
export interface ParkingLimits {
  /** Calls that wait. Default: 1000. */
  readonly calls?: number;
  /** Calls that wait for one principal; over HTTP without `authenticate`, for one address. Default: 32. */
  readonly perPrincipal?: number;
}

/** How calls wait, or that none does. */
export type ParkingOption = ParkingLimits | "routed" | false;

/** Milliseconds that a call waits between two rounds, and in all. */
const waits = { timeout: 300_000, totalTimeout: 600_000 };

/** By default a question waits as long as its call. */
const unlimited: Timeouts = { timeout: Infinity, totalTimeout: Infinity };

/** Bytes of questions and results that wait: for each call that all principals, and that one principal may have. */
const bytesPerCall = { whole: 65_536, share: 131_072 };

/** Milliseconds for which the answer to a round is kept for a client that repeats its state. */
const keptMs = 30_000;
const kept = { count: 1000, bytes: 16 * 1_048_576, lifeMs: keptMs, full: "evict" } as const;

/** The ends of calls, so that a late state gets the true cause. */
const ends = { count: 10_000, lifeMs: 3_600_000, full: "evict" } as const;

/** A question of a handler that has no answer. */
interface Question extends Judged {
  readonly id: RequestId;
  readonly bytes: number;
  /** It was part of an earlier round. */
  isSent: boolean;
}

/** How a round ended. */
export type Outcome = { readonly text: string } | { readonly error: McpError };

interface Waiter {
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/** The answer to a state, and the identity of the request. */
interface Kept {
  readonly outcome: Outcome;
  readonly identity: string;
}

/** Calls whose handlers wait for answers of their clients, between the rounds of a request (2026-07-28, multi round-trip requests). */
export class Parking<Context extends Waiting> {
  /** The option says how calls wait. */
  readonly isGiven: boolean;
  /**
   * Lets another process answer a request whose call does not wait here. Settles only if none does: with the reason, or with
   * the failure of the store. A cluster sets it.
   */
  relay: ((next: Context) => Promise<LostCause>) | undefined;
  readonly #clock: Clock;
  readonly #report: (context: Context, event: ParkingEvent) => void;
  readonly #room: Admission;
  /** Questions by number, and by the ids of calls how long each waits. */
  readonly #pending: Pending<Params>;
  readonly #calls = new Map<string, ParkedCall<Context>>();
  /** The answers to the last states, by request and round. */
  readonly #kept: BoundedMap<string, Kept>;
  readonly #ends: BoundedMap<string, LostCause | "answered">;
  /** Called when a call ends. */
  #listeners: (() => void)[] = [];

  constructor(
    { clock, timeouts }: { readonly clock: Clock; readonly timeouts?: Partial<Timeouts> | undefined },
    option: ParkingLimits | "routed" | undefined,
    report: (context: Context, event: ParkingEvent) => void,
  ) {
    const { calls = 1000, perPrincipal = 32 } = (option === "routed" ? undefined : option) ?? {};
    const now = (): number => clock.now();
    this.isGiven = option !== undefined;
    this.#clock = clock;
    this.#report = report;
    this.#room = new Admission({
      count: calls,
      bytes: calls * bytesPerCall.whole,
      share: { count: perPrincipal, bytes: perPrincipal * bytesPerCall.share },
    });
    // Questions are requests to the client, whose answers come another way.
    const { pending } = new JsonRpcPeer<Params, never>({ clock, timeouts: { ...unlimited, ...timeouts } });
    this.#pending = pending;
    this.#kept = new BoundedMap({ ...kept, now });
    this.#ends = new BoundedMap({ ...ends, now });
  }

  /** Number of calls that wait, or run in a later round. */
  get size(): number {
    return this.#calls.size;
  }

  /** Bytes of questions and results that wait. */
  get bytes(): number {
    return this.#room.used.bytes;
  }

  /**
   * Asks the client of a call, whose handler waits. What is asked in one turn goes out as one round.
   *
   * @throws {McpError} `asks-limit`, `ask-expired`, `timeout`, `cancelled`
   */
  ask(
    call: ParkedCall<Context>,
    { key, asked: given, judge }: Judged,
    limits: Partial<Timeouts> | undefined,
  ): Promise<Params> {
    if (call.end) throw call.end;
    // It is sent later, and again in each round: its text is what counts, and does not change.
    const text = JSON.stringify(given);
    const asked = JSON.parse(text) as Asked;
    const bytes = 2 * text.length;
    if (!this.grow(call, bytes)) throw asksLimit("memory");
    const id = this.#pending.nextId();
    call.add({ id, key, asked, judge, bytes, isSent: false });
    const { signal } = call.context;
    return this.#pending.wait(id, asked.method, { ...limits, signal }, () => call.remove(key));
  }

  /** A handler asks for the first time. @throws {McpError} `asks-limit`, `cancelled` */
  park(context: Context): ParkedCall<Context> {
    if (context.over) throw new McpError("cancelled", "the request is over");
    const call = new ParkedCall(this, context, this.#clock.now());
    const refused = this.#room.admit(call.principal, 0);
    if (refused) throw asksLimit(refused === "share" ? "perPrincipal" : "calls");
    this.#calls.set(call.id, call);
    return call;
  }

  /** Takes bytes for a call. Returns whether there is room. */
  grow(call: ParkedCall<Context>, bytes: number): boolean {
    if (this.#room.admit(call.principal, bytes, 0)) return false;
    call.bytes += bytes;
    return true;
  }

  shrink(call: ParkedCall<Context>, bytes: number): void {
    call.bytes -= bytes;
    this.#room.release(call.principal, bytes, 0);
  }

  /** Milliseconds that a call may still wait. */
  leftOf({ started }: ParkedCall<Context>): number {
    return Math.min(waits.timeout, started + waits.totalTimeout - this.#clock.now());
  }

  /** A round has gone out: the call waits for the next one. */
  waits(call: ParkedCall<Context>): void {
    const { context, id, sent: round } = call;
    const expire = (): void => call.lapse("expired", expired());
    this.#pending.wait(id, context.method, waits, expire, call).catch(() => {});
    this.#report(context, { type: "call-parked", round, parked: this.size });
  }

  /** Rejects a question. */
  refuse({ id }: Question, error: Error): void {
    this.#pending.take(id)?.reject(error);
  }

  /** A request is answered. */
  answered(context: Context, outcome: Outcome): void {
    context.parked?.done(outcome);
    const before = context.rounds?.before;
    if (before) this.keep(before, context, outcome, identityOf(context.request));
  }

  /** Keeps the answer to a state for a client that repeats it. */
  keep(round: Round, context: Context, outcome: Outcome, identity: string): void {
    const bytes = 2 * (identity.length + ("text" in outcome ? outcome.text.length : 0));
    this.#kept.set(keyOf(round), { outcome, identity }, { bytes, principal: context.owner ?? "" });
  }

  /** A call has ended. */
  ended(call: ParkedCall<Context>, how: LostCause | "answered"): void {
    if (!this.#calls.delete(call.id)) return;
    this.#pending.take(call.id);
    this.#room.release(call.principal, call.bytes);
    this.#ends.set(call.id, how, { principal: call.principal ?? "" });
    if (how !== "answered") this.#report(call.context, { type: "call-lost", cause: how, parked: this.size });
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /**
   * Continues a call with the answers of a request.
   *
   * @param next the request
   * @param use records that its state is used; absent if its handler runs again
   * @returns the result, if the state was used before; `undefined`, if the handler runs again. Never settles, if the call or
   *   another process answers the request
   * @throws {McpError} `state-lost`, `state-used`, `state-rejected`: it belongs to another request; errors of `use`;
   *   `invalid-params`: an answer is wrong, and nothing has run; the error that the state was answered with before
   */
  async resume(
    next: Context,
    round: Round,
    use: (() => Promise<void>) | undefined,
  ): Promise<string | undefined> {
    const outcome = await this.#outcome(next, round, use);
    if (outcome && "error" in outcome) throw outcome.error;
    return outcome?.text;
  }

  async #outcome(
    next: Context,
    chain: Round,
    use: (() => Promise<void>) | undefined,
  ): Promise<Outcome | undefined> {
    const { request: id, round } = chain;
    const known = this.#kept.get(keyOf(chain));
    const call = this.#calls.get(id);
    const identity = known?.identity ?? call?.identity;
    if (identity !== undefined && identity !== identityOf(next.request)) throw ofOtherRequest();
    if (known || !use) return known?.outcome;
    if (!call) {
      const how = this.#ends.get(id) ?? (await this.relay?.(next)) ?? "not-here";
      throw how === "answered" ? stateUsed() : lost(how);
    }
    if (round !== call.sent) throw stateUsed();
    if (call.taken === round) return call.follow();
    const answers = await call.judged(next);
    if (next.over) throw lost("cancelled");
    // Another request may have used the state meanwhile, and the call may have gone on by rounds.
    const isUsed = call.taken === round || call.sent !== round || call.end !== undefined;
    if (isUsed) return this.#outcome(next, chain, use);
    call.taken = round;
    try {
      await use();
    } catch (error) {
      call.released(error as Error);
      throw error;
    }
    // Only now its time to wait is over: a store may never answer.
    this.#pending.take(id);
    if (next.over) call.lapse("cancelled", new McpError("cancelled", "the client is gone"));
    if (call.end) throw lost((this.#ends.get(id) ?? "cancelled") as LostCause);
    try {
      call.continues(next);
    } catch (error) {
      call.lapse("cancelled", error as McpError);
      throw error;
    }
    for (const [key, answer] of answers) {
      const question = call.remove(key);
      if (question) this.#pending.take(question.id)?.resolve(answer);
    }
    call.proceed();
    return answeredElsewhere();
  }

  /** Whether a state may be that of a call that waits here. @param isForeign whether a state names another process */
  awaits(state: unknown, isForeign: (state: string) => boolean): boolean {
    return this.size > 0 && typeof state === "string" && !isForeign(state);
  }

  /** Resolves when none of these calls waits. @param which by their contexts */
  async idle(which: (context: Context) => boolean): Promise<void> {
    while (this.#of(which).length > 0) await new Promise<void>((resolve) => this.#listeners.push(resolve));
  }

  /** Ends these calls. Returns their number. @param which by their contexts; without it, all */
  close(reason: string, which?: (context: Context) => boolean): number {
    const found = this.#of(which);
    for (const call of found) call.lapse("cancelled", new McpError("connection-closed", reason));
    return found.length;
  }

  #of(which: (context: Context) => boolean = () => true): ParkedCall<Context>[] {
    return [...this.#calls.values()].filter(({ context }) => which(context));
  }
}

function keyOf({ request, round }: Round): string {
  return `${request} ${round}`;
}

/** In place of the result of a request that the handler that waited answers, or that has ended. */
function answeredElsewhere(): Promise<never> {
  return new Promise(() => {});
}

/** What a handler did between two requests. */
interface Held {
  readonly bytes: number;
  readonly later: () => void;
}

/** One call whose handler asks. */
export class ParkedCall<Context extends Waiting> {
  readonly id = crypto.randomUUID();
  /** The context of its handler: that of its first request, continued in each later one. */
  readonly context: Context;
  readonly principal: string | undefined;
  readonly started: number;
  /** Bytes reserved for it. */
  bytes = 0;
  /** Rounds that were sent. */
  sent = 0;
  /** The last round whose state was used. */
  taken = 0;
  #end: McpError | "answered" | undefined;
  #identity: string | undefined;
  readonly #parking: Parking<Context>;
  readonly #questions = new Map<string, Question>();
  /** Requests that repeat the state of the round that runs. */
  readonly #waiters: Waiter[] = [];
  /** No request of the client is open: what the handler sends waits for the next one. */
  #isAway = false;
  #isDue = false;
  /** What the handler did while it was away. */
  #held: Held[] = [];

  constructor(parking: Parking<Context>, context: Context, started: number) {
    this.#parking = parking;
    this.context = context;
    this.principal = context.owner;
    this.started = started;
  }

  /** What is the same in all requests of the call. */
  get identity(): string {
    return (this.#identity ??= identityOf(this.context.request));
  }

  /** Why it takes no further question. */
  get end(): McpError | undefined {
    return this.#end === "answered" ? new McpError("cancelled", "the handler has ended") : this.#end;
  }

  /** Whether no request of the client is open. */
  get isAway(): boolean {
    return this.#isAway;
  }

  add(question: Question): void {
    this.#questions.set(question.key, question);
    this.#soon();
  }

  remove(key: string): Question | undefined {
    const question = this.#questions.get(key);
    if (this.#questions.delete(key) && !this.#end) this.#parking.shrink(this, question!.bytes);
    return question;
  }

  /**
   * Keeps for the next request what the handler does between two.
   *
   * @param bytes that it takes
   * @returns whether there is room
   */
  hold(bytes: number, later: () => void): boolean {
    const isKept = this.#parking.grow(this, bytes);
    if (isKept) this.#held.push({ bytes, later });
    return isKept;
  }

  /** Keeps the end of the handler. Without room, it takes that of reports, and then only the error `asks-limit` is kept. */
  holdEnd(bytes: number, later: () => void, refuse: (error: McpError) => void): void {
    if (this.hold(bytes, later)) return;
    for (const { bytes: freed } of this.#held.splice(0)) this.#parking.shrink(this, freed);
    if (!this.hold(bytes, later)) this.hold(0, () => refuse(asksLimit("memory")));
  }

  /** Sends the questions after this turn: asks that start together go out together. */
  #soon(): void {
    if (this.#isAway || this.#isDue) return;
    this.#isDue = true;
    afterTurn(() => {
      this.#isDue = false;
      this.#leave().catch((error: Error) =>
        this.lapse("cancelled", new McpError("connection-closed", error.message, { cause: error })),
      );
    });
  }

  /** Answers the request with the questions, and waits for the next one. */
  async #leave(): Promise<void> {
    const { context } = this;
    const encoding = context.takeEncoding();
    if (encoding.length > 0) await Promise.allSettled(encoding).then(() => this.#soon());
    if (encoding.length > 0 || this.#isAway || context.over) return;
    const lifetime = this.#parking.leftOf(this);
    const asked: [key: string, question: Asked][] = [];
    for (const [key, question] of this.#questions)
      try {
        if (lifetime <= 0) throw expired();
        asked.push([key, context.questionOf(question.asked, !question.isSent)]);
      } catch (error) {
        this.remove(key);
        this.#parking.refuse(question, error as Error);
      }
    const keys = asked.map(([key]) => key);
    if (keys.length === 0) return;
    this.#isAway = true;
    const chain = { request: this.id, round: this.sent + 1 };
    let text: string;
    try {
      text = await context.roundText(Object.fromEntries(asked), chain, lifetime);
    } catch (error) {
      this.#isAway = false;
      for (const key of keys) {
        const question = this.remove(key);
        if (question) this.#parking.refuse(question, error as Error);
      }
      return this.proceed();
    }
    if (context.over) return;
    for (const key of keys) {
      const question = this.#questions.get(key);
      if (question) question.isSent = true;
    }
    this.#answered({ text });
    this.sent++;
    this.#parking.waits(this);
    context.answerRound(text);
  }

  /** Judges the answers of a request. @throws {McpError} `invalid-params`: one is wrong */
  async judged(next: Context): Promise<readonly (readonly [string, Params])[]> {
    const found: (readonly [string, Params])[] = [];
    for (const [key, answer] of Object.entries(next.answersGiven())) {
      const question = this.#questions.get(key);
      if (question?.isSent) found.push([key, await next.judged(question, answer)]);
    }
    return found;
  }

  /** Another request is answered by this call. */
  continues(next: Context): void {
    this.context.continueIn(next);
    this.#isAway = false;
  }

  /** Does what waited for a request. */
  proceed(): void {
    for (const { bytes, later } of this.#held.splice(0)) {
      this.#parking.shrink(this, bytes);
      later();
    }
    if (this.#questions.size > 0) this.#soon();
  }

  /** Its state could not be used, and stays good. */
  released(error: Error): void {
    this.taken--;
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  /** Waits for the answer to the round that runs, for a request that repeats its state. */
  follow(): Promise<Outcome> {
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  #answered(outcome: Outcome): void {
    const { id: request, taken: round, context } = this;
    if (round > 0) this.#parking.keep({ request, round }, context, outcome, this.identity);
    for (const { resolve } of this.#waiters.splice(0)) resolve(outcome);
  }

  /** Its handler has ended, and the request is answered. */
  done(outcome: Outcome): void {
    this.#answered(outcome);
    this.#finish("answered", "answered");
  }

  /** The client has cancelled the request in which it ran, or is gone. */
  cancelled(reason: McpError): void {
    this.#finish(reason, "cancelled");
  }

  /** Ends while its client has no request open. */
  lapse(cause: LostCause, reason: McpError): void {
    if (this.#end) return;
    this.#finish(reason, cause);
    this.context.lapse(reason);
  }

  #finish(end: McpError | "answered", how: LostCause | "answered"): void {
    if (this.#end) return;
    this.#end = end;
    for (const question of this.#questions.values()) this.#parking.refuse(question, this.end!);
    this.#questions.clear();
    this.#held = [];
    this.#parking.ended(this, how);
    if (how === "answered") return;
    for (const { reject } of this.#waiters.splice(0)) reject(lost(how));
  }
}

/** The error for a call beyond a bound. @param limit a member of `state.parking`, or `memory` */
function asksLimit(limit: string): McpError {
  return new McpError("asks-limit", `too many calls wait for answers of their clients (${limit})`, {
    rpcCode: rpc.invalidRequest,
    data: { code: "asks-limit", limit: `state.parking.${limit}` },
  });
}

function expired(): McpError {
  return new McpError("ask-expired", "the client did not answer in time", { data: { code: "ask-expired" } });
}
