import type { JsonValue, Scalar, TypeName } from "@mcpgen/engine";
import { stringLiteral } from "../../print/text.js";
import { type Expression, call, compare, or } from "./expression.js";

/** The kinds of JSON value that `typeof`, `Array.isArray` and `=== null` distinguish. */
export type Kind = "array" | "boolean" | "null" | "number" | "object" | "string";

export const everyKind: ReadonlySet<Kind> = new Set([
  "array",
  "boolean",
  "null",
  "number",
  "object",
  "string",
]);

export function common(a: ReadonlySet<Kind>, b: ReadonlySet<Kind>): ReadonlySet<Kind> {
  if (a === b || b === everyKind) return a;
  return a === everyKind ? b : new Set([...a].filter((kind) => b.has(kind)));
}

const typeKinds = new WeakMap<readonly TypeName[], ReadonlySet<Kind>>();

export function kindsOfTypes(types: readonly TypeName[]): ReadonlySet<Kind> {
  let kinds = typeKinds.get(types);
  if (!kinds) typeKinds.set(types, (kinds = new Set(types.map(kindOfType))));
  return kinds;
}

export function kindOfType(type: TypeName): Kind {
  return type === "integer" ? "number" : type;
}

export function kindOfValue(value: JsonValue): Kind {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as Kind);
}

export function isScalar(value: JsonValue): value is Scalar {
  return typeof value !== "object" || value === null;
}

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
