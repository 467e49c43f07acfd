import { type SchemaNode, pointer, ValueSet } from "@mcpgen/engine";
import type { Aligner } from "../../../compare/align/aligner.js";
import { alignArms, labelOf } from "../../../compare/align/arms.js";
import type { Pair, Place } from "../../../compare/align/pair.js";
import type { FormReader } from "../../../compare/shape/form-reader.js";
import type { Conjunction, Form, ShapeArm, Property, Bounds, Scalar } from "../../../compare/shape/form.js";
import type { Decisions, Subject } from "./decisions.js";
import { boundsFit } from "../../../compare/shape/bounds.js";
import { Likeness } from "./alike.js";
import { arrayChanges, objectChanges, listArms } from "./members.js";
import { type FilledIn, type Owner, filledInByBoth, holdsMessages, ownedMembers } from "./owned-members.js";
import {
  type Arm,
  type Change,
  type Exit,
  type Outcome,
  type Plan,
  type Test,
  droppedAt,
  onlyRefuses,
  unchanged,
} from "./plan.js";
import { type Reshape, type Reshapes, mergedArm, reshapedChanges } from "./reshapes.js";
import { type Wraps, wrappedChanges } from "./wrapped.js";
import {
  always,
  among,
  certainAmong,
  mayBe,
  memberBeside,
  discriminatingTest,
  textBlockOf,
} from "./tests.js";
import { Parts } from "./parts.js";

/** Context of a place: the values that contain it. */
export interface Around {
  /** Pointers of the enclosing places, whose notes also apply to the inner values. */
  readonly pointers: readonly string[];
  /** Outcome for a value that the source did not describe. */
  readonly undeclared?: Outcome;
}

/** Owned members of both revisions, by name. */
export interface OwnedOfBoth {
  readonly source: ReadonlyMap<string, Property>;
  readonly target: ReadonlyMap<string, Property>;
}

/**
 * Plans the conversion of values from one schema to the other, place by place. Each pair of places is planned
 * once.
 */
export class Planner {
  readonly source: FormReader;
  readonly target: FormReader;
  readonly decisions: Decisions;
  readonly isLowering: boolean;
  readonly wraps: Wraps;
  readonly reshapes: Reshapes;
  /** Finds parts of places in both schemas. */
  readonly parts: { readonly source: Parts; readonly target: Parts };
  /** The objects that are converted member by member: source and corresponding target. */
  readonly objects: (readonly [source: ShapeArm, target: ShapeArm])[] = [];
  /** Arms whose values other arms of the target may take, too. */
  private readonly shared: { readonly plan: Plan; readonly arm: Arm; readonly target: Conjunction }[] = [];
  private readonly aligner: Aligner;
  private readonly known = new Map<string, Plan>();
  private readonly likeness: Likeness;
  private readonly owners: readonly [source: Owner, target: Owner];

  /** @param owners the two models, older first. The schemas in `aligner` omit their owned members. */
  constructor(
    aligner: Aligner,
    [older, newer]: readonly [Owner, Owner],
    isLowering: boolean,
    { decisions, wraps, reshapes }: Pick<Planner, "decisions" | "reshapes" | "wraps">,
  ) {
    this.wraps = wraps;
    this.reshapes = reshapes;
    this.owners = isLowering ? [newer, older] : [older, newer];
    this.aligner = aligner;
    this.decisions = decisions;
    this.isLowering = isLowering;
    this.source = isLowering ? aligner.new : aligner.old;
    this.target = isLowering ? aligner.old : aligner.new;
    this.parts = { source: new Parts(this.source), target: new Parts(this.target) };
    this.likeness = new Likeness([this.source.schema, this.target.schema], this.owners, reshapes.definitions);
  }

  /** Plans the conversion of values of `source` to values of `target`. */
  plan(source: Conjunction, target: Conjunction, around: Around = { pointers: [] }, name?: string): Plan {
    // Most of a protocol does not change.
    if (this.likeness.of(source, target)) return unchanged;
    const pair = this.isLowering ? this.aligner.pair(target, source) : this.aligner.pair(source, target);
    const pointers = [...pointersOf(source, this.sourceOf(pair)), ...pointersOf(target, this.targetOf(pair))];
    const note = this.decisions.noteAt([...pointers, ...around.pointers]);
    const places = [this.sourceOf(pair), this.targetOf(pair)] as const;
    const key = [
      this.source.keyOf(places[0].nodes),
      this.target.keyOf(places[1].nodes),
      note?.pointer ?? "",
      around.undeclared ? "undeclared" : "",
    ].join("|");
    let plan = this.known.get(key);
    if (!plan) {
      const hint = name ?? hintOf(pair);
      plan = { hint, exits: [], arms: [] };
      this.known.set(key, plan);
      const inside = { ...around, pointers: note ? [...pointers, ...around.pointers] : pointers };
      new PlacePlanner(this, places, inside, hint).fill(plan);
    }
    return plan;
  }

