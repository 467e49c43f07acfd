import type { StateOptions } from "@mcpgen/runtime";
import type { Members, Wired } from "../support/sent-messages.js";
import { answerTo, formOf, wrongAnswerTo } from "./answers.js";
import type { Run } from "./journal.js";
import type { Line, Sent } from "./line.js";
import type { Ending, Manner, Plan, Try } from "./plan.js";
import { type Site, modes, paramsOf } from "./site.js";

/** A round that the client got. */
interface Round {
  readonly state: string;
  /** When it came. */
  readonly at: number;
  readonly asked: { readonly [key: string]: Wired };
  /** The response to its answers, when it came, and the number of the process that gave it. */
  reply?: { readonly text: string; readonly at: number; readonly process: number };
}

/** How a conversation ended. */
export interface Course {
  /** The last response, if there is one. */
  readonly last: Wired | undefined;
  readonly ending: Ending | undefined;
  /** Number of rounds that asked. */
  readonly rounds: number;
  /** Whether two clients gave different answers to one round. */
  readonly isRaced: boolean;
}

/** Milliseconds for which an answer is given again. */
const kept = 30_000;

/** Milliseconds that a state lasts, of a handler that runs again. */
const lifetime = 600_000;

/** Milliseconds before a try. */
const delays: { readonly [how in Try]?: number } = { late: kept, slow: 250_000 };

/** A fault that a conversation found. */
export class Fault extends Error {
  override readonly name = "Fault";
}

/** One call at 2026-07-28, by a client that answers each round, and by those who disturb it. */
export class Conversation {
  readonly #site: Site;
  readonly #plan: Plan;
  readonly #rounds: Round[] = [];
  #ending: Plan["ending"];
  /** When the handler first asked, and when the last round came. */
  #times = { first: 0, last: 0 };
  #isWithdrawn = false;
  #isRaced = false;
  /** Number of processes that served the call, one after the other. */
  #processes = 1;

  constructor(site: Site, plan: Plan) {
    this.#site = site;
    this.#plan = plan;
    this.#ending = plan.ending;
  }

  async hold(): Promise<Course> {
    let last = await this.#sent({});
    while (last?.result?.["resultType"] === "input_required") {
      const round = await this.#takes(last.result);
      const { tries = [], manner = "plain" } = this.#plan.rounds[this.#rounds.length - 1] ?? {};
      for (const each of tries) {
        await this.#passes(delays[each] ?? 0);
        if (this.#isExpired) return this.#expired(round);
        await this.#quietly(each, () => this.#try(each, round));
      }
      const { how, round: at = Infinity } = this.#ending ?? {};
      if (how !== undefined && how !== "gone" && this.#rounds.length > at) {
        const course = await this.#ends(how, round);
        if (course) return course;
      }
      last = await this.#answers(round, manner);
    }
    if (!last) return this.#course(last, "gone");
    for (const ms of [0, kept]) {
      await this.#passes(ms);
      await this.#quietly("a repeated state", () => this.#repeats());
    }
    return this.#course(last, undefined);
  }

  #course(last: Wired | undefined, ending: Ending | undefined): Course {
    return { last, ending, rounds: this.#rounds.length, isRaced: this.#isRaced };
  }

  /** Whether the handler waits; otherwise it runs again. */
  get #waits(): boolean {
    return modes[this.#site.setting.mode].does === "waits";
  }

  /** Whether the process keeps the answers to used states for a while. */
  get #remembers(): boolean {
    const { state }: { readonly state: StateOptions } = modes[this.#site.setting.mode];
    return state.parking !== false;
  }

  get #isExpired(): boolean {
    const now = this.#site.clock.now();
    const { first, last } = this.#times;
    return this.#waits ? now >= last + 300_000 || now >= first + 600_000 : now >= last + lifetime;
  }

