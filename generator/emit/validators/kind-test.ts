import type { Scalar, TypeName } from "@mcpgen/engine";
import { stringLiteral } from "../../print/text.js";
import { type Expression, call, compare, or } from "./expression.js";
import type { Kind } from "./kind.js";

export function typeTest(type: TypeName, subject: string): Expression {
  if (type === "integer") return call("Number.isInteger", subject);
  return type === "number" ? finite(subject) : kindTest(type, subject);
}

export function kindTest(kind: Kind, subject: string): Expression {
  switch (kind) {
    case "array":
      return call("Array.isArray", subject);
    case "object":
      return call("isObject", subject);
    case "null":
      return compare(subject, "===", "null");
    default:
      return compare(["typeof ", subject], "===", `"${kind}"`);
  }
}

export function finite(subject: string): Expression {
  return call("Number.isFinite", subject);
}

/** Any value of one of `kinds`. */
export function kindsTest(kinds: Iterable<Kind>, subject: string): Expression {
  return or(...[...kinds].map((kind) => (kind === "number" ? finite(subject) : kindTest(kind, subject))));
}

/** A literal as prettier spells it. */
export function literal(value: Scalar): string {
  if (typeof value === "string") return stringLiteral(value);
  return JSON.stringify(value).replace("e+", "e");
}