  /** An arm whose values other arms of the target may take, too. @param target of the whole union */
  share(plan: Plan, arm: Arm, target: Conjunction): void {
    this.shared.push({ plan, arm, target });
  }

  /**
   * Lets values pass that another arm of the target takes as they are, where their arm would only refuse them.
   * Call it once all places are planned.
   */
  passShared(): void {
    for (const { plan, arm, target } of this.shared)
      if (onlyRefuses(arm)) plan.arms[plan.arms.indexOf(arm)] = { ...arm, unless: target };
  }

  /** Reports notes that would drop a value where one is required. */
  keepWhole(plan: Plan): void {
    for (const pointers of droppedAt(plan)) this.decisions.refuseDrop(pointers, plan.hint);
  }

  /** Members that both objects describe, under different names. */
  renamed(source: ShapeArm, target: ShapeArm): { readonly from: string; readonly to: string }[] {
    const [old, next] = this.isLowering ? [target, source] : [source, target];
    const names = this.aligner.renames?.of(old, next) ?? [];
    return names.map((each) =>
      this.isLowering ? { from: each.new, to: each.old } : { from: each.old, to: each.new },
    );
  }

  /** Whether both places are described identically. */
  isAlike(source: Conjunction, target: Conjunction): boolean {
    return this.likeness.of(source, target);
  }

  /**
   * The note that makes the members of an object in this direction, found by pointers of the newer revision's
   * object.
   */
  reshapeOf(pointers: readonly string[]): Reshape | undefined {
    return this.reshapes.of(pointers, this.isLowering ? "lower" : "lift");
  }

  /** The owned members of two objects. */
  ownedBy(source: ShapeArm, target: ShapeArm): OwnedOfBoth {
    const [from, to] = this.owners;
    return { source: ownedMembers(from, source), target: ownedMembers(to, target) };
  }

  /** The members that both eras fill in. */
  get filledIn(): readonly FilledIn[] {
    return filledInByBoth(...this.owners);
  }

  /** Whether an owned member of the source contains messages of methods, or their results. */
  holdsMessages(member: Property): boolean {
    return holdsMessages(this.owners[0], member);
  }

  private sourceOf(pair: Pair): Place {
    return this.isLowering ? pair.new : pair.old;
  }

  private targetOf(pair: Pair): Place {
    return this.isLowering ? pair.old : pair.new;
  }

  /** Pairs of corresponding arms, and the source's arms without a counterpart. */
  arms(source: Form, target: Form): { matched: [ShapeArm, ShapeArm][]; left: readonly ShapeArm[] } {
    const [old, next] = this.isLowering ? [target, source] : [source, target];
    const { matched, removed, added } = alignArms(
      [this.aligner.old, this.aligner.new],
      old.members,
      next.members,
      this.aligner.renames,
    );
    return {
      matched: matched.map(([a, b]) => (this.isLowering ? [b, a] : [a, b])),
      left: this.isLowering ? added : removed,
    };
  }
}

/** An object schema without keywords. */
export const anyObject: ShapeArm = {
  type: "object",
  nodes: [],
  name: undefined,
  pointer: "",
  bounds: new Map(),
  properties: new Map(),
  forbidden: new Set(),
  closed: false,
  additional: [],
  prefix: [],
  items: [],
};

/** Plans one place. */
class PlacePlanner {
  private readonly planner: Planner;
  /** The schema of the place; a reference if it has a name. */
  private readonly described: Conjunction;
  private readonly around: Around;
  private readonly hint: string;
  private readonly source: Form;
  private readonly target: Form;
  private readonly places: readonly [from: Place, to: Place];

  constructor(planner: Planner, places: readonly [Place, Place], around: Around, hint: string) {
    const [from, to] = places;
    this.planner = planner;
    this.places = places;
    this.described = to.definition === undefined ? to.nodes : [{ pointer: "", ref: to.definition }];
    this.around = around;
    this.hint = hint;
    this.source = planner.source.of(from.nodes);
    this.target = planner.target.of(to.nodes);
  }

