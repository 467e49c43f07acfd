import { type Schema, type SchemaNode, pointer, hasMember, memberNodes } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { Aligner } from "../../../compare/align/aligner.js";
import { Renames } from "../../../compare/align/pair.js";
import {
  type Method,
  type ProtocolModel,
  type Role,
  type Alternative,
  isFinal,
} from "../../../model/model.js";
import { authoredSchema, authoredResults } from "../authoring/authored-schema.js";
import { Decisions } from "./decisions.js";
import { ownedByBoth } from "./members.js";
import { type Plan, type Change, type Arm, type Exit, type Test, plansFrom } from "./plan.js";
import { Planner, anyObject } from "./planner.js";
import { Reshapes } from "./reshapes.js";
import { always } from "./tests.js";
import { Wraps } from "./wrapped.js";
import { type Described, Parts } from "./parts.js";

/** The steps for one method from one revision to the other. */
export interface MethodSteps {
  readonly method: string;
  readonly kind: Method["kind"];
  readonly sender: Role;
  readonly params?: Plan;
  readonly result?: Plan;
  /**
   * The revision in which a tool's error result is a valid result of the method but not in the other; absent
   * if there is no such difference.
   */
  readonly toolError?: "source" | "target";
}

/** The plan of one direction between two revisions. */
export interface Way {
  readonly methods: readonly MethodSteps[];
  /** The step for members that both eras fill in, by name, for any method. */
  readonly filledIn: Plan;
  readonly decisions: Decisions;
  readonly planner: Pick<Planner, "source" | "target" | "objects" | "plan" | "renamed" | "ownedBy">;
  /** The target schema without owned members, and the definitions that this removal changes. */
  readonly target: { readonly schema: Schema; readonly changed: ReadonlySet<string> };
}

/** The plans of both directions between a revision and the preceding one. */
export interface StepPlan {
  readonly lift: Way;
  readonly lower: Way;
  /** The members that have another name in the preceding revision. */
  readonly renames: Renames;
  /** The objects whose members lie inside a wrapping member in the preceding revision. */
  readonly wraps: Wraps;
  /** The objects whose members are made by expressions. */
  readonly reshapes: Reshapes;
}

const known = new WeakMap<ProtocolModel, WeakMap<ProtocolModel, StepPlan>>();

/** Plans the steps between two revisions; the result is cached. Owned members are excluded. */
export function planSteps(previous: ProtocolModel, model: ProtocolModel): StepPlan {
  let plans = known.get(model);
  if (!plans) known.set(model, (plans = new WeakMap()));
  let plan = plans.get(previous);
  if (!plan) plans.set(previous, (plan = planBothWays(previous, model)));
  return plan;
}

interface Side {
  readonly model: ProtocolModel;
  readonly schema: Schema;
  readonly changed: ReadonlySet<string>;
}

function planBothWays(previous: ProtocolModel, model: ProtocolModel): StepPlan {
  const [old, next] = [previous, model].map((each): Side => {
    const { schema, changed } = authoredSchema(each);
    return { model: each, schema, changed };
  }) as [Side, Side];
  const renames = Renames.between(previous, model);
  const aligner = new Aligner(old.schema, next.schema, renames);
  const notes = model.stepNotes.filter((note) => note.previous === previous.revision);
  const wraps = new Wraps(model.wraps.filter((note) => note.previous === previous.revision));
  const reshapes = new Reshapes(model.reshapes.filter((note) => note.previous === previous.revision));
  const way = (kind: "lift" | "lower", source: Side, target: Side): Way => {
    const decisions = new Decisions(notes, kind, model.revision);
    const planner = new Planner(aligner, [previous, model], kind === "lower", { decisions, wraps, reshapes });
    const methods = methodsOf(planner, source, target);
    const filledIn = filledInPlan(planner);
    planner.passShared();
    return { methods, filledIn, decisions, target, planner };
  };
  const plan = { lift: way("lift", old, next), lower: way("lower", next, old), renames, wraps, reshapes };
  checkRequested(plan, [previous, model]);
  return plan;
}

