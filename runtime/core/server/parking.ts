import {
  Admission,
  afterTurn,
  BoundedMap,
  McpError,
  type Params,
  Pending,
  type RequestId,
  type RequestMessage,
  weightOf,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { judgedAnswer, toSend } from "./ask.js";
import type { AskOptions } from "./context.js";
import type { RequestContext } from "./request.js";
import {
  type Asked,
  answersIn,
  type LostCause,
  lost,
  markUsed,
  sealState,
  type State,
  stateUsed,
} from "./rounds.js";
import { type Judge, placeOf, SerialisedResult, type ServerDefinition } from "./server-definition.js";

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

/** Bytes of questions and results that wait, for all principals and for one. */
const mostBytes = { bytes: 64 * 1_048_576, share: 4 * 1_048_576 };

/** Milliseconds for which the answer to a round is kept for a client that repeats its state. */
const keptMs = 30_000;
const kept = { count: 1000, bytes: 16 * 1_048_576, lifeMs: keptMs, full: "evict" } as const;

/** The ends of calls, so that a late state gets the true cause. */
const ends = { count: 10_000, lifeMs: 3_600_000, full: "evict" } as const;

/** A question of a handler that has no answer. */
interface Question {
  readonly id: RequestId;
  readonly asked: Asked;
  readonly judge: Judge;
  readonly bytes: number;
  /** It was part of an earlier round. */
  isSent: boolean;
}

/** How a round ended. */
type Outcome = { readonly text: string } | { readonly error: McpError };

interface Waiter {
  resolve(result: Params | SerialisedResult): void;
  reject(error: Error): void;
  readonly context: RequestContext;
}

/** Calls whose handlers wait for answers of their clients, between the rounds of a request (2026-07-28, multi round-trip requests). */
export class Parking {
  /** The option says how calls wait. */
  readonly isGiven: boolean;
  readonly #definition: ServerDefinition;
  readonly #room: Admission;
  /** How long calls wait: by the id of the call. */
  readonly #lives: Pending<never>;
  readonly #asks: Pending<Params>;
  readonly #calls = new Map<string, ParkedCall>();
  /** The answers of the last rounds, by call and round. */
  readonly #kept: BoundedMap<string, Outcome>;
  readonly #ends: BoundedMap<string, LostCause | "answered">;
  /** Called when a call ends. */
  #listeners: (() => void)[] = [];

  constructor(definition: ServerDefinition, option: ParkingLimits | "routed" | undefined) {
    const { clock, timeouts } = definition;
    const { calls = 1000, perPrincipal = 32 } = (option === "routed" ? undefined : option) ?? {};
    this.isGiven = option !== undefined;
    const now = (): number => clock.now();
    this.#definition = definition;
    this.#room = new Admission({
      count: calls,
      bytes: mostBytes.bytes,
      share: { count: perPrincipal, bytes: mostBytes.share },
    });
    this.#lives = new Pending({ clock, timeouts: waits });
    this.#asks = new Pending({ clock, timeouts: { timeout: Infinity, totalTimeout: Infinity, ...timeouts } });
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
    context: RequestContext,
    key: string,
    asked: Asked,
    options: AskOptions | undefined,
    judge: Judge,
  ): Promise<Params> {
    const call = (context.parked ??= this.#park(context));
    if (call.end) throw call.end;
    const bytes = weightOf(asked, mostBytes.share);
    if (!this.grow(call, bytes)) throw asksLimit("memory");
    const id = this.#asks.nextId();
    call.add(key, { id, asked, judge, bytes, isSent: false });
    const { signal } = context;
    return this.#asks.wait(id, asked.method, { ...options, signal }, () => call.remove(key));
  }

  #park(context: RequestContext): ParkedCall {
    const { connection, over } = context;
    if (over) throw new McpError("cancelled", "the request is over");
    const call = new ParkedCall(this, context);
    const refused = this.#room.admit(call.principal, 0);
    if (refused) throw asksLimit(refused === "share" ? "perPrincipal" : "calls");
    this.#calls.set(call.id, call);
    // Without a connection that lasts, a call outlives each of its rounds.
    if (!connection.isBrief)
      connection.onEnd(() => call.lapse("cancelled", new McpError("connection-closed", "the client is gone")));
    return call;
  }

  /** Takes bytes for a call. Returns whether there is room. */
  grow(call: ParkedCall, bytes: number): boolean {
    if (this.#room.admit(call.principal, bytes, 0)) return false;
    call.bytes += bytes;
    return true;
  }

  shrink(call: ParkedCall, bytes: number): void {
    call.bytes -= bytes;
    this.#room.release(call.principal, bytes, 0);
  }

  /** Milliseconds that a call may still wait. */
  leftOf({ started }: ParkedCall): number {
    return Math.min(waits.timeout, started + waits.totalTimeout - this.#definition.clock.now());
  }

  /** A round has gone out: the call waits for the next one. */
  waits(call: ParkedCall): void {
    const { context, id, started, sent: round } = call;
    const expire = (): void => call.lapse("expired", expired());
    this.#lives.wait(id, context.method, {}, expire, started).catch(() => {});
    this.#emit("call-parked", call, { round });
  }

  #emit(type: "call-parked", call: ParkedCall, more: { readonly round: number }): void;
  #emit(type: "call-lost", call: ParkedCall, more: { readonly cause: LostCause }): void;
  #emit(type: "call-parked" | "call-lost", { context }: ParkedCall, more: object): void {
    const { connection, method, request } = context;
    const place = placeOf(method, request.params);
    connection.emit({ type, ...place, ...more, parked: this.size } as never);
  }

  /** Rejects a question. */
  refuse({ id }: Question, error: Error): void {
    this.#asks.take(id)?.reject(error);
  }

  /** Keeps the answer to a round for a client that repeats its state. */
  keep({ id, taken, principal = "" }: ParkedCall, outcome: Outcome): void {
    if (taken === 0) return;
    const bytes = "text" in outcome ? 2 * outcome.text.length : 0;
    this.#kept.set(`${id} ${taken}`, outcome, { bytes, principal });
  }

  /** A call has ended. */
  ended(call: ParkedCall, how: LostCause | "answered"): void {
    if (!this.#calls.delete(call.id)) return;
    this.#lives.take(call.id);
    this.#room.release(call.principal, call.bytes);
    this.#ends.set(call.id, how);
    if (how !== "answered") this.#emit("call-lost", call, { cause: how });
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /**
   * Continues a call with the answers of a request.
   *
   * @param next carries the state
   * @returns the answer, if the state was used before; nothing, if the call answers the request itself
   * @throws {McpError} `state-lost`, `state-used`; `invalid-params`: an answer is wrong, and nothing has run
   */
  async resume(next: RequestContext, state: State): Promise<Params | SerialisedResult> {
    const { request: id, round } = state.chain;
    const known = this.#kept.get(`${id} ${round}`);
    if (known) return again(known, next);
    const call = this.#calls.get(id);
    if (!call) {
      const how = this.#ends.get(id) ?? "not-here";
      throw how === "answered" ? stateUsed() : lost(how);
    }
    if (round !== call.sent) throw stateUsed();
    if (call.taken === round) return call.follow(next);
    const answers = await call.judged(next);
    if (next.over) return answeredElsewhere();
    if (call.taken === round || call.end) return this.resume(next, state);
    call.taken = round;
    this.#lives.take(id);
    try {
      await markUsed(state, next);
    } catch (error) {
      call.taken = round - 1;
      if (!call.end) this.waits(call);
      throw error;
    }
    if (next.over) call.lapse("cancelled", new McpError("cancelled", "the client is gone"));
    if (call.end) throw lost("cancelled");
    call.continues(next);
    for (const [key, answer] of answers) {
      const question = call.remove(key);
      if (question) this.#asks.take(question.id)?.resolve(answer);
    }
    call.proceed();
    return answeredElsewhere();
  }

  /** Whether a parsed message may continue a call that waits here. */
  awaits(message: unknown): boolean {
    const state = (message as RequestMessage).params?.["requestState"];
    return this.size > 0 && typeof state === "string" && !this.#definition.seal.isForeign(state);
  }

  /** Resolves when none of these calls waits. @param which by their contexts */
  async idle(which: (context: RequestContext) => boolean): Promise<void> {
    while (this.#of(which).length > 0) await new Promise<void>((resolve) => this.#listeners.push(resolve));
  }

  /** Ends these calls. Returns their number. @param which by their contexts; without it, all */
  close(which?: (context: RequestContext) => boolean): number {
    const found = this.#of(which);
    for (const call of found)
      call.lapse("cancelled", new McpError("connection-closed", "the server is closing"));
    return found.length;
  }

  #of(which: (context: RequestContext) => boolean = () => true): ParkedCall[] {
    return [...this.#calls.values()].filter(({ context }) => which(context));
  }
}

/** In place of the result of a request that the handler that waited answers, or that nobody waits for. */
function answeredElsewhere(): Promise<never> {
  return new Promise(() => {});
}

/** One call whose handler asks. */
export class ParkedCall {
  readonly id = crypto.randomUUID();
  /** The context of its handler: that of its first request, continued in each later one. */
  readonly context: RequestContext;
  readonly principal: string | undefined;
  readonly started: number;
  /** Bytes reserved for it. */
  bytes = 0;
  /** Rounds that were sent. */
  sent = 0;
  /** The last round whose state was used. */
  taken = 0;
  /** Why it has ended before its handler. */
  end: McpError | undefined;
  readonly #parking: Parking;
  readonly #questions = new Map<string, Question>();
  /** Requests that repeat the state of the round that runs. */
  readonly #waiters: Waiter[] = [];
  /** No request of the client is open: what the handler sends waits for the next one. */
  #isAway = false;
  #isDue = false;
  /** What the handler did while it was away. */
  #held: (() => void)[] = [];

  constructor(parking: Parking, context: RequestContext) {
    const { connection } = context;
    this.#parking = parking;
    this.context = context;
    this.started = connection.definition.clock.now();
    const { principal, http } = connection;
    this.principal = principal || (http ? http.address : "");
  }

  /** Whether no request of the client is open. */
  get isAway(): boolean {
    return this.#isAway;
  }

  add(key: string, question: Question): void {
    this.#questions.set(key, question);
    this.#soon();
  }

  remove(key: string): Question | undefined {
    const question = this.#questions.get(key);
    if (this.#questions.delete(key) && !this.end) this.#parking.shrink(this, question!.bytes);
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
    if (isKept)
      this.#held.push(() => {
        this.#parking.shrink(this, bytes);
        later();
      });
    return isKept;
  }

  /** Sends the questions after this turn: asks that start together go out together. */
  #soon(): void {
    if (this.#isAway || this.#isDue) return;
    this.#isDue = true;
    afterTurn(() => {
      this.#isDue = false;
      void this.#leave();
    });
  }

  /** Answers the request with the questions, and waits for the next one. */
  async #leave(): Promise<void> {
    const { context } = this;
    const encoding = context.rounds!.encoding.splice(0);
    if (encoding.length > 0) await Promise.allSettled(encoding).then(() => this.#soon());
    if (encoding.length > 0 || this.#isAway || context.over) return;
    const lifetime = this.#parking.leftOf(this);
    const asked: { [key: string]: Asked } = {};
    for (const [key, question] of this.#questions)
      try {
        if (lifetime <= 0) throw expired();
        asked[key] = toSend(context, question.asked, !question.isSent);
      } catch (error) {
        this.remove(key);
        this.#parking.refuse(question, error as Error);
      }
    const keys = Object.keys(asked);
    if (keys.length === 0) return;
    this.#isAway = true;
    const chain = { request: this.id, round: this.sent + 1 };
    let text: string;
    try {
      text = context.roundText(asked, await sealState(chain, lifetime, context));
    } catch (error) {
      this.#isAway = false;
      for (const key of keys) this.#parking.refuse(this.remove(key)!, error as Error);
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
  async judged(next: RequestContext): Promise<readonly (readonly [string, Params])[]> {
    const given = Object.entries(answersIn(next.request));
    const found: (readonly [string, Params])[] = [];
    for (const [key, answer] of given) {
      const question = this.#questions.get(key);
      if (!question?.isSent) continue;
      found.push([key, await judgedAnswer(next, key, question.asked, answer, question.judge)]);
    }
    return found;
  }

  /** Another request is answered by this call. */
  continues(next: RequestContext): void {
    this.context.continueIn(next);
    this.#isAway = false;
  }

  /** Does what waited for a request. */
  proceed(): void {
    for (const later of this.#held.splice(0)) later();
    if (this.#questions.size > 0) this.#soon();
  }

  /** Waits for the answer to the round that runs, for a request that repeats its state. */
  follow(context: RequestContext): Promise<Params | SerialisedResult> {
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject, context }));
  }

  #answered(outcome: Outcome): void {
    this.#parking.keep(this, outcome);
    for (const { context, resolve, reject } of this.#waiters.splice(0))
      again(outcome, context).then(resolve, reject);
  }

  /** Its handler has ended, and the request is answered. */
  done(outcome: Outcome): void {
    this.#answered(outcome);
    this.#end(new McpError("cancelled", "the handler has ended"), "answered");
  }

  /** The client has cancelled the request in which it ran, or is gone. */
  cancelled(reason: McpError): void {
    this.#end(reason, "cancelled");
  }

  /** Ends while its client has no request open. */
  lapse(cause: LostCause, reason: McpError): void {
    if (this.end) return;
    this.#end(reason, cause);
    this.context.lapse(reason);
  }

  #end(reason: McpError, how: LostCause | "answered"): void {
    if (this.end) return;
    this.end = reason;
    for (const question of this.#questions.values()) this.#parking.refuse(question, reason);
    this.#questions.clear();
    this.#held = [];
    this.#parking.ended(this, how);
    if (how === "answered") return;
    for (const { reject } of this.#waiters.splice(0)) reject(lost(how));
  }
}

/** Answers a request as the one with the same state was answered. */
async function again(outcome: Outcome, { protocol }: RequestContext): Promise<SerialisedResult> {
  if ("error" in outcome) throw outcome.error;
  return SerialisedResult.of(outcome.text, protocol.revision);
}

/** The error for a call beyond a bound. @param limit a member of `state.parking`, or `memory` */
export function asksLimit(limit: string): McpError {
  return new McpError("asks-limit", `too many calls wait for answers of their clients (${limit})`, {
    rpcCode: rpc.invalidRequest,
    data: { code: "asks-limit", limit: `state.parking.${limit}` },
  });
}

function expired(): McpError {
  return new McpError("ask-expired", "the client did not answer in time", { data: { code: "ask-expired" } });
}
