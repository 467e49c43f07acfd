import type { SchemaNode } from "@mcpgen/engine";
import { compare, countLimits, no, yes, isPresent } from "./expression.js";
import { type Statement, refuseUnless, when } from "./statement.js";
import type { Place } from "./unit.js";

/**
 * Checks the keywords of `node` about the items of an array. `subject` must be an array whose length was
 * checked.
 */
export function checkItems(node: SchemaNode, subject: string, place: Place): Statement[] {
  const prefix = node.prefixItems ?? [];
  return [
    ...prefix.flatMap((_, index) => checkAt(node, index, subject, place)),
    ...checkRest(node, prefix.length, subject, place),
    ...checkContains(node, subject, place),
  ];
}

/** Checks an item of `prefixItems` if the array is long enough. */
function checkAt(node: SchemaNode, index: number, subject: string, place: Place): Statement[] {
  const child = node.prefixItems![index]!;
  if (place.shapes.isTrivial(child)) return [];
  const item = place.scope.local(`item${index + 1}`, subject);
  const checks: Statement[] = [
    { kind: "const", name: item, value: `${subject}[${index}]` },
    ...checkItem(child, item, place),
  ];
  const always = (node.minItems ?? 0) > index;
  return always ? checks : when(compare(`${subject}.length`, ">", String(index)), checks);
}

function checkRest(node: SchemaNode, from: number, subject: string, place: Place): Statement[] {
  if (!node.items || place.shapes.isTrivial(node.items)) return [];
  const item = place.scope.local("item", subject);
  const checks = checkItem(node.items, item, place);
  if (checks[0]?.kind === "return") return refuseUnless(compare(`${subject}.length`, "<=", String(from)));
  if (from === 0) return [{ kind: "for", head: `const ${item} of ${subject}`, body: checks }];
  const index = place.scope.local("index", subject);
  const head = `let ${index} = ${from}; ${index} < ${subject}.length; ${index}++`;
  return [
    { kind: "for", head, body: [{ kind: "const", name: item, value: `${subject}[${index}]` }, ...checks] },
  ];
}

/** Checks an item that may be `undefined`, which is not a valid item. */
export function checkItem(node: SchemaNode, item: string, place: Place): Statement[] {
  const ready = place.shapes.refusesUndefined(node);
  return [
    ...(ready ? [] : refuseUnless(isPresent(item))),
    ...place.under(`${place.hint}Item`).check(node, item),
  ];
}

function checkContains(node: SchemaNode, subject: string, place: Place): Statement[] {
  if (!node.contains) return [];
  const item = place.scope.local("item", subject);
  const found = place.asTested().under("contained").conditionFor(node.contains, item);
  const { minContains = 1, maxContains } = node;
  if (found.kind === "constant" && !found.value) return refuseUnless(minContains > 0 ? no : yes);
  const limits = (count: string): Statement[] =>
    countLimits(count, minContains, maxContains).flatMap(refuseUnless);
  if (found.kind === "constant") return limits(`${subject}.length`);
  const count = place.scope.local("containing", subject);
  return [
    { kind: "plain", text: `let ${count} = 0` },
    {
      kind: "for",
      head: `const ${item} of ${subject}`,
      body: when(found, [{ kind: "plain", text: `${count}++` }]),
    },
    ...limits(count),
  ];
}
