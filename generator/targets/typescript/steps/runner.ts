import { type JsonValue, type StepReport, moves, stepping } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { FormReader } from "../../../compare/shape/form-reader.js";
import type { Conjunction } from "../../../compare/shape/form.js";
import type { Made, Test as MadeTest } from "./made.js";
import {
  type Arm,
  type Change,
  type Exit,
  type Plan,
  type Test,
  type TextBlock,
  unchanged,
  hasMoves,
  turnsOf,
} from "./plan.js";
import { outcomeOf, templateParts } from "./statements.js";

type Place = stepping.Place;
type Part = stepping.Part;

/** Code of the refusal if expressions did not make a required member. */
export const unmadeCode = "unmade";

/** Runs plans on values, with the same result as the printed functions. */
export class PlanRunner {
  readonly #target: FormReader;
  readonly #places = new Map<Plan, Place>();

  /** @param target the target schema, which decides whether a value may stay unchanged */
  constructor(target: FormReader) {
    this.#target = target;
  }

  /** The function that a plan describes. */
  place(plan: Plan): Place {
    let place = this.#places.get(plan);
    if (!place) this.#places.set(plan, (place = (value, report, at) => this.#run(plan, value, report, at)));
    return place;
  }

  #run({ exits, arms }: Plan, value: unknown, report: StepReport, at: string): unknown {
    for (const { test, step } of exits)
      if (step && passes(test, value)) return this.place(step)(value, report, at);
    for (const { single } of exits)
      if (single && Array.isArray(value) && value.length === 1)
        return this.place(single)(value[0], report, `${at}/0`);
    const left = inTurn(exits).find(({ test, unless }) => passes(test, value) && !this.#fits(unless, value));
    return left ? leaving(left, value, report, at) : this.#changed(arms, value, report, at);
  }

  #fits(nodes: Conjunction | undefined, value: unknown): boolean {
    return nodes?.every((node) => isValid(this.#target.schema, node, value as JsonValue)) ?? false;
  }

  #changed(arms: readonly Arm[], given: unknown, report: StepReport, at: string): unknown {
    const isKept = hasMoves(arms);
    let value = given;
    for (const turn of turnsOf(arms)) {
      for (const { test, unless, changes } of turn) {
        if (!passes(test, isKept ? given : value) || this.#fits(unless, value)) continue;
        for (const change of changes) value = this.#change(change, { value, given, arms }, report, at);
      }
    }
    return value;
  }

  #change(
    change: Change,
    {
      value,
      given,
      arms,
    }: { readonly value: unknown; readonly given: unknown; readonly arms: readonly Arm[] },
    report: StepReport,
    at: string,
  ): unknown {
    switch (change.kind) {
      case "member":
        return stepping.member(value, change.key, this.place(change.plan), report, at);
      case "items":
        return stepping.items(value, this.place(change.plan), report, at);
      case "others":
        return stepping.others(value, change.known, this.place(change.plan), report, at);
      case "fitting":
        return stepping.fitting(value, change.key, (inner) => this.#fits(change.to, inner), report, at);
      case "without":
        return stepping.without(value, change.keys, report, at);
      case "renamed":
        return stepping.renamed(value, change.from, change.to, report, at);
      case "limited":
        return stepping.limited(value, change.most, report, at);
      case "alsoText":
        return stepping.alsoText(value, change.key, change.into, blockOf(change.block));
      case "asText": {
        const { key, unless, into, block } = change;
        return stepping.asText(
          value,
          key,
          (one) => this.#fits(unless, one),
          into,
          blockOf(block),
          report,
          at,
        );
      }
      case "filled":
        return stepping.filled(value, change.key, change.value);
      case "required": {
        const { code, reason } = change.outcome;
        const isUnmade = arms.some(({ changes }) =>
          changes.some(
            (each) => each.kind === "reshaped" && each.members.some(([key]) => key === change.key),
          ),
        );
        stepping.required(value, change.key, report, at, isUnmade ? unmadeCode : code, reason);
        return value;
      }
      case "reshaped":
        return stepping.reshaped(
          value,
          given,
          change.keys,
          (whole) => this.#members(change, whole),
          report,
          at,
        );
      case "joined":
        return moves.joined(value, change.key, change.members);
      case "split":
        return moves.split(value, change.key, change.members);
      case "wrapped":
        return moves.wrapped(value, change.key, change.outside);
      case "unwrapped":
        return moves.unwrapped(value, change.key, change.outside, report, at);
    }
  }

  #members({ members, why }: Change & { kind: "reshaped" }, whole: Part): object {
    const made: Made = { kind: "object", members, needs: [] };
    return this.#made(made, { whole, item: whole, why }) as object;
  }

