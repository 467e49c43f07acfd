import { type SchemaNode, pointer } from "@mcpgen/engine";
import { type Alternative, type Method, type ProtocolModel, isFinal } from "../../model/model.js";
import { hasMember } from "../../model/object-view.js";
import { authoredResults } from "../authoring/authored-schema.js";
import type { Arm, Change, Exit, Plan, Test } from "./plan.js";
import type { Planner } from "./planner.js";
import { always } from "./tests.js";

/** A method as one of the two revisions has it. */
interface Answered {
  readonly model: ProtocolModel;
  readonly method: Method;
}

/** The steps for the answers of a method: plain results, and those that may come in their place. */
export function resultPlan(planner: Planner, source: Answered, target: Answered): Plan | undefined {
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