  fill(plan: Plan): void {
    const { source, target } = this;
    if (target.any) return;
    if (source.any) {
      this.fillFromAny(plan);
      return;
    }
    if (this.fillReshaped(plan)) return;
    const { matched, left } = this.planner.arms(source, target);
    const lists = listArms(this.planner, source, target);
    if (!scalarsFit(source, target))
      plan.exits.push(this.unlessValid(source.members.length > 0 ? { ...always, type: "scalar" } : always));
    const leaving = left.filter((arm) => !lists.some(({ source: each }) => each === arm));
    const exits = leaving.map((arm) => this.exitOf(arm));
    const place = plan.exits.push(...exits) - exits.length;
    if (target.exclusive && (!source.exclusive || left.length > 0)) plan.exits.push(this.unlessValid(always));
    for (const [arm, other] of matched) {
      const test = among(this.planner.source, arm, source);
      const limit = boundsFit(arm.bounds, other.bounds) ? undefined : this.limit(arm, other);
      if (limit === "whole") plan.exits.push(this.unlessValid(test, limitsOf(other)));
      const changes =
        arm.type === "object"
          ? (this.reshaped(plan, arm, other) ??
            wrappedChanges(this.planner, arm, other) ??
            objectChanges(this.planner, arm, other))
          : arrayChanges(this.planner, arm, other, this.around);
      if (typeof limit === "number") changes?.push({ kind: "limited", most: limit });
      if (changes === undefined) plan.exits.push(this.unlessValid(test));
      else if (changes.length > 0) {
        const changed = { test, changes };
        plan.arms.push(changed);
        if (this.isShared(arm, other)) this.planner.share(plan, changed, this.described);
        // Values of this arm are not valid in the target before they are changed, so exits test the source
        // form.
        for (const [index, each] of leaving.entries())
          plan.exits[place + index] = exceptArm(plan.exits[place + index]!, each, arm);
      }
    }
    for (const { test, changes } of lists) plan.arms.push({ test, changes });
  }

  /** Whether arms of the target beside the corresponding one may take values of an arm. */
  private isShared(arm: ShapeArm, other: ShapeArm): boolean {
    const { planner, target } = this;
    const rest = { ...target, members: target.members.filter((member) => member !== other) };
    return !discriminatingTest(arm, { arm: planner.source, other: planner.target }, rest);
  }

  /** The changes for members that a note on an arm makes by expressions. */
  private reshaped(plan: Plan, arm: ShapeArm, other: ShapeArm): Change[] | undefined {
    const newer = this.planner.isLowering ? arm : other;
    const named = newer.name === undefined ? [] : [pointer("/$defs", newer.name)];
    const reshape = this.planner.reshapeOf([...named, ...newer.nodes.map((node) => node.pointer)]);
    return reshape && this.changesBy(reshape, plan, [arm, other], arm.nodes);
  }

  private changesBy(
    reshape: Reshape,
    plan: Plan,
    [arm, other]: readonly [ShapeArm, ShapeArm],
    source: Conjunction,
  ): Change[] | undefined {
    const { planner, described: target } = this;
    const reshaped = reshapedChanges(planner, [arm, other], reshape, source);
    if (!reshaped) return undefined;
    const direction = planner.isLowering ? "lower" : "lift";
    const pair = [this.places[0].nodes, this.places[1].nodes] as const;
    planner.reshapes.add({ reshape, direction, source, target, pair, plan, ...reshaped });
    return reshaped.changes;
  }

  /**
   * If a note on the place makes members of all its objects, plans one change for all arms. Returns whether
   * it did.
   */
  private fillReshaped(plan: Plan): boolean {
    const { planner, source, target } = this;
    const [from, to] = this.places;
    const newer = planner.isLowering ? from : to;
    const reshape = planner.reshapeOf([
      ...pointersOf(newer.written, newer),
      ...pointersOf(newer.nodes, newer),
    ]);
    if (!reshape) return false;
    const [arm, other] = [mergedArm(planner.parts.source, source), mergedArm(planner.parts.target, target)];
    if (!arm || !other) return false;
    const changes = this.changesBy(reshape, plan, [arm, other], from.nodes);
    if (!changes) return false;
    const others = source.members.filter(({ type }) => type === "array");
    if (!scalarsFit(source, target)) plan.exits.push(this.unlessValid({ ...always, type: "scalar" }));
    for (const each of others) plan.exits.push(this.exitOf(each));
    const isOnly = others.length === 0 && source.scalars.size === 0;
    plan.arms.push({ test: isOnly ? always : { ...always, type: "object" }, changes });
    return true;
  }

  /** Plans a place that accepts any value: as a whole, unless notes concern its parts. */
  private fillFromAny(plan: Plan): void {
    const [only, other] = this.target.members;
    const isObject = only?.type === "object" && !other && this.target.scalars.size === 0;
    if (!isObject || !this.planner.decisions.speaksInside(this.around.pointers)) {
      plan.exits.push(this.unlessValid(always));
      return;
    }
    plan.exits.push(this.unlessValid(always, limitsOf(only)));
    plan.arms.push({ test: always, changes: objectChanges(this.planner, anyObject, only) });
  }

