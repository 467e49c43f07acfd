import { type JsonObject, type JsonValue, type SchemaNode, isJsonObject } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import {
  type Alternative,
  type Method,
  type ProtocolModel,
  type Role,
  answersOf,
  opposite,
} from "../../model/model.js";
import type { Candidates, Fact, Pair, Step } from "../../compare/align/pair.js";
import { type Context, messageOf } from "../walk/context.js";
import type { Link, Reached } from "../../compare/reach.js";
import type { Maker, Makers } from "../../compare/instance-maker.js";
import { extended } from "../../sample/edit.js";
import { type Conjunction, type ShapeArm, scalarTypes, shapeTypes } from "../../compare/shape/form.js";
import { messageNodes, responseNodes, methodsByName } from "../walk/messages.js";
import { outside } from "../../compare/align/compare-bounds.js";
import { eachType } from "../../compare/align/arms.js";

/** A concrete message that one revision accepts and the other rejects. */
export interface Counterexample {
  readonly value: JsonValue;
  readonly valid: { readonly old: boolean; readonly new: boolean };
  /** The kind of message, which decides the validator. */
  readonly as: Context;
  /** How readers distinguish the results of the method, if that causes the difference. */
  readonly reading: Reading;
  readonly verdict: { readonly old: Verdict; readonly new: Verdict };
}

/** An occurrence of a difference. */
export interface Occurrence {
  readonly fact: Fact;
  readonly context: Context;
  /** The place and the path to it; absent if the difference concerns the whole message. */
  readonly place?: { readonly pair: Pair; readonly reached: Reached };
}

/** Which revision rejects the counterexample: the new one (`narrowed`) or the old one (`widened`). */
export type Direction = "narrowed" | "widened";

export class Prover {
  private readonly models: readonly [ProtocolModel, ProtocolModel];
  private readonly makers: Makers;

  constructor(old: ProtocolModel, next: ProtocolModel, makers: Makers) {
    this.models = [old, next];
    this.makers = makers;
  }

  /**
   * Finds a message that the old revision accepts and the new one rejects (`narrowed`), or vice versa
   * (`widened`), because of this difference alone: the value at the place must itself be accepted by one and
   * rejected by the other.
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
    if (context.part !== "result") return undefined;
    // Another result of the method may accept what the changed one rejects.
    for (const message of tried) {
      const beyond = this.beyondAlternatives(context, message, direction);
      const proof = beyond && this.judged(context, beyond, direction, "any");
      if (proof) return proof;
    }
    // An alternative without required members accepts every result, unless the reader checks the
    // discriminator first.
    for (const message of tried) {
      const proof = this.judged(context, message, direction, "marked");
      if (proof) return proof;
    }
    return undefined;
  }

  /** The message with a result that no alternative of the revision accepts that rejects the changed one; if there is one. */
  private beyondAlternatives(
    context: Extract<Context, { readonly part: "result" }>,
    message: JsonValue,
    direction: Direction,
  ): JsonObject | undefined {
    const { taking, refusing } = sidesOf(direction);
    const result = isJsonObject(message) ? message["result"] : undefined;
    if (result === undefined) return undefined;
    const nodesOn = (side: 0 | 1): ReadonlyMap<string, SchemaNode> => {
      const method = sent(this.models[side], context.method, opposite(context.from));
      return nodesOf(this.models[side], method ? answersOf(method) : []);
    };
    const [arms, others] = direction === "narrowed" ? [nodesOn(0), nodesOn(1)] : [nodesOn(1), nodesOn(0)];
    const place = [{ pointer: "", anyOf: [...others.values()] }];
    for (const [name, node] of arms) {
      const other = others.get(name);
      const sides = {
        taking: { maker: this.makers[taking], arm: [node] },
        refusing: { maker: this.makers[refusing], arm: other && [other] },
      };
      const found = distinguished(result, sides, place);
      if (found) return { ...(message as JsonObject), result: found };
    }
    return undefined;
  }

