import type { SchemaNode } from "../ir/ir.js";
import type { JsonValue } from "../ir/json.js";
import { distinct } from "../emitted/shared-checks.js";
import type { Compiler } from "./check.js";

type ArrayCheck = (items: readonly JsonValue[]) => boolean;

/** Returns the check of the array keywords except `unevaluatedItems`; undefined if the node has no such keywords. */
export function arrayCheck(node: SchemaNode, compiler: Compiler): ArrayCheck | undefined {
  const checks: ArrayCheck[] = [];
  const { minItems = 0, maxItems = Infinity } = node;
  if (minItems > 0 || maxItems < Infinity) {
    checks.push((items) => items.length >= minItems && items.length <= maxItems);
  }
  for (const check of [itemsCheck(node, compiler), containsCheck(node, compiler)])
    if (check) checks.push(check);
  if (node.uniqueItems) checks.push(distinct);
  if (checks.length <= 1) return checks[0];
  return (items) => checks.every((check) => check(items));
}

/** The check of `prefixItems` and `items`. */
function itemsCheck(node: SchemaNode, compiler: Compiler): ArrayCheck | undefined {
  const prefix = (node.prefixItems ?? []).map((child) => compiler.check(child));
  const rest = node.items && compiler.check(node.items);
  if (prefix.length === 0 && !rest) return undefined;
  return (items) => {
    const { length } = items;
    const first = Math.min(prefix.length, length);
    for (let index = 0; index < first; index++) if (!prefix[index]!(items[index]!)) return false;
    if (rest) for (let index = first; index < length; index++) if (!rest(items[index]!)) return false;
    return true;
  };
}

/** The check of `contains`, `minContains` and `maxContains`. */
function containsCheck(node: SchemaNode, compiler: Compiler): ArrayCheck | undefined {
  if (!node.contains) return undefined;
  const check = compiler.check(node.contains);
  const { minContains = 1, maxContains = Infinity } = node;
  return (items) => {
    let matches = 0;
    for (const item of items) {
      if (!check(item)) continue;
      matches++;
      if (matches > maxContains) return false;
      if (matches >= minContains && maxContains === Infinity) return true;
    }
    return matches >= minContains;
  };
}
