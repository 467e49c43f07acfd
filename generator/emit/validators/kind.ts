import type { JsonValue, Scalar, TypeName } from "@mcpgen/engine";

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
