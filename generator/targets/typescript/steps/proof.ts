import {
  Explainer,
  type Issue,
  type JsonObject,
  type JsonValue,
  canonicalText,
  isJsonObject,
  pointer,
  pointerTokens,
  summary,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { FormReader } from "../../../compare/shape/form-reader.js";
import type { Conjunction } from "../../../compare/shape/form.js";
import { Maker } from "../../../compare/instance-maker.js";
import type { ReshapedNote } from "../../../notes/note.js";
import { extended, without } from "../../../sample/edit.js";
import { type Made, insideOf } from "./made.js";
import type { StepPlan, Way } from "./methods.js";
import type { Plan } from "./plan.js";
import type { ReshapedPlace } from "./reshapes.js";
import { PlanRunner, unmadeCode } from "./runner.js";

/** A value that shows a fault of a note. */
export interface Counterexample {
  readonly note: ReshapedNote;
  /** JSON Pointer into the notes file. */
  readonly pointer: string;
  readonly message: string;
}

interface Proof {
  /** Values whose conversion is invalid in the other revision. */
  readonly refused: readonly Counterexample[];
  /** Values of the older revision that change when converted to the newer one and back. */
  readonly lossy: readonly Counterexample[];
}

const proofs = new WeakMap<StepPlan, Proof>();

/** Tries the notes of kind `reshaped` on samples of both revisions. The result is cached. */
export function proofOf(plan: StepPlan): Proof {
  let proof = proofs.get(plan);
  if (!proof) proofs.set(plan, (proof = { refused: refusedBy(plan), lossy: lossyIn(plan) }));
  return proof;
}

/** Number of random samples for each place. */
const count = 200;

function refusedBy(plan: StepPlan): Counterexample[] {
  return plan.reshapes.places.flatMap((place) => {
    const trial = new Trial(plan[place.direction]);
    const failing = trial.smallest(place, (value, request) => trial.faultOf(place, value, request));
    return failing ? [failing] : [];
  });
}

function lossyIn(plan: StepPlan): Counterexample[] {
  const seen = new Set<string>();
  return [...plan.reshapes.places].flatMap((place) => {
    const { note } = place.reshape;
    const subject = `${note.pointer} ${place.reshape.target}`;
    if (seen.has(subject)) return [];
    seen.add(subject);
    const [source, target] = place.pair;
    const [old, next] = place.direction === "lift" ? [source, target] : [target, source];
    const [up, down] = [new Trial(plan.lift), new Trial(plan.lower)];
    const there = plan.lift.planner.plan(old, next);
    const back = plan.lower.planner.plan(next, old);
    const oldPlace = { ...place, source: old, target: next, plan: there };
    const found = up.smallest(oldPlace, (value) => {
      const lifted = up.run(there, value, undefined);
      if (!lifted || !("value" in lifted) || lifted.value === undefined) return undefined;
      const lowered = down.run(back, lifted.value, undefined);
      if (!lowered || !("value" in lowered)) return undefined;
      if (lowered.value !== undefined && canonicalText(lowered.value) === canonicalText(value))
        return undefined;
      return { message: `comes back from this revision as ${shown(lowered.value)}`, member: undefined };
    });
    return found ? [{ ...found, pointer: note.pointer }] : [];
  });
}

interface Fault {
  readonly message: string;
  /** The member whose expression is the cause, if known. */
  readonly member: string | undefined;
}

type Ran = { readonly value: JsonValue | undefined } | { readonly unmade: string };

class Refused extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Tries values in one direction between the revisions. */
class Trial {
  readonly #source: FormReader;
  readonly #target: FormReader;
  readonly #runner: PlanRunner;

  constructor({ planner }: Way) {
    this.#source = planner.source;
    this.#target = planner.target;
    this.#runner = new PlanRunner(planner.target);
  }

  /** The converted value; `undefined` if it is refused because of a note or the lack of one. */
  run(plan: Plan, value: JsonValue, request: JsonObject | undefined): Ran | undefined {
    const report = {
      lost: () => {},
      refuse: ({ code, reason }: { code: string; reason: string }): never => {
        throw new Refused(code, reason);
      },
      request,
    };
    try {
      return { value: this.#runner.place(plan)(value, report, "") as JsonValue | undefined };
    } catch (error) {
      if (error instanceof Refused) return error.code === unmadeCode ? { unmade: error.message } : undefined;
      throw error;
    }
  }

  /** The fault of a converted value in the other revision; undefined if it is valid. */
  faultOf(place: ReshapedPlace, value: JsonValue, request: JsonObject | undefined): Fault | undefined {
    const ran = this.run(place.plan, value, request);
    if (!ran) return undefined;
    if ("unmade" in ran) return { message: `has no form: ${ran.unmade}`, member: undefined };
    const made = ran.value;
    if (made !== undefined && this.#isValid(this.#target, place.target, made)) return undefined;
    const issues = this.#issues(place.target, made);
    const keys = new Set<string | undefined>(place.reshape.members.map(([key]) => key));
    const member = issues.map((issue) => pointerTokens(issue.pointer)[0]).find((key) => keys.has(key));
    return { message: `becomes ${shown(made)}, which is refused there: ${summary(issues)}`, member };
  }

  #isValid({ schema }: FormReader, nodes: Conjunction, value: JsonValue): boolean {
    return nodes.every((node) => isValid(schema, node, value));
  }

  #issues(nodes: Conjunction, value: JsonValue | undefined): Issue[] {
    const { schema } = this.#target;
    const explainer = new Explainer(schema, {
      judge: (name, part) => isValid(schema, { pointer: "", ref: name }, part as JsonValue),
    });
    return nodes.flatMap((node) => explainer.issues(node, value));
  }

  /** The shortest counterexample found. */
  smallest(
    place: ReshapedPlace,
    faultOf: (value: JsonValue, request: JsonObject | undefined) => Fault | undefined,
  ): Counterexample | undefined {
    const failing = this.#samples(place)
      .flatMap((value) => requestsFor(place, value).map((request) => ({ value, request })))
      .filter(({ value, request }) => faultOf(value, request))
      .sort((a, b) => sizeOf(a.value) + sizeOf(a.request) - sizeOf(b.value) - sizeOf(b.request));
    const [first] = failing;
    if (!first) return undefined;
    const { request } = first;
    const value = this.#shrunk(place, first.value, (smaller) => faultOf(smaller, request) !== undefined);
    const { message, member } = faultOf(value, request)!;
    const { note } = place.reshape;
    const way = pointer(note.pointer, place.direction);
    const asked = request ? ` of a request with the params ${shown(request)}` : "";
    return {
      note,
      pointer: member === undefined ? way : pointer(way, member),
      message: `${shown(value)}${asked} ${message}`,
    };
  }

  /**
   * Valid sample values of the place, smallest first, including lists whose items meet the conditions in
   * expressions.
   */
  #samples(place: ReshapedPlace): JsonValue[] {
    const maker = new Maker(this.#source);
    const drawn = [maker.minimal(place.source), ...maker.samples(place.source, count)];
    const values = drawn.filter((value) => value !== undefined);
    const wanted =
      place.change.kind === "reshaped" ? testsIn(place.change.members.map(([, made]) => made)) : [];
    const asked = values.flatMap((value, index) =>
      wanted.length > 0 ? [withTested(value, wanted[index % wanted.length]!)] : [],
    );
    const isOne = (value: JsonValue): boolean => this.#isValid(this.#source, place.source, value);
    return [...new Map([...values, ...asked].map((value) => [canonicalText(value), value])).values()].filter(
      isOne,
    );
  }

  /** Removes parts of a value while it stays a valid counterexample. */
  #shrunk(place: ReshapedPlace, value: JsonValue, isFailing: (value: JsonValue) => boolean): JsonValue {
    const next = smallerThan(value).find(
      (smaller) => this.#isValid(this.#source, place.source, smaller) && isFailing(smaller),
    );
    return next === undefined ? value : this.#shrunk(place, next, isFailing);
  }
}