  /** Candidates for a counterexample. */
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
    const { taking, refusing } = sidesOf(direction);
    // Another arm of the union may accept what the changed arm rejects.
    let mostTried = 4;
    const beyondOtherArms = (value: JsonValue): JsonValue | undefined => {
      const taker = arm?.[taking];
      if (!taker || mostTried-- <= 0) return undefined;
      return distinguished(
        value,
        {
          taking: { maker: this.makers[taking], arm: taker },
          refusing: { maker: this.makers[refusing], arm: arm[refusing] },
        },
        pair[refusing].nodes,
      );
    };
    for (const candidate of candidates(this.makers)) {
      if (candidate === undefined || !takes(taking, candidate)) continue;
      const value = takes(refusing, candidate) ? beyondOtherArms(candidate) : candidate;
      if (value === undefined) continue;
      // The rest of the message should be valid for both revisions, so that only the place differs. Each
      // revision's minimal message is tried.
      for (const side of [refusing, taking]) {
        yield messageOf(context, embedded(value, { pair, reached }, this.makers, { side, refusing }));
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
      old: judge(this.models, 0, message, { context, reading }),
      new: judge(this.models, 1, message, { context, reading }),
    };
    const valid = { old: verdict.old === "valid", new: verdict.new === "valid" };
    const proves = direction === "narrowed" ? valid.old && !valid.new : valid.new && !valid.old;
    return proves ? { value: message, valid, as: judgedAs(context), reading, verdict } : undefined;
  }
}

/** The revision that takes a counterexample, and the one that refuses it. */
function sidesOf(direction: Direction): { readonly taking: Side; readonly refusing: Side } {
  return direction === "narrowed" ? { taking: "old", refusing: "new" } : { taking: "new", refusing: "old" };
}

/** The context of a counterexample, which is always the complete message. */
function judgedAs(context: Context): Context {
  if (!("whole" in context)) return context;
  const { whole: _whole, ...as } = context;
  return as;
}

/** The key for an undeclared member, where any key serves. */
const anyKey = "example";

type Side = keyof Makers;

/**
 * Builds a value of the root that contains `value` at the place of `pair` and is otherwise minimal.
 *
 * @param side the revision for which the surroundings are made
 * @param refusing the revision that should reject the whole
 */
function embedded(
  value: JsonValue,
  { pair, reached }: { readonly pair: Pair; readonly reached: Reached },
  makers: Makers,
  { side, refusing }: { readonly side: Side; readonly refusing: Side },
): JsonValue | undefined {
  const maker = makers[side];
  let current: JsonValue | undefined = value;
  for (let link = reached.get(pair); link && current !== undefined; link = reached.get(link.from)) {
    const { step } = link.edge;
    const needed: SchemaNode[] = step.kind === "item" ? [{ pointer: "", minItems: step.index + 1 }] : [];
    const nodes: Conjunction = [...link.edge[side], ...needed];
    const around: JsonValue | undefined = maker.minimal(nodes);
    if (step.kind === "item") current = withItem(around, step.index, current);
    else if (isJsonObject(around)) {
      const key = keyOf(step, side);
      current = beyondOtherArms({ object: extended(around, key, current), key }, link, makers, refusing);
    } else return undefined;
  }
  return current;
}

/** Adds members other than `key`, if possible, so that no other arm of the union accepts the object. */
function beyondOtherArms(
  { object, key }: { readonly object: JsonObject; readonly key: string },
  { from, edge }: Link,
  makers: Makers,
  refusing: Side,
): JsonObject {
  const taking = refusing === "new" ? "old" : "new";
  const place = from[refusing].nodes;
  const maker = makers[refusing];
  if (maker.reader.of(place).members.length < 2 || !maker.isValid(place, object)) return object;
  const sides = {
    taking: { maker: makers[taking], arm: edge[taking] },
    refusing: { maker, arm: edge[refusing] },
  };
  return distinguished(object, sides, place, key) ?? object;
}

