import type { SchemaNode } from "../ir/ir.js";
import { isJsonObject } from "../ir/json.js";
import type { Check, Compiler } from "./check.js";
import { isPresent } from "./object.js";

/** The keywords that apply schemas to the value itself. */
export function inPlaceChecks(node: SchemaNode, compiler: Compiler): Check[] {
  const checks: Check[] = [];
  if (node.ref !== undefined) checks.push(compiler.reference(node.ref));
  for (const child of node.allOf ?? []) checks.push(compiler.check(child));
  if (node.anyOf) checks.push(anyOf(node.anyOf.map((arm) => compiler.check(arm))));
  if (node.oneOf) checks.push(oneOf(node.oneOf.map((arm) => compiler.check(arm))));
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

function anyOf(arms: readonly Check[]): Check {
  return (value) => {
    for (const arm of arms) if (arm(value)) return true;
    return false;
  };
}

function oneOf(arms: readonly Check[]): Check {
  return (value) => {
    let matched = false;
    for (const arm of arms) {
      if (!arm(value)) continue;
      if (matched) return false;
      matched = true;
    }
    return matched;
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