  #made(made: Made, scope: Scope): unknown {
    const { whole, item, why } = scope;
    const from = "from" in made && made.from === "item" ? item : whole;
    const inside = (inner: Made): unknown => this.#made(inner, scope);
    switch (made.kind) {
      case "scalar":
        return made.value;
      case "list":
        return stepping.listOf(...made.items.map(inside));
      case "object": {
        const members = Object.fromEntries(made.members.map(([key, value]) => [key, inside(value)]));
        return stepping.objectOf(members, item, made.needs, unmadeCode, why);
      }
      case "value":
        return stepping.valueAt(from, made.keys, this.#step(made.plan));
      case "quoted":
        return stepping.quotedAt(from, made.keys);
      case "each":
      case "first":
      case "map": {
        const of = (each: Part): unknown => this.#made(made.make, { ...scope, item: each });
        const { keys, known, where } = made;
        const test =
          where && ((each: Part) => where.every((one) => this.#passes(one, { ...scope, item: each })));
        if (made.kind === "map") {
          const name = (each: Part): unknown => this.#made(made.key, { ...scope, item: each });
          return stepping.mapAt(from, keys, name, of, known, test);
        }
        return made.kind === "each"
          ? stepping.eachAt(from, keys, of, known, test, made.isFlat)
          : stepping.firstAt(from, keys, of, known, test);
      }
      case "join":
        return stepping.joinOf(...made.parts.map(inside));
      case "or":
        return stepping.orElse(...made.choices.map((choice) => () => inside(choice)));
      case "if":
        if (stepping.isAt(from, made.keys)) return inside(made.then);
        return made.otherwise && inside(made.otherwise);
      case "json":
        return stepping.jsonOf(inside(made.of));
      case "request":
        return stepping.requestedAt(whole, made.keys, this.#step(made.plan));
    }
  }

  #passes(test: MadeTest, scope: Scope): boolean {
    const member = stepping.memberOf(scope.item.value, test.key);
    return "is" in test ? member === test.is : stepping.isAmong(member, this.#made(test.among, scope));
  }

  #step(plan: Plan): Place | undefined {
    return plan === unchanged ? undefined : this.place(plan);
  }
}

/**
 * The values that an expression can read: the object, and the current item (the object itself outside of a
 * list).
 */
interface Scope {
  readonly whole: Part;
  readonly item: Part;
  readonly why: string;
}

function passes({ type, constants, present, excluded = [], absent = [] }: Test, value: unknown): boolean {
  if (type === "array" && !Array.isArray(value)) return false;
  if (type === "object" && !stepping.isObject(value)) return false;
  if (type === "scalar" && !stepping.isScalar(value)) return false;
  return (
    constants.every(([key, values]) => values.some((each) => stepping.memberOf(value, key) === each)) &&
    present.every((key) => stepping.memberOf(value, key) !== undefined) &&
    excluded.every(([key, values]) => values.every((each) => stepping.memberOf(value, key) !== each)) &&
    absent.every((key) => stepping.memberOf(value, key) === undefined)
  );
}

/** Orders exits as printed: those with the same outcome together. */
function inTurn(exits: readonly Exit[]): Exit[] {
  const byOutcome = new Map<string, Exit[]>();
  for (const exit of exits) {
    const { outcome } = exit;
    if (outcome.how === "pass") continue;
    const key = JSON.stringify(outcomeOf(outcome));
    byOutcome.set(key, [...(byOutcome.get(key) ?? []), exit]);
  }
  return [...byOutcome.values()].flat();
}

/** The result for a value that the other revision cannot express. */
function leaving({ outcome }: Exit, value: unknown, report: StepReport, at: string): unknown {
  switch (outcome.how) {
    case "pass":
      return value;
    case "drop":
      return stepping.drop(report, at, outcome.what);
    case "refuse":
      return stepping.refuse(report, at, outcome.code, outcome.reason);
    case "fill": {
      stepping.lost(report, at, outcome.what, "filled");
      const single = outcome.cases.find(({ of }) => of === value);
      return single ? single.value : outcome.value;
    }
    case "text": {
      stepping.lost(report, at, outcome.what, "text");
      const pieces = templateParts(outcome.text).map(({ text, member }) =>
        member === undefined ? text : stepping.textOf(value, member),
      );
      return blockOf(outcome.block)(pieces.join(""));
    }
  }
}

function blockOf({ constants, key }: TextBlock): (text: string) => object {
  return (text) => Object.fromEntries([...constants, [key, text]]);
}
