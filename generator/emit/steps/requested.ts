import type { Method, ProtocolModel } from "../../model/model.js";
import { memberNodes } from "../../model/object-view.js";
import { type Described, Parts } from "./parts.js";
import type { StepPlan } from "./methods.js";
import { type Change, type Plan, plansOf } from "./plan.js";

/**
 * Finds expressions that name params of the request where no request is answered, or params that it does not have. They
 * become problems of their notes.
 */
export function checkRequested(
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
      return names.flatMap((name) => paramsOf(model, name, new Parts(index === 0 ? source : target)));
    });
    for (const { keys, pointer } of requested) {
      if (params.some(([parts, described]) => hasPath(parts, described, keys))) continue;
      const message = `no request of ${names.join(" or ")} has a param ${JSON.stringify(`/${keys.join("/")}`)}`;
      const known = [...new Set(params.flatMap(([parts, { nodes }]) => parts.namesOf(nodes)))];
      reshapes.problems.push({ note, pointer, message, next: `Its params are ${known.join(", ")}.` });
    }
  }
}

function paramsOf(model: ProtocolModel, name: string, parts: Parts): (readonly [Parts, Described])[] {
  const method = model.methods.find((each: Method) => each.name === name && each.kind === "request");
  if (!method) return [];
  const { schema } = parts.reader;
  const nodes = memberNodes(schema, schema.definitions.get(method.message)!.node, "params");
  return nodes.length > 0 ? [[parts, { nodes, isCertain: true, isUnknown: false }]] : [];
}

function hasPath(parts: Parts, params: Described, keys: readonly string[]): boolean {
  let part: Described | undefined = params;
  for (const key of keys) part = part && parts.at(part, key);
  return part !== undefined;
}

/** Whether a change is a part of the step, or of one inside. */
function reaches(root: Plan, change: Change): boolean {
  const all = new Set([root]);
  // A Set's iteration includes what is added meanwhile.
  for (const plan of all) for (const inside of plansOf(plan)) all.add(inside);
  return [...all].some(({ arms }) => arms.some(({ changes }) => changes.includes(change)));
}
