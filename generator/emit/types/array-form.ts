import type { SchemaNode } from "@mcpgen/engine";
import { type FormContext, type FormMaker, innerContext } from "./form.js";
import { isAnything } from "./object-form.js";

/** The array that parts describe together; nothing where its items may be anything. */
export function arrayForm(
  forms: FormMaker,
  parts: readonly SchemaNode[],
  context: FormContext,
): SchemaNode | undefined {
  const describing = parts.filter(({ items, prefixItems }) => items ?? prefixItems);
  if (describing.length === 0) return undefined;
  const item = (index: number): SchemaNode =>
    forms.form(itemsAt(describing, index), innerContext(context, itemsAt(context.idle, index)));
  const minItems = Math.max(0, ...parts.map(({ minItems: least = 0 }) => least));
  const maxItems = Math.min(...parts.map(({ maxItems: most = Infinity }) => most));
  const length = Math.max(...describing.map(({ prefixItems = [] }) => prefixItems.length));
  const prefix: SchemaNode[] = [];
  for (let index = 0; index < length; index++) {
    const next = index < maxItems ? item(index) : { pointer: "", never: true as const };
    // An item that cannot be ends the array.
    if (next.never && index >= minItems) return tuple(prefix, next, minItems);
    prefix.push(next);
  }
  const isFull = length > 0 && maxItems <= length;
  const rest: SchemaNode = isFull ? { pointer: "", never: true } : item(Infinity);
  // A list of anything would take literals' types from the lists beside it.
  return minItems === 0 && [...prefix, rest].every(isAnything) ? undefined : tuple(prefix, rest, minItems);
}

/** What nodes say of one item. */
function itemsAt(nodes: readonly SchemaNode[], index: number): SchemaNode[] {
  return nodes.flatMap(({ prefixItems = [], items }) => prefixItems[index] ?? items ?? []);
}

function tuple(prefixItems: readonly SchemaNode[], items: SchemaNode, minItems: number): SchemaNode {
  if (prefixItems.length === 0) return { pointer: "", types: ["array"], items };
  return { pointer: "", types: ["array"], prefixItems, items, minItems };
}
