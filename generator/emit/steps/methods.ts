import { type Schema, type SchemaNode, pointer, hasMember, memberNodes } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { Aligner } from "../../compare/align/aligner.js";
import { Renames } from "../../compare/align/pair.js";
import { type Method, type ProtocolModel, type Role, type Alternative, isFinal } from "../../model/model.js";
import { authoredSchema, authoredResults } from "../authoring/authored-schema.js";
import { Decisions } from "./decisions.js";
import { ownedByBoth } from "./members.js";
import { type Plan, type Change, type Arm, type Exit, type Test, plansFrom } from "./plan.js";
import { Planner, anyObject } from "./planner.js";
import { Reshapes } from "./reshapes.js";
import { always } from "./tests.js";
import { Wraps } from "./wrapped.js";
import { type Described, Parts } from "./parts.js";

/** How what one method carries gets from one revision to the other. */
export interface MethodSteps {
  readonly method: string;
  readonly kind: Method["kind"];
  readonly sender: Role;
  readonly params?: Plan;
  readonly result?: Plan;
  /** Where the result of a tool that failed is a result of the method, if it is: there, or where the step begins. */
  readonly toolError?: "source" | "target";
}

/** One way between two revisions. */
export interface Way {
  readonly methods: readonly MethodSteps[];
  /** Of an object with the members that both eras fill in, each by its name, whatever the method. */
  readonly filledIn: Plan;
  readonly decisions: Decisions;
  readonly planner: Pick<Planner, "source" | "target" | "objects" | "plan" | "renamed" | "ownedBy">;
  /** The schema values are taken to, without what the era owns, and which definitions that changes. */
  readonly target: { readonly schema: Schema; readonly changed: ReadonlySet<string> };
}

/** Both ways between a revision and the one before it. */
export interface StepPlan {
  readonly lift: Way;
  readonly lower: Way;
  /** The members that have another name in the revision before. */
  readonly renames: Renames;
  /** The objects whose members are inside a member in the revision before. */
  readonly wraps: Wraps;
  /** The objects whose members expressions make. */
  readonly reshapes: Reshapes;
}

const known = new WeakMap<ProtocolModel, WeakMap<ProtocolModel, StepPlan>>();

/** Plans the steps between two revisions, once. What the era owns is no part of them. */
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
    return { methods, filledIn: filledInPlan(planner), decisions, target, planner };
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
    // A message without its params or its result is none.
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

/** The result of a tool that failed: `toolError` of `stepping.ts` makes one. */
const failedTool = { content: [{ type: "text", text: "" }], isError: true };

/** Whether a method may be answered by the result of a tool that failed. */
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
 * Finds expressions that name params of the request where no request is answered, or params that it does not have. They
 * become problems of their notes.
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

/** Whether a change is a part of the step, or of one inside. */
function reaches(root: Plan, change: Change): boolean {
  return [...plansFrom([root])].some(({ arms }) => arms.some(({ changes }) => changes.includes(change)));
}

/** A method as one of the two revisions has it. */
interface Answered {
  readonly model: ProtocolModel;
  readonly method: Method;
}

/** The steps for the answers of a method: plain results, and those that may come in their place. */
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

/** Alternatives that a member marks: what bears the mark is nothing else. */
function markedAlternatives({ result }: Method): Alternative[] {
  return (result?.alternatives ?? []).filter(({ discriminator }) => discriminator !== undefined);
}

/** The alternative of the other side that bears the same mark. */
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

/** Members that would make an alternative of a result, though they had no meaning at their source. */
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

/** Any of the definitions, as one place. */
function placeOf(definitions: readonly string[]): SchemaNode | undefined {
  const [first, ...others] = definitions.map((ref): SchemaNode => ({ pointer: "", ref }));
  return others.length > 0 ? { pointer: "", anyOf: [first!, ...others] } : first;
}