  /** The exit for values that the target does not accept. */
  private unlessValid(test: Test, unless: Conjunction = this.described): Exit {
    const { pointers, undeclared } = this.around;
    const what = undeclared && "what" in undeclared ? undeclared.what : this.hint;
    return { test, unless, outcome: this.outcome({ pointers, what }) };
  }

  private outcome(subject: Subject): Outcome {
    const { decisions, target } = this.planner;
    const { undeclared } = this.around;
    return undeclared && !decisions.noteAt(subject.pointers)
      ? undeclared
      : decisions.outcome(subject, textBlockOf(target, this.target));
  }

  /**
   * The maximum number of items in the target, if that is the only difference and a note decides to drop the
   * rest.
   */
  private limit(arm: ShapeArm, other: ShapeArm): number | "whole" {
    const most = other.bounds.get("maxItems");
    const rest = new Map([...other.bounds].filter(([keyword]) => keyword !== "maxItems"));
    const { decisions } = this.planner;
    const isCut = decisions.noteAt(this.around.pointers)?.how === "drop" && boundsFit(arm.bounds, rest);
    if (typeof most !== "number" || !isCut) return "whole";
    decisions.use(this.around.pointers);
    return most;
  }

  /** The exit for an arm without a counterpart in the target. */
  private exitOf(arm: ShapeArm): Exit {
    const { planner, source, target } = this;
    const members = new Map(
      [...arm.properties].map(([key, { nodes, required }]) => {
        const form = planner.source.of(nodes);
        return [key, { required, scalar: !form.any && form.members.length === 0 }] as const;
      }),
    );
    const own = [...(arm.name === undefined ? [] : [pointer("/$defs", arm.name)]), arm.pointer];
    const outcome = this.outcome({
      pointers: [...this.around.pointers, ...own],
      what: labelOf(arm),
      members,
    });
    const readers = { arm: planner.source, other: planner.target };
    const test = discriminatingTest(arm, readers, target) ?? certainAmong(planner.source, arm, source);
    if (!test) return { test: mayBe(planner.source, arm), unless: this.described, outcome };
    const single = arm.type === "array" && arm.prefix.length === 0 && source.members.length > 1;
    if (!single || arm.items.length === 0) return { test, outcome };
    return { test, outcome, single: planner.plan(arm.items, this.described, this.around) };
  }
}

/**
 * Excludes from an arm's exit the values of another arm that has its own changes, if a member distinguishes
 * them.
 */
function exceptArm(exit: Exit, arm: ShapeArm, other: ShapeArm): Exit {
  const key = exit.unless && memberBeside(arm, other);
  if (key === undefined) return exit;
  const absent = [...new Set([...(exit.test.absent ?? []), key])];
  return { ...exit, test: { ...exit.test, absent } };
}

/** The pointers by which notes can refer to a place: its own, and that of the definition it refers to. */
function pointersOf(written: Conjunction, { definition }: Place): string[] {
  const named = definition === undefined ? [] : [pointer("/$defs", definition)];
  return [...written.map((node) => node.pointer).filter((each) => each !== ""), ...named];
}

function hintOf({ location: { definition, path } }: Pair): string {
  return path === "" ? definition : `${definition} ${path}`;
}

/** Whether the target accepts every scalar of `source`. */
function scalarsFit(source: Form, target: Form): boolean {
  return [...source.scalars].every(([type, scalar]) => {
    const other = target.scalars.get(type);
    return other !== undefined && scalarFits(scalar, other);
  });
}

function scalarFits(source: Scalar, target: Scalar): boolean {
  const fitsFree = (bounds: Bounds): boolean => target.free.some((limits) => boundsFit(bounds, limits));
  const listed = new ValueSet(target.values);
  return (
    source.free.every(fitsFree) && source.values.every((value) => listed.has(value) || fitsFree(new Map()))
  );
}

/** Keywords about parts of objects and arrays; each part has its own plan. */
const ofParts = [
  "properties",
  "required",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
] as const;

/** The constraints of an arm apart from its parts. */
function limitsOf({ nodes }: ShapeArm): Conjunction {
  return nodes.map((node) => {
    const rest: { -readonly [K in keyof SchemaNode]: SchemaNode[K] } = { ...node };
    // With `patternProperties`, these keywords decide only together which keys are additional, so all are
    // kept.
    if (!node.patternProperties) for (const keyword of ofParts) delete rest[keyword];
    return rest;
  });
}
