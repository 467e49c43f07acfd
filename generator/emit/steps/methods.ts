import type { Schema, SchemaNode } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { Aligner } from "../../compare/align/aligner.js";
import { Renames } from "../../compare/align/renames.js";
import type { Method, ProtocolModel, Role } from "../../model/model.js";
import { hasMember, memberNodes } from "../../model/object-view.js";
import { authoredSchema } from "../authoring/authored-schema.js";
import { Decisions } from "./decisions.js";
import { ownedByBoth } from "./members.js";
import type { Plan } from "./plan.js";
import { Planner, anyObject } from "./planner.js";
import { checkRequested } from "./requested.js";
import { Reshapes } from "./reshapes.js";
import { resultPlan } from "./results.js";
import { always } from "./tests.js";
import { Wraps } from "./wrapped.js";

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
    const planner = new Planner(aligner, decisions, kind === "lower", [previous, model], { wraps, reshapes });
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
    const params = paramsPlan(planner, source, target, method, other);
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

function paramsPlan(
  planner: Planner,
  source: Side,
  target: Side,
  method: Method,
  other: Method,
): Plan | undefined {
  const nodes = [paramsOf(source, method), paramsOf(target, other)] as const;
  return nodes[0].length > 0 && nodes[1].length > 0 ? planner.plan(...nodes) : undefined;
}

function paramsOf({ schema }: Side, { message }: Method): SchemaNode[] {
  return memberNodes(schema, schema.definitions.get(message)!.node, "params");
}