function keyOf(step: Exclude<Step, { kind: "item" }>, side: Side): string {
  if (step.kind === "other") return anyKey;
  return side === "new" ? (step.newKey ?? step.key) : step.key;
}

function withItem(around: JsonValue | undefined, index: number, value: JsonValue): JsonValue | undefined {
  if (!Array.isArray(around)) return undefined;
  const items = [...around];
  while (items.length < index) items.push(null);
  items[index] = value;
  return items;
}

/** The result of validating a message with a revision. */
type Verdict = "valid" | "invalid" | "method not in table";

/**
 * How a reader distinguishes the results of a method. `any` accepts a value that fits one of them; `marked`
 * checks an alternative's discriminator first. `marked` rejects everything that `any` rejects.
 */
type Reading = "any" | "marked";

/**
 * Validates a complete message as an exact reader of the revision does: first whether the direction allows
 * the method, then the schema.
 */
function judge(
  models: readonly [ProtocolModel, ProtocolModel],
  side: 0 | 1,
  message: JsonValue,
  { context, reading }: { readonly context: Context; readonly reading: Reading },
): Verdict {
  const model = models[side];
  switch (context.part) {
    case "request":
    case "notification": {
      const method = sent(model, context.method, context.from);
      if (!method) return "method not in table";
      return whole(model, messageNodes(model, method), message);
    }
    case "response": {
      const method = sent(model, context.method, opposite(context.from));
      if (!method) return "method not in table";
      return whole(model, responseNodes(model, method) ?? [], message);
    }
    case "result": {
      const method = sent(model, context.method, opposite(context.from));
      if (!method) return "method not in table";
      const result = isJsonObject(message) ? message["result"] : undefined;
      if (result === undefined) return "invalid";
      return verdict(model, reading === "any" ? answersOf(method) : answerTo(method, result), result);
    }
    case "embedded-request":
    case "embedded-result": {
      const method = methodsByName(model).get(context.method)?.[0];
      if (!method) return "method not in table";
      return verdict(
        model,
        context.part === "embedded-request" ? [method.message] : answersOf(method),
        message,
      );
    }
    default:
      return verdict(model, [context.definition[side]], message);
  }
}

/** The method, if `from` may send it as a separate message. */
function sent(model: ProtocolModel, name: string, from: Role): Method | undefined {
  return methodsByName(model)
    .get(name)
    ?.find((method) => !method.payload && method.senders.includes(from));
}

/**
 * The definitions that a result may match: the alternative with its discriminator, else those without a
 * discriminator.
 */
function answerTo(method: Method, value: JsonValue): string[] {
  const { definition, alternatives = [] } = method.result ?? {};
  const bears = ({ discriminator }: Alternative): boolean => {
    if (!discriminator || !isJsonObject(value) || !Object.hasOwn(value, discriminator.key)) return false;
    return discriminator.value === undefined || value[discriminator.key] === discriminator.value;
  };
  const marked = alternatives.find(bears);
  if (marked) return [marked.definition];
  const unmarked = alternatives.filter(({ discriminator }) => !discriminator);
  return [definition, ...unmarked.map((arm) => arm.definition)].filter((name) => name !== undefined);
}

function whole({ schema }: ProtocolModel, nodes: Conjunction, message: JsonValue): Verdict {
  return nodes.every((node) => isValid(schema, node, message)) ? "valid" : "invalid";
}

/** Whether any of the definitions accepts the value; "valid" if there are none. */
function verdict(model: ProtocolModel, definitions: readonly string[], value: JsonValue): Verdict {
  if (definitions.length === 0) return "valid";
  const nodes = [...nodesOf(model, definitions).values()];
  return nodes.some((node) => isValid(model.schema, node, value)) ? "valid" : "invalid";
}

