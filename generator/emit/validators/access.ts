import { type Expression, compare, flatText, invocation, not } from "./expression.js";
import { stringLiteral } from "../../print/text.js";
import { type Layout, group, indent, flat, softline } from "../../print/layout.js";

/** Names under which every object inherits something: there, only own members count. */
const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The member `name` of the object `subject`. */
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

/** Stands for a value that has no name yet. */
export const probe = "\0";

/** How often `expression`, made for `probe`, reads it. */
export function readings(expression: Expression): number {
  return flatText(expression).split(probe).length - 1;
}

/** Too long to be read well inside a condition. */
export function isLong(value: Layout): boolean {
  return flat(value).length > 40;
}