/** All values that are smaller by one member, item or shortened string; then those with a smaller part. */
function smallerThan(value: JsonValue): JsonValue[] {
  if (typeof value === "string")
    return value === "" ? [] : ["", "a"].filter((text) => text.length < value.length);
  if (Array.isArray(value)) {
    const fewer = value.map((_, index) => value.toSpliced(index, 1));
    return [
      ...fewer,
      ...value.flatMap((item, index) => smallerThan(item).map((each) => value.with(index, each))),
    ];
  }
  if (!isJsonObject(value)) return [];
  const keys = Object.keys(value);
  return [
    ...keys.map((key) => without(value, key)),
    ...keys.flatMap((key) => smallerThan(value[key]!).map((each) => extended(value, key, each))),
  ];
}

interface Tested {
  readonly keys: readonly string[];
  readonly member: string;
  readonly is: JsonValue;
}

/** The conditions of expressions on members of list items, with the path of the list. */
function testsIn(made: readonly Made[]): Tested[] {
  return made.flatMap((one) => {
    const inside = testsIn(insideOf(one));
    if (one.kind !== "each" && one.kind !== "first") return inside;
    const own = (one.where ?? []).flatMap((test) =>
      "is" in test && one.from === "object" ? [{ keys: one.keys, member: test.key, is: test.is }] : [],
    );
    return [...own, ...inside];
  });
}

/** The value, with the first item of the list changed to meet the condition. */
function withTested(value: JsonValue, { keys, member, is }: Tested): JsonValue {
  const [key, ...rest] = keys;
  if (key !== undefined)
    return isJsonObject(value) && Object.hasOwn(value, key)
      ? extended(value, key, withTested(value[key]!, { keys: rest, member, is }))
      : value;
  const [item] = Array.isArray(value) ? value : [];
  return Array.isArray(value) && isJsonObject(item ?? null)
    ? value.with(0, extended(item as JsonObject, member, is))
    : value;
}

/** Params to try for the request: none, and texts of the value at the paths that expressions read. */
function requestsFor({ requested }: ReshapedPlace, value: JsonValue): (JsonObject | undefined)[] {
  if (requested.length === 0) return [undefined];
  const texts = [...new Set(textsIn(value))];
  const given = (member: JsonValue): JsonObject =>
    Object.fromEntries(
      requested.flatMap(({ keys }) => {
        const [first, ...rest] = keys;
        if (first === undefined) return [];
        return [[first, rest.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), member)]];
      }),
    );
  return [
    undefined,
    given([]),
    given(texts),
    ...texts.slice(0, 1).flatMap((text) => [given([text]), given(text)]),
  ];
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function sizeOf(value: JsonValue | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

/** Maximum length of a value in a message. */
const longest = 400;

function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
