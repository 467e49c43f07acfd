import type { SchemaNode } from "../ir/ir.js";
import { type JsonValue, isJsonObject } from "../ir/json.js";
import { children } from "../ir/references.js";
import type { Check, Compiler } from "./check.js";
import { isPresent } from "./object.js";
import { ValueSet } from "./value-set.js";

/** Returns the checks of keywords that apply subschemas to the value itself. */
export function inPlaceChecks(node: SchemaNode, compiler: Compiler): Check[] {
  const checks: Check[] = [];
  if (node.ref !== undefined) checks.push(compiler.reference(node.ref));
  for (const child of node.allOf ?? []) checks.push(compiler.check(child));
  if (node.anyOf) checks.push(anyOf(new Arms(node.anyOf, compiler)));
  if (node.oneOf) checks.push(oneOf(new Arms(node.oneOf, compiler)));
  if (node.not) {
    const not = compiler.check(node.not);
    checks.push((value) => !not(value));
  }
  if (node.if && (node.then ?? node.else)) checks.push(conditional(node, compiler));
  for (const [key, child] of node.dependentSchemas ?? []) {
    const check = compiler.check(child);
    checks.push((value) => !isJsonObject(value) || !isPresent(value, key) || check(value));
  }
  return checks;
}

/**
 * The arms of a union. One set has the values of all arms that list values, because unions of many constants are common:
 * the time per value must not grow with their number.
 */
class Arms {
  /** The checks of the arms that do not list their values. */
  readonly others: readonly Check[];
  readonly #listing: readonly SchemaNode[];
  readonly #compiler: Compiler;
  #once: ValueSet | undefined;
  #again = new ValueSet();

  constructor(nodes: readonly SchemaNode[], compiler: Compiler) {
    this.#listing = nodes.filter(isListing);
    this.others = nodes.filter((node) => !isListing(node)).map((node) => compiler.check(node));
    this.#compiler = compiler;
  }

  /** The number of arms that list the value: 0, 1, or 2 for two or more. */
  listed(value: JsonValue): 0 | 1 | 2 {
    if (this.#listing.length === 0) return 0;
    const once = (this.#once ??= this.#gather());
    if (!once.has(value)) return 0;
    return this.#again.has(value) ? 2 : 1;
  }

  /**
   * Collects the values that the listing arms accept. Such an arm accepts its listed values that pass its other keywords.
   */
  #gather(): ValueSet {
    const once = new ValueSet();
    for (const node of this.#listing) {
      const check = this.#compiler.check(node);
      const own = new ValueSet();
      for (const value of node.const ? [node.const.value] : node.enum!) {
        if (own.has(value) || !check(value)) continue;
        own.add(value);
        if (once.has(value)) this.#again.add(value);
        else once.add(value);
      }
    }
    return once;
  }
}

/**
 * Whether a node lists its values and has no subschemas and no reference. Its check then never depends on a deferred
 * question.
 */
function isListing(node: SchemaNode): boolean {
  return (node.const ?? node.enum) !== undefined && node.ref === undefined && children(node).length === 0;
}

function anyOf(arms: Arms): Check {
  const { others } = arms;
  return (value) => {
    if (arms.listed(value) > 0) return true;
    for (const arm of others) if (arm(value)) return true;
    return false;
  };
}

function oneOf(arms: Arms): Check {
  const { others } = arms;
  return (value) => {
    let matched = arms.listed(value);
    for (const arm of others) {
      if (matched > 1) return false;
      if (arm(value)) matched++;
    }
    return matched === 1;
  };
}

function conditional(node: SchemaNode, compiler: Compiler): Check {
  const condition = compiler.check(node.if!);
  const then = node.then && compiler.check(node.then);
  const otherwise = node.else && compiler.check(node.else);
  return (value) => {
    const branch = condition(value) ? then : otherwise;
    return branch === undefined || branch(value);
  };
}