function filledInPlan(planner: Planner): Plan {
  const changes = planner.filledIn.flatMap(({ key, definition, source, target }) =>
    ownedByBoth(
      { planner, source: { ...anyObject, name: definition }, target: anyObject, key },
      source,
      target,
    ),
  );
  return {
    hint: "members filled in",
    exits: [],
    arms: changes.length > 0 ? [{ test: always, changes }] : [],
  };
}

/** The steps of all methods that both revisions have, in the order of the model. */
function methodsOf(planner: Planner, source: Side, target: Side): MethodSteps[] {
  return source.model.methods.flatMap((method) => {
    const other = target.model.methods.find(({ name, kind }) => name === method.name && kind === method.kind);
    if (!other) return [];
    const senders = method.senders.filter((sender) => other.senders.includes(sender));
    if (senders.length === 0) return [];
    const [from, to] = [paramsOf(source, method), paramsOf(target, other)];
    const params = from.length > 0 && to.length > 0 ? planner.plan(from, to) : undefined;
    const result = resultPlan(planner, { ...source, method }, { ...target, method: other });
    // Params and results as a whole must not be dropped.
    for (const plan of [params, result]) if (plan) planner.keepWhole(plan);
    const toolError = takesToolError(target, other)
      ? "target"
      : takesToolError(source, method)
        ? "source"
        : undefined;
    return senders.map((sender) => ({
      method: method.name,
      kind: method.kind,
      sender,
      ...(params && { params }),
      ...(result && { result }),
      ...(toolError && { toolError }),
    }));
  });
}

/** A tool's error result; `toolError` in `stepping.ts` creates one. */
const failedTool = { content: [{ type: "text", text: "" }], isError: true };

/** Whether a tool's error result is a valid result of the method. */
function takesToolError({ schema }: Side, { result }: Method): boolean {
  const definition = schema.definitions.get(result?.definition ?? "");
  if (!definition) return false;
  const arms = [definition.node, ...(definition.node.anyOf ?? []), ...(definition.node.oneOf ?? [])];
  const isDescribed = arms.some((arm) =>
    Object.keys(failedTool).every((member) => hasMember(schema, arm, member)),
  );
  return isDescribed && isValid(schema, definition.node, failedTool);
}

function paramsOf({ schema }: Pick<Side, "schema">, { message }: Method): SchemaNode[] {
  return memberNodes(schema, schema.definitions.get(message)!.node, "params");
}

/**
 * Finds expressions that refer to params of a request where there is no request, or to params that it does
 * not have. Reports them as problems of their notes.
 */
function checkRequested(
  { lift, lower, reshapes }: Pick<StepPlan, "lift" | "lower" | "reshapes">,
  models: readonly [older: ProtocolModel, newer: ProtocolModel],
): void {
  for (const { reshape, direction, change, requested } of reshapes.places) {
    const [first] = requested;
    if (!first) continue;
    const { note } = reshape;
    const methods = { lift, lower }[direction].methods;
    const sent = methods.find(({ params }) => params && reaches(params, change));
    if (sent) {
      const message = `the object stands in params of ${sent.method}: only a result has a request that it answers`;
      reshapes.problems.push({
        note,
        pointer: first.pointer,
        message,
        next: "Write $request in notes on results.",
      });
      continue;
    }
    const answered = methods.filter(({ result }) => result && reaches(result, change));
    const names = [...new Set(answered.map(({ method }) => method))];
    const params = models.flatMap((model, index) => {
      const { source, target } = lift.planner;
      return names.flatMap((name) => placeOfParams(model, name, new Parts(index === 0 ? source : target)));
    });
    for (const { keys, pointer } of requested) {
      if (params.some(([parts, described]) => hasPath(parts, described, keys))) continue;
      const message = `no request of ${names.join(" or ")} has a param ${JSON.stringify(`/${keys.join("/")}`)}`;
      const known = [...new Set(params.flatMap(([parts, { nodes }]) => parts.namesOf(nodes)))];
      reshapes.problems.push({ note, pointer, message, next: `Its params are ${known.join(", ")}.` });
    }
  }
}

function placeOfParams(model: ProtocolModel, name: string, parts: Parts): (readonly [Parts, Described])[] {
  const method = model.methods.find((each) => each.name === name && each.kind === "request");
  const nodes = method ? paramsOf(parts.reader, method) : [];
  return nodes.length > 0 ? [[parts, { nodes, isCertain: true, isUnknown: false }]] : [];
}

