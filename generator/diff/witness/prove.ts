import type { JsonValue } from "@mcpgen/engine";
import type { ProtocolModel } from "../../model/model.js";
import type { Candidates, Fact, Pair } from "../../compare/align/pair.js";
import { type Context, messageOf } from "../walk/context.js";
import type { Reached } from "../../compare/reach.js";
import { distinguished } from "./distinction.js";
import { embedded } from "./embed.js";
import { type Reading, type Verdict, judge } from "./judge.js";
import type { Makers } from "../../compare/instance-maker.js";

/** A concrete message that one revision takes and the other does not. */
export interface Counterexample {
  readonly value: JsonValue;
  readonly valid: { readonly old: boolean; readonly new: boolean };
  /** The kind of value: it decides the validator. */
  readonly as: Context;
  /** How readers distinguish the results of the method, if that causes the difference. */
  readonly reading: Reading;
  readonly verdict: { readonly old: Verdict; readonly new: Verdict };
}

/** Where a difference was met. */
export interface Occurrence {
  readonly fact: Fact;
  readonly context: Context;
  /** The place, and the way to it; absent where the difference is the whole message's. */
  readonly place?: { readonly pair: Pair; readonly reached: Reached };
}

/** Whom a counter-example speaks for. */
export type Direction = "narrowed" | "widened";

export class Prover {
  private readonly models: readonly [ProtocolModel, ProtocolModel];
  private readonly makers: Makers;

  constructor(old: ProtocolModel, next: ProtocolModel, makers: Makers) {
    this.models = [old, next];
    this.makers = makers;
  }

  /**
   * A message that the old revision takes and the new one refuses (`narrowed`), or the reverse (`widened`),
   * because of this difference: the place alone must make the difference too.
   */
  prove(occurrence: Occurrence, direction: Direction): Counterexample | undefined {
    const { context } = occurrence;
    const tried: JsonValue[] = [];
    for (const message of this.messages(occurrence, direction)) {
      if (message === undefined) continue;
      const proof = this.judged(context, message, direction, "any");
      if (proof) return proof;
      tried.push(message);
    }
    // An alternative without required members accepts every result, unless the reader checks its mark first.
    const marked = context.part === "result" ? tried : [];
    for (const message of marked) {
      const proof = this.judged(context, message, direction, "marked");
      if (proof) return proof;
    }
    return undefined;
  }

  /** Messages worth judging. */
  private messages(
    { fact, context, place }: Occurrence,
    direction: Direction,
  ): Iterable<JsonValue | undefined> {
    const candidates = fact[direction];
    if (!candidates) return [];
    return place
      ? this.messagesWith(context, place, { ...fact, candidates }, direction)
      : candidates(this.makers);
  }

  private *messagesWith(
    context: Context,
    { pair, reached }: NonNullable<Occurrence["place"]>,
    { arm, candidates }: Pick<Fact, "arm"> & { readonly candidates: Candidates },
    direction: Direction,
  ): Generator<JsonValue | undefined> {
    const takes = (side: "old" | "new", value: JsonValue): boolean =>
      this.makers[side].isValid(pair[side].nodes, value);
    const [taking, refusing] =
      direction === "narrowed" ? (["old", "new"] as const) : (["new", "old"] as const);
    // Another arm of the union may take what the arm of the difference refuses.
    let mostTried = 4;
    const beyondOtherArms = (value: JsonValue): JsonValue | undefined => {
      const taker = arm?.[taking];
      if (!taker || mostTried-- <= 0) return undefined;
      return distinguished(
        value,
        { maker: this.makers[taking], arm: taker },
        { maker: this.makers[refusing], arm: arm[refusing] },
        pair[refusing].nodes,
      );
    };
    for (const candidate of candidates(this.makers)) {
      if (candidate === undefined || !takes(taking, candidate)) continue;
      const value = takes(refusing, candidate) ? beyondOtherArms(candidate) : candidate;
      if (value === undefined) continue;
      // What lies around the place should please both sides, so that nothing else makes the difference.
      for (const side of [refusing, taking]) {
        yield messageOf(context, embedded(value, pair, reached, this.makers, side, refusing));
      }
    }
  }

  private judged(
    context: Context,
    message: JsonValue,
    direction: Direction,
    reading: Reading,
  ): Counterexample | undefined {
    const verdict = {
      old: judge(this.models[0], 0, context, message, reading),
      new: judge(this.models[1], 1, context, message, reading),
    };
    const valid = { old: verdict.old === "valid", new: verdict.new === "valid" };
    const proves = direction === "narrowed" ? valid.old && !valid.new : valid.new && !valid.old;
    return proves ? { value: message, valid, as: judgedAs(context), reading, verdict } : undefined;
  }
}

/** What the value of a counter-example is: always the whole message. */
function judgedAs(context: Context): Context {
  if (!("whole" in context)) return context;
  const { whole: _whole, ...as } = context;
  return as;
}