/** The nodes of definitions by name. */
function nodesOf({ schema }: ProtocolModel, names: readonly string[]): ReadonlyMap<string, SchemaNode> {
  const found = names.map((name) => [name, schema.definitions.get(name)?.node] as const);
  return new Map(found.filter((each): each is readonly [string, SchemaNode] => each[1] !== undefined));
}

/** An arm of a union on one side. */
interface ArmSide {
  readonly maker: Maker;
  readonly arm: Conjunction;
}

/** An arm of a union on a side that may lack it. */
interface PerhapsArmSide {
  readonly maker: Maker;
  readonly arm: Conjunction | undefined;
}

/**
 * Adds members to `object` so that no arm of the union `place` accepts it; `undefined` if that is not
 * possible.
 *
 * The arm on the side `taking` must accept the object before and after. The same arm on the side of `place`
 * rejects it, or is missing.
 *
 * @param kept a member that must not change
 */
function distinguished(
  object: JsonValue,
  { taking, refusing }: { readonly taking: ArmSide; readonly refusing: PerhapsArmSide },
  place: Conjunction,
  kept?: string,
): JsonObject | undefined {
  const isOfArm = (value: JsonValue): boolean =>
    taking.maker.isValid(taking.arm, value) && !(refusing.arm && refusing.maker.isValid(refusing.arm, value));
  if (!isJsonObject(object) || !isOfArm(object)) return undefined;
  const { reader } = refusing.maker;
  const takers = (value: JsonObject, arms: readonly ShapeArm[]): ShapeArm[] =>
    arms.filter(({ nodes }) => refusing.maker.isValid(nodes, value));
  const done = new Set(kept === undefined ? [] : [kept]);
  let current = object;
  let left = takers(current, reader.of(place).members);
  while (left.length > 0) {
    let best: { readonly key: string; readonly value: JsonObject; readonly left: ShapeArm[] } | undefined;
    for (const [key, values] of membersOf(left, taking, refusing, done)) {
      for (const value of values) {
        const tried = value === undefined ? current : extended(current, key, value);
        const still = takers(tried, left);
        if (still.length < (best?.left ?? left).length && isOfArm(tried))
          best = { key, value: tried, left: still };
      }
      if (best?.left.length === 0) break;
    }
    if (!best) return undefined;
    done.add(best.key);
    ({ value: current, left } = best);
  }
  return refusing.maker.isValid(place, current) ? undefined : current;
}

/**
 * Members described by one of `arms`, with values that the accepting arm probably allows and those arms
 * reject.
 */
function membersOf(
  arms: readonly ShapeArm[],
  { maker, arm }: ArmSide,
  { maker: refuser }: PerhapsArmSide,
  done: ReadonlySet<string>,
): [string, (JsonValue | undefined)[]][] {
  const own = maker.reader.of(arm).members.find(({ type }) => type === "object");
  const keys = new Set(arms.flatMap(({ properties, forbidden }) => [...properties.keys(), ...forbidden]));
  if (arms.some(({ closed }) => closed)) for (const key of own?.properties.keys() ?? []) keys.add(key);
  return [...keys]
    .filter((key) => !done.has(key) && !own?.forbidden.has(key))
    .map((key) => {
      const nodes = own?.properties.get(key)?.nodes ?? own?.additional ?? [];
      const forms = arms.map(({ properties }) => refuser.reader.of(properties.get(key)?.nodes ?? []));
      const beyond = scalarTypes.flatMap((type) => {
        const limits = forms.flatMap(({ scalars }) => scalars.get(type)?.free ?? []);
        const limiting = limits.filter(({ size }) => size > 0);
        return limiting.length > 0 ? outside(maker, nodes, limiting) : [];
      });
      return [key, [...beyond, ...eachType(maker, nodes, shapeTypes), ...maker.samples(nodes, 8)]];
    });
}