  /** Questions whose time is over are rejected, and handlers go on. */
  async #passes(ms: number): Promise<void> {
    if (ms > 0) await this.#site.clock.advance(ms);
    await this.#site.journal.atRest();
  }

  /** Reads a round. */
  async #takes({ requestState, inputRequests }: Members): Promise<Round> {
    const { journal, clock } = this.#site;
    const now = clock.now();
    const round: Round = { state: requestState as string, at: now, asked: inputRequests as Round["asked"] };
    if (this.#rounds.some(({ state }) => state === round.state)) throw new Fault("a state came twice");
    this.#times = { first: this.#rounds.length > 0 ? this.#times.first : now, last: now };
    this.#rounds.push(round);
    journal.wentOut();
    await this.#site.journal.atRest();
    return round;
  }

  /** Sends the request, with the state of a round or without. Resolves with nothing if the client has left. */
  async #sent(more: Members): Promise<Wired | undefined> {
    const { journal } = this.#site;
    const { how, round = Infinity } = this.#ending ?? {};
    const leaves = how === "gone" && this.#rounds.length >= round;
    journal.isHolding = leaves;
    const sent = this.#start(await this.#site.line(), more);
    const first = await Promise.race([sent.answer, ...(leaves ? [journal.held()] : [])]);
    if (!first) {
      await this.#site.journal.atRest();
      // Where a question is open, the round may have gone out.
      if (!(await journal.runs.at(-1)!.isAsking())) return this.#leaves(sent, more);
    }
    journal.letGo();
    return first ?? sent.answer;
  }

  #start(line: Line, more: Members, isOther = false): Sent {
    const { kind } = this.#site.setting;
    return line.request(kind, { ...paramsOf(kind, isOther), ...more });
  }

  /** The client leaves while the handler runs. */
  async #leaves(sent: Sent, more: Members): Promise<undefined> {
    const { journal } = this.#site;
    const run = journal.runs.at(-1)!;
    const aborted = new Promise<void>((resolve) => {
      const { signal } = run.context;
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve());
    });
    sent.leave();
    await aborted;
    journal.letGo();
    if (this.#waits) await run.ended;
    await journal.atRest();
    const state = more["requestState"] as string | undefined;
    if (state !== undefined)
      await this.#quietly("gone", () =>
        this.#waits
          ? this.#refused({ state }, "state-lost", "cancelled")
          : this.#refused({ state }, "state-used"),
      );
    return undefined;
  }

  /** Does what may run nothing of the handler. */
  async #quietly(what: string, work: () => Promise<void>): Promise<void> {
    const { journal } = this.#site;
    const before = [journal.runs.length, journal.effects.length];
    await work();
    await this.#site.journal.atRest();
    const after = [journal.runs.length, journal.effects.length];
    if (before.join() !== after.join()) throw new Fault(`${what}: the handler ran`);
  }

  /** A state is refused. */
  async #refused(
    { state }: Pick<Round, "state">,
    code: string,
    cause?: string,
    answers: Members = {},
    name?: string,
  ): Promise<void> {
    const sent = this.#start(await this.#site.line(name), { requestState: state, inputResponses: answers });
    this.#isRefusal(await sent.answer, code, cause);
  }

  #isRefusal({ error, result }: Wired, code: string, cause?: string): void {
    const { data = {} } = error ?? {};
    const isRight = error?.code === -32602 && data["code"] === code && data["cause"] === cause;
    if (!isRight) throw new Fault(`expected ${code} ${cause ?? ""}, got ${JSON.stringify(error ?? result)}`);
  }

  async #try(how: Try, round: Round): Promise<void> {
    switch (how) {
      case "forged":
        return this.#forges(round);
      case "stranger":
        if (!this.#site.setting.isNamed) return;
        return this.#refused(round, "state-rejected", undefined, this.#rightTo(round), "bob");
      case "other": {
        const more = { requestState: round.state, inputResponses: this.#rightTo(round) };
        const sent = this.#start(await this.#site.line(), more, true);
        return this.#isRefusal(await sent.answer, "state-rejected");
      }
      case "wrong":
        return this.#wrong(round);
      case "old":
      case "late":
      case "slow":
        return this.#repeats();
      case "cancelled":
        return (await this.#site.line()).cancelLast();
      case "withdrawn":
        if (!this.#waits || this.#isWithdrawn) return;
        this.#isWithdrawn = true;
        return this.#site.withdraw();
    }
  }

  /** Sends states that the server did not seal. */
  async #forges({ state }: Round): Promise<void> {
    const { salt } = this.#site.setting;
    const dot = state.indexOf(".");
    const places = [salt % dot, dot + 1 + (salt % (state.length - dot - 1)), state.length - 1];
    for (const place of places) {
      const letter = state[place] === "A" ? "B" : "A";
      const forged = state.slice(0, place) + letter + state.slice(place + 1);
      const sent = this.#start(await this.#site.line(), { requestState: forged, inputResponses: {} });
      const answer = await sent.answer;
      // One that names another instance cannot be distinguished from one of another process.
      const isOfOther = place < dot && answer.error?.data?.["code"] === "state-lost";
      this.#isRefusal(
        answer,
        ...((isOfOther ? ["state-lost", "not-here"] : ["state-rejected"]) as [string, string?]),
      );
    }
  }

  /** Sends an answer that its form refuses, among right ones. */
  async #wrong(round: Round): Promise<void> {
    const { clock, journal, setting } = this.#site;
    const { salt } = setting;
    const { limited } = journal.runs.at(-1)!;
    // Of a question whose time is over, no answer is looked at.
    const isOpen = (key: string): boolean => !this.#waits || clock.now() < (limited.get(key) ?? Infinity);
    const keys = Object.keys(round.asked).filter(isOpen);
    const key = keys[salt % keys.length];
    if (key === undefined) return;
    const form = formOf(round.asked[key]!);
    // Only the handler has the parser of a library: one that runs again learns of such an answer from its ask.
    const wrong = wrongAnswerTo(form, form === "parsed" && !this.#waits ? 1 : salt);
    const inputResponses = { ...this.#rightTo(round), [key]: wrong };
    const sent = this.#start(await this.#site.line(), { requestState: round.state, inputResponses });
    const { error, result } = await sent.answer;
    if (error?.code !== -32602 || !error.message.includes(JSON.stringify(key)))
      throw new Fault(`${JSON.stringify(wrong)} for ${key}: ${JSON.stringify(error ?? result)}`);
  }

  /** Sends the states of all earlier rounds again. */
  async #repeats(): Promise<void> {
    const now = this.#site.clock.now();
    for (const { state, at, reply } of this.#rounds) {
      if (!reply) continue;
      const line = await this.#site.line();
      const { result, error } = await this.#start(line, { requestState: state, inputResponses: {} }).answer;
      const text = JSON.stringify(result ?? error);
      if (this.#remembers && reply.process === this.#processes && now < reply.at + kept) {
        if (text !== reply.text)
          throw new Fault(`another answer to a repeated state: ${text}, ${reply.text}`);
      } else if (!this.#waits && now >= at + lifetime)
        this.#isRefusal({ result, error } as Wired, "state-lost", "expired");
      else this.#isRefusal({ result, error } as Wired, "state-used");
    }
  }

  #rightTo({ asked }: Round, salt = this.#site.setting.salt): Members {
    return Object.fromEntries(
      Object.entries(asked).map(([key, each]) => [key, answerTo(key, formOf(each), salt)]),
    );
  }

  async #answers(round: Round, manner: Manner): Promise<Wired | undefined> {
    const { state } = round;
    const right = this.#rightTo(round);
    const { salt } = this.#site.setting;
    if (manner === "twice" || manner === "racing") {
      this.#isRaced ||= manner === "racing";
      const line = await this.#site.line();
      const others = manner === "twice" ? right : this.#rightTo(round, salt + 1);
      const both = [right, others].map((inputResponses) =>
        this.#start(line, { requestState: state, inputResponses }),
      );
      return this.#oneOf(round, await Promise.all(both.map(({ answer }) => answer)));
    }
    const some = Object.entries(right).filter((_, index) => manner !== "partly" || (salt + index) % 2 === 0);
    const inputResponses = manner === "without" ? {} : Object.fromEntries(some);
    const more = { requestState: state, inputResponses };
    return this.#replied(round, await (manner === "bare" ? this.#bare(more) : this.#sent(more)));
  }

  /** Answers as a client that can be asked nothing more. */
  async #bare(more: Members): Promise<Wired> {
    const { kind } = this.#site.setting;
    const line = await this.#site.line();
    const reply = await line.request(kind, { ...paramsOf(kind), ...more }, {}).answer;
    if (reply.result?.["resultType"] === "input_required")
      throw new Fault(`a client that can be asked nothing got ${JSON.stringify(reply)}`);
    return reply;
  }

  /** The answer to two requests with one state. */
  #oneOf(round: Round, replies: readonly Wired[]): Wired {
    const [first, second] = replies.map(({ result, error }) => JSON.stringify(result ?? error));
    if (this.#waits && first !== second) throw new Fault(`two answers to one state: ${first}, ${second}`);
    // The second request may come after the answer to the first one.
    if (this.#waits || (this.#remembers && first === second)) return this.#replied(round, replies[0])!;
    const [refused, taken] =
      replies[0]!.error?.data?.["code"] === "state-used" ? replies : replies.toReversed();
    this.#isRefusal(refused!, "state-used");
    return this.#replied(round, taken)!;
  }

  #replied(round: Round, reply: Wired | undefined): Wired | undefined {
    if (reply)
      round.reply = {
        text: JSON.stringify(reply.result ?? reply.error),
        at: this.#site.clock.now(),
        process: this.#processes,
      };
    return reply;
  }

  /** Ends the conversation before its answer. Returns nothing if it goes on. */
  async #ends(how: Ending, round: Round): Promise<Course | undefined> {
    const site = this.#site;
    this.#ending = undefined;
    const run = site.journal.runs.at(-1)!;
    if (how === "expired") {
      await this.#passes(600_000);
      return this.#expired(round);
    }
    if (how === "hung up") {
      if (site.setting.wire === "HTTP" || site.setting.wire === "fetch") return undefined;
      await site.hangUp();
      if (!this.#waits) return undefined;
      await this.#ended(run);
      await this.#quietly(how, () => this.#refused(round, "state-lost", "cancelled"));
      return this.#course(undefined, how);
    }
    if (how === "closed") {
      await site.close();
      if (this.#waits) await this.#ended(run);
    }
    await site.start();
    this.#processes++;
    if (site.setting.mode === "shared") return undefined;
    site.journal.endRounds();
    await this.#passes(0);
    await this.#quietly(how, () => this.#refused(round, "state-lost", "not-here"));
    return this.#course(undefined, how);
  }

  async #ended({ ended }: Run): Promise<void> {
    await ended;
    await this.#site.journal.atRest();
  }

  async #expired(round: Round): Promise<Course> {
    if (this.#waits) await this.#ended(this.#site.journal.runs.at(-1)!);
    await this.#quietly("expired", () => this.#refused(round, "state-lost", "expired"));
    return this.#course(undefined, "expired");
  }
}
