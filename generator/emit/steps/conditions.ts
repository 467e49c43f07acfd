import { type Layout, group, indent, softline } from "../../print/layout.js";
import { stringLiteral } from "../../print/text.js";
import { type Expression, and, call, compare, layoutOf, not, or } from "../validators/expression.js";
import type { Test } from "./plan.js";

/** A test of a variable as code; `undefined` where every value passes. */
export function conditionOf(test: Test, tested = "value"): Expression | undefined {
  const { type, constants, present, excluded = [] } = test;
  const parts: Expression[] = [];
  if (type === "array") parts.push(call("Array.isArray", tested));
  if (type === "object") parts.push(call("isObject", tested));
  if (type === "scalar") parts.push(call("isScalar", tested));
  for (const [key, values] of constants)
    parts.push(or(...values.map((value) => compare(memberOf(tested, key), "===", stringLiteral(value)))));
  for (const key of present) parts.push(compare(memberOf(tested, key), "!==", "undefined"));
  for (const [key, values] of excluded)
    parts.push(...values.map((value) => compare(memberOf(tested, key), "!==", stringLiteral(value))));
  return parts.length === 0 ? undefined : and(...parts);
}

function memberOf(tested: string, key: string): Layout {
  return layoutOf(call("memberOf", tested, stringLiteral(key)));
}

/** `if (…)`, all of these must hold; nothing where there are none. */
export function ifAll(conditions: readonly (Expression | undefined)[]): Layout | undefined {
  const present = conditions.filter((condition) => condition !== undefined);
  if (present.length === 0) return undefined;
  return group("if (", group(indent(softline, layoutOf(and(...present))), softline), ")");
}

/** `if (…)`, any of these must hold. */
export function ifAny(conditions: readonly Expression[]): Layout {
  return ifAll([or(...conditions)])!;
}

/** The value is not what a predicate describes. */
export function fails(predicate: string): Expression {
  return not(call(predicate, "value"));
}

/** A call as a piece of code. */
export function called(callee: string, ...parameters: readonly Layout[]): Layout {
  return layoutOf(call(callee, ...parameters));
}