function hasPath(parts: Parts, params: Described, keys: readonly string[]): boolean {
  let part: Described | undefined = params;
  for (const key of keys) part = part && parts.at(part, key);
  return part !== undefined;
}

/** Whether a change belongs to a step or to one that it calls. */
function reaches(root: Plan, change: Change): boolean {
  return [...plansFrom([root])].some(({ arms }) => arms.some(({ changes }) => changes.includes(change)));
}

/** A method as one of the two revisions defines it. */
interface Answered {
  readonly model: ProtocolModel;
  readonly method: Method;
}

/** The step for the results of a method: plain and alternative ones. */
function resultPlan(planner: Planner, source: Answered, target: Answered): Plan | undefined {
  const known = authoredResults(target.model, target.method);
  const marked = markedAlternatives(source.method).filter(({ definition }) => !known.includes(definition));
  const unmarked = authoredResults(source.model, source.method).filter(
    (name) => !marked.some(({ definition }) => definition === name),
  );
  const [from, to] = [placeOf(unmarked), placeOf(known)];
  if (!from || !to) return undefined;
  const plan = planner.plan([from], [to], { pointers: [] }, unmarked[0]);
  const exits = marked.map((alternative) => exitOf(planner, alternative, partnerOf(alternative, target)));
  const arms = strayMarks(source, target);
  if (exits.length === 0 && arms.length === 0) return plan;
  return { ...plan, exits: [...exits, ...plan.exits], arms: [...arms, ...plan.arms] };
}

/** The alternatives that a discriminator identifies with certainty. */
function markedAlternatives({ result }: Method): Alternative[] {
  return (result?.alternatives ?? []).filter(({ discriminator }) => discriminator !== undefined);
}

/** The other revision's alternative with the same discriminator. */
function partnerOf({ discriminator }: Alternative, { method }: Answered): string | undefined {
  const { key, value } = discriminator!;
  return markedAlternatives(method).find(
    (other) => other.discriminator!.key === key && other.discriminator!.value === value,
  )?.definition;
}

function exitOf(planner: Planner, alternative: Alternative, partner: string | undefined): Exit {
  const { definition, discriminator } = alternative;
  const { key, value } = discriminator!;
  const test: Test =
    value === undefined ? { constants: [], present: [key] } : { constants: [[key, [value]]], present: [] };
  if (partner !== undefined) {
    const nodes = [definition, partner].map((ref): SchemaNode => ({ pointer: "", ref }));
    const step = planner.plan([nodes[0]!], [nodes[1]!], { pointers: [] }, definition);
    return { test, outcome: { how: "pass" }, step };
  }
  const subject = { pointers: [pointer("/$defs", definition)], what: definition };
  const outcome = planner.decisions.outcome(subject, undefined);
  return { test, outcome, ...(!isFinal(alternative) && { pending: true as const }) };
}

/** Changes that remove undeclared members which the target would read as discriminators of an alternative. */
function strayMarks(source: Answered, { model, method }: Answered): Arm[] {
  const plain = source.model.schema.definitions.get(source.method.result?.definition ?? "")?.node;
  const known = new Set((source.method.result?.alternatives ?? []).map(({ definition }) => definition));
  const keys = markedAlternatives(method)
    .filter(({ definition, discriminator }) => {
      const isOwned = model.owned.get(method.result?.definition ?? "")?.has(discriminator!.key);
      return !known.has(definition) && !isOwned;
    })
    .map(({ discriminator }) => discriminator!.key)
    .filter((key) => plain && !hasMember(source.model.schema, plain, key));
  const changes = keys.map((key): Change => {
    const exits: Exit[] = [{ test: always, outcome: { how: "drop", what: key } }];
    return { kind: "member", key, plan: { hint: `stray ${key}`, exits, arms: [] } };
  });
  return changes.length > 0 ? [{ test: always, changes }] : [];
}

/** A schema that accepts any of the definitions. */
function placeOf(definitions: readonly string[]): SchemaNode | undefined {
  const [first, ...others] = definitions.map((ref): SchemaNode => ({ pointer: "", ref }));
  return others.length > 0 ? { pointer: "", anyOf: [first!, ...others] } : first;
}
