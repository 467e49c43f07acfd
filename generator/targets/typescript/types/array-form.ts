import { type SchemaNode, referencesOf } from "@mcpgen/engine";
import { type FormContext, type FormMaker, innerContext } from "./form.js";
import { type DescribedObject, branchesOf, isAnything } from "./object-form.js";

/** The array that nodes describe together; undefined if its items are unrestricted. */
export function arrayForm(
  forms: FormMaker,
  { parts, idle }: Pick<DescribedObject, "parts" | "idle">,
  context: FormContext,
): SchemaNode | undefined {
  const describing = parts.filter(({ items, prefixItems }) => items ?? prefixItems);
  if (describing.length === 0) return undefined;
  const length = Math.max(...describing.map(({ prefixItems = [] }) => prefixItems.length));
  const item = (index: number): SchemaNode => {
    const further = furtherItems(forms, { parts, idle }, context, (node) =>
      index < length ? itemsAt([node], index) : itemsFrom(node, length),
    );
    return forms.form(itemsAt(describing, index), innerContext(context, further));
  };
  const minItems = Math.max(0, ...parts.map(({ minItems: least = 0 }) => least));
  const maxItems = Math.min(...parts.map(({ maxItems: most = Infinity }) => most));
  const prefix: SchemaNode[] = [];
  for (let index = 0; index < length; index++) {
    const next = index < maxItems ? item(index) : { pointer: "", never: true as const };
    // No value is possible for this item, so the array ends before it.
    if (next.never && index >= minItems) return tuple(prefix, next, minItems);
    prefix.push(next);
  }
  const isFull = length > 0 && maxItems <= length;
  const rest: SchemaNode = isFull ? { pointer: "", never: true } : item(Infinity);
  const isOpen = (form: SchemaNode, index: number): boolean =>
    isAnything(form) ||
    (!form.never && forms.inPlace.sayNothing(itemsAt(describing, index < length ? index : Infinity)));
  // An unrestricted array type would replace the item types of an intersecting array.
  return minItems === 0 && [...prefix, rest].every(isOpen) ? undefined : tuple(prefix, rest, minItems);
}

/**
 * The schemas of an item by nodes that the array may satisfy.
 *
 * @param of the schemas that a node has for it
 */
function furtherItems(
  { inPlace }: FormMaker,
  { parts, idle }: Pick<DescribedObject, "parts" | "idle">,
  context: FormContext,
  of: (node: SchemaNode) => readonly SchemaNode[],
): SchemaNode[] {
  const branches = parts.flatMap(branchesOf).map(({ node }) => node);
  const possible = inPlace.possible([...branches, ...idle, ...context.idle]);
  return [...[...possible].flatMap(of), ...inPlace.hiddenItem(context.beside, of)];
}

/** All schemas that a node has for the items from an index on. */
export function itemsFrom({ prefixItems = [], items }: SchemaNode, index: number): readonly SchemaNode[] {
  return [...prefixItems.slice(index), ...(items ? [items] : [])];
}

/** The schemas that nodes have for the item at an index. */
function itemsAt(nodes: readonly SchemaNode[], index: number): SchemaNode[] {
  return nodes.flatMap(({ prefixItems = [], items }) => prefixItems[index] ?? items ?? []);
}

/**
 * An array with these items in a form that TypeScript can read: a single tuple, a union with one tuple for each
 * length, or a tuple with an array of all its items.
 */
export function tuple(prefixItems: readonly SchemaNode[], items: SchemaNode, minItems: number): SchemaNode {
  const array: SchemaNode = { pointer: "", types: ["array"], items };
  if (prefixItems.length === 0) return array;
  const whole = { ...array, prefixItems, minItems };
  if (leadsOnFromArray(items)) {
    const any: SchemaNode = { pointer: "", anyOf: [...prefixItems, items] };
    return { pointer: "", allOf: [tuple(prefixItems, { pointer: "" }, minItems), { ...array, items: any }] };
  }
  if (!prefixItems.slice(minItems).some(leadsOnFromArray)) return whole;
  const none: SchemaNode = { pointer: "", never: true };
  const shorter = prefixItems.slice(minItems).map((_, index): SchemaNode => {
    const length = minItems + index;
    return {
      ...array,
      items: none,
      ...(length > 0 && { prefixItems: prefixItems.slice(0, length), minItems: length }),
    };
  });
  return { pointer: "", anyOf: [...shorter, { ...whole, minItems: prefixItems.length }] };
}

/**
 * Whether an item is an array of references. TypeScript resolves optional and rest elements of tuples eagerly and
 * rejects a type that refers to itself there; required elements, and items of arrays, are resolved lazily.
 */
function leadsOnFromArray(item: SchemaNode): boolean {
  const isArray = item.items !== undefined || item.prefixItems !== undefined;
  const { anyOf = [], oneOf = [], allOf = [] } = item;
  return isArray ? referencesOf(item).size > 0 : [...anyOf, ...oneOf, ...allOf].some(leadsOnFromArray);
}
