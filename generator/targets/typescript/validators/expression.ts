import {
  type Layout,
  flat,
  group,
  indent,
  join,
  line,
  softline,
  whenBroken,
  withText,
} from "../../../print/layout.js";
import { stringLiteral } from "../../../print/text.js";

/** A condition on a value. Negation is applied to the leaves, so that `!( … )` is never printed. */
export type Expression =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "compare"; readonly left: Layout; readonly operator: Operator; readonly right: string }
  | { readonly kind: "call"; readonly call: Layout; readonly negated: boolean; readonly yields: boolean }
  | { readonly kind: "logic"; readonly operator: "&&" | "||"; readonly parts: readonly Expression[] };

type Operator = "===" | "!==" | "<" | ">=" | ">" | "<=";

const opposite: Record<Operator, Operator> = {
  "===": "!==",
  "!==": "===",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
};

export const yes: Expression = { kind: "constant", value: true };
export const no: Expression = { kind: "constant", value: false };

/**
 * A comparison. Operands of an ordering operator must not be NaN, because the negation of `<` is printed as
 * `>=`.
 */
export function compare(left: Layout, operator: Operator, right: string): Expression {
  return { kind: "compare", left, operator, right };
}

/** The conditions that a count, printed as `count`, is within the limits. */
export function countLimits(
  count: string,
  least: number | undefined,
  most: number | undefined,
): Expression[] {
  return [
    ...(least ? [compare(count, ">=", String(least))] : []),
    ...(most === undefined ? [] : [compare(count, "<=", String(most))]),
  ];
}

export function call(callee: string, ...parameters: readonly Layout[]): Expression {
  return { kind: "call", call: invocation(callee, parameters), negated: false, yields: false };
}

/** A local variable that holds a boolean result. */
export function local(name: string): Expression {
  return { kind: "call", call: name, negated: false, yields: false };
}

/** A `yield` that asks the driver of an explicit stack to run a generator function and return its result. */
export function yieldCall(callee: string, ...parameters: readonly Layout[]): Expression {
  return { kind: "call", call: ["yield ", invocation(callee, parameters)], negated: false, yields: true };
}

export function and(...parts: readonly Expression[]): Expression {
  return logic("&&", parts, true);
}

export function or(...parts: readonly Expression[]): Expression {
  return logic("||", parts, false);
}

/** @param neutral the constant that does not affect the result; the other one decides it */
function logic(operator: "&&" | "||", parts: readonly Expression[], neutral: boolean): Expression {
  if (parts.length === 1) return parts[0]!;
  const kept: Expression[] = [];
  const seen = new Set<string>();
  for (const part of parts.flatMap((part) =>
    part.kind === "logic" && part.operator === operator ? part.parts : [part],
  )) {
    if (part.kind === "constant") {
      if (part.value !== neutral) return part;
      continue;
    }
    const text = flatText(part);
    if (!seen.has(text)) kept.push(part);
    seen.add(text);
  }
  if (kept.length === 0) return { kind: "constant", value: neutral };
  return kept.length === 1 ? kept[0]! : { kind: "logic", operator, parts: kept };
}

/** The expression with every occurrence of `from` in its text replaced by `to`. */
export function bound(expression: Expression, from: string, to: string): Expression {
  switch (expression.kind) {
    case "constant":
      return expression;
    case "compare":
      return { ...expression, left: withText(expression.left, from, to) };
    case "call":
      return { ...expression, call: withText(expression.call, from, to) };
    case "logic":
      return { ...expression, parts: expression.parts.map((part) => bound(part, from, to)) };
  }
}

export function not(expression: Expression): Expression {
  switch (expression.kind) {
    case "constant":
      return expression.value ? no : yes;
    case "compare":
      return { ...expression, operator: opposite[expression.operator] };
    case "call":
      return { ...expression, negated: !expression.negated };
    case "logic":
      return {
        ...expression,
        operator: expression.operator === "&&" ? "||" : "&&",
        parts: expression.parts.map(not),
      };
  }
}

/** The number of tests in an expression. */
export function weight(expression: Expression): number {
  return expression.kind === "logic" ? expression.parts.reduce((sum, part) => sum + weight(part), 0) : 1;
}

/** The expression on one line, however long. */
export function flatText(expression: Expression): string {
  switch (expression.kind) {
    case "logic":
      return "(" + expression.parts.map(flatText).join(` ${expression.operator} `) + ")";
    case "compare":
      return `${flat(expression.left)} ${expression.operator} ${expression.right}`;
    default:
      return flat(layoutOf(expression));
  }
}

/** Layout of a complete expression: a condition in parentheses, or a returned value. */
export function layoutOf(expression: Expression): Layout {
  switch (expression.kind) {
    case "constant":
      return String(expression.value);
    case "compare":
      return [expression.left, " ", group(expression.operator, line, expression.right)];
    case "call":
      if (!expression.negated) return expression.call;
      return expression.yields ? ["!(", expression.call, ")"] : ["!", expression.call];
    case "logic":
      return join([` ${expression.operator}`, line], expression.parts.map(layoutOfPart));
  }
}

/** Layout of an operand of `&&` or `||`. */
function layoutOfPart(expression: Expression): Layout {
  switch (expression.kind) {
    case "logic": {
      const [first, ...rest] = expression.parts.map(layoutOfPart);
      const operator = ` ${expression.operator}`;
      return ["(", group(first!, indent(rest.map((part) => [operator, line, part]))), ")"];
    }
    case "compare":
      return group(expression.left, indent(" ", group(expression.operator, line, expression.right)));
    default:
      return expression.kind === "call" && expression.yields && !expression.negated
        ? ["(", layoutOf(expression), ")"]
        : layoutOf(expression);
  }
}

/** A function call, with one argument per line if it is too long. */
function invocation(callee: string, parameters: readonly Layout[]): Layout {
  return [
    callee,
    group("(", indent(softline, join([",", line], parameters)), whenBroken(","), softline, ")"),
  ];
}

/** Names that every object inherits. For these, the code reads only own members. */
const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** An expression that reads the member `name` of the object `subject`. */
export function member(subject: string, name: string): Layout {
  const key = stringLiteral(name);
  if (inherited.has(name)) return invocation("ownMember", [subject, key]);
  return [subject, group("[", indent(softline, key), softline, "]")];
}

export function isAbsent(value: Layout): Expression {
  return compare(value, "===", "undefined");
}

export function isPresent(value: Layout): Expression {
  return not(isAbsent(value));
}

/** Placeholder for a value that has no name yet. */
export const probe = "\0";

/** How often `expression`, made for `probe`, reads the value. */
export function readings(expression: Expression): number {
  return flatText(expression).split(probe).length - 1;
}

/** Whether a value's layout is too long inside a condition. */
export function isLong(value: Layout): boolean {
  return flat(value).length > 40;
}
