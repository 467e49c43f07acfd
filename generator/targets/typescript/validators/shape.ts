import {
  type JsonValue,
  type Schema,
  type SchemaNode,
  type Scalar,
  type TypeName,
  DefinitionMemo,
  Tags,
  judgingKeywords,
  keywords,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { assertions } from "./assertions.js";
import { stringLiteral } from "../../../print/text.js";
import { type Expression, call, compare, or } from "./expression.js";

/**
 * Facts about the values that a node accepts, computed from the schema alone. Answers are conservative, so
 * that validation stays exact: kinds and tags are upper bounds, requirements are lower bounds.
 */
export class Shapes {
  readonly schema: Schema;
  /** Whether unions and sets that notes declare open accept unknown values. */
  readonly open: boolean;
  /** The tags of unions. */
  readonly tags: Tags;
  private readonly kinds: DefinitionMemo<ReadonlySet<Kind>>;
  private readonly required: DefinitionMemo<ReadonlySet<string>>;
  private readonly trivial: DefinitionMemo<boolean>;
  private readonly definite: DefinitionMemo<boolean>;
  private readonly arms = new Map<readonly SchemaNode[], readonly SchemaNode[]>();

  constructor(schema: Schema, open: boolean) {
    this.schema = schema;
    this.open = open;
    this.tags = new Tags(schema, open);
    this.kinds = new DefinitionMemo(schema, kindsOf);
    this.required = new DefinitionMemo(schema, requiredBy);
    this.trivial = new DefinitionMemo(schema, isTrivial);
    this.definite = new DefinitionMemo(schema, refusesUndefined);
  }

  definition(name: string): SchemaNode {
    return this.schema.definitions.get(name)!.node;
  }

  /** The relevant arms of a union. Calls `reduce` once for each union. */
  armsOf(
    arms: readonly SchemaNode[],
    reduce: (shapes: Shapes, arms: readonly SchemaNode[]) => readonly SchemaNode[],
  ): readonly SchemaNode[] {
    let kept = this.arms.get(arms);
    if (!kept) this.arms.set(arms, (kept = reduce(this, arms)));
    return kept;
  }

  isOpen(node: SchemaNode): boolean {
    return this.open && node.open === true;
  }

  /** The node, and all nodes that a value must also satisfy, through `$ref` and `allOf`. */
  conjuncts(node: SchemaNode): readonly SchemaNode[] {
    if (node.ref === undefined && !node.allOf) return [node];
    // A set avoids exponential growth if definitions are referred to repeatedly.
    const found = new Set<SchemaNode>();
    const pending = [node];
    while (pending.length > 0) {
      const next = pending.pop()!;
      if (found.has(next)) continue;
      found.add(next);
      const parts = [...(next.ref === undefined ? [] : [this.definition(next.ref)]), ...(next.allOf ?? [])];
      for (const part of parts.reverse()) pending.push(part);
    }
    return [...found];
  }

  /** The kinds of value that the node can accept; it accepts no others. */
  kindsOf(node: SchemaNode): ReadonlySet<Kind> {
    return this.kinds.of(node);
  }

  isOnly(kind: Kind, node: SchemaNode): boolean {
    const kinds = this.kindsOf(node);
    return kinds.size === 1 && kinds.has(kind);
  }

  /** Names of members that every accepted object has. */
  requiredBy(node: SchemaNode): ReadonlySet<string> {
    return this.required.of(node);
  }

  /** Names of the members that a node describes. */
  membersOf(node: SchemaNode): string[] {
    return this.conjuncts(node).flatMap((part) => [...(part.properties?.keys() ?? [])]);
  }

  /** Whether every value is accepted. */
  isTrivial(node: SchemaNode): boolean {
    return this.trivial.of(node);
  }

  /** The values of `const` and `enum` that the other keywords accept. */
  constantsOf(node: SchemaNode): JsonValue[] {
    const candidates = node.const ? [node.const.value] : (node.enum ?? []);
    // Other keywords may be open, so in the open variant only scalar keywords are applied here.
    const stated = this.open ? scalarPart(node) : node;
    return candidates.filter((value) => isValid(this.schema, stated, value));
  }

  /** Whether the node's own tests reject `undefined`, which JSON cannot contain. */
  refusesUndefined(node: SchemaNode): boolean {
    return this.definite.of(node);
  }
}

function kindsOf(node: SchemaNode, of: (name: string) => ReadonlySet<Kind>): ReadonlySet<Kind> {
  if (node.never) return new Set();
  let kinds = node.types ? kindsOfTypes(node.types) : everyKind;
  if (node.const) kinds = common(kinds, new Set([kindOfValue(node.const.value)]));
  if (node.enum) kinds = common(kinds, new Set(node.enum.map(kindOfValue)));
  if (node.ref !== undefined) kinds = common(kinds, of(node.ref));
  for (const part of node.allOf ?? []) kinds = common(kinds, kindsOf(part, of));
  for (const arms of [node.anyOf, node.oneOf]) {
    if (arms) kinds = common(kinds, new Set(arms.flatMap((arm) => [...kindsOf(arm, of)])));
  }
  return kinds;
}

function requiredBy(node: SchemaNode, of: (name: string) => ReadonlySet<string>): ReadonlySet<string> {
  const parts = (node.allOf ?? []).map((part) => requiredBy(part, of));
  if (node.ref !== undefined) parts.unshift(of(node.ref));
  // Aliases share one set, however long their chain.
  if (parts.length === 1 && !node.required?.length) return parts[0]!;
  return new Set([...(node.required ?? []), ...parts.flatMap((part) => [...part])]);
}

function isTrivial(node: SchemaNode, of: (name: string) => boolean): boolean {
  return (
    assertions(node).every((key) => key === "ref" || key === "allOf") &&
    (node.ref === undefined || of(node.ref)) &&
    (node.allOf ?? []).every((part) => isTrivial(part, of))
  );
}

function refusesUndefined(node: SchemaNode, of: (name: string) => boolean): boolean {
  const inner = (part: SchemaNode): boolean => refusesUndefined(part, of);
  return (
    (node.never ?? node.types ?? node.const ?? node.enum) !== undefined ||
    (node.anyOf ?? node.oneOf)?.every(inner) === true ||
    (node.ref !== undefined && of(node.ref)) ||
    (node.allOf ?? []).some(inner)
  );
}

/** Members of a node that judge scalars. */
const scalarMembers: ReadonlySet<string> = new Set([
  ...["pointer", "types", "const", "enum"],
  ...judgingKeywords.filter((name) => ["number", "string"].includes(keywords.get(name)!.of ?? "")),
]);

/** The node with the keywords of scalars only. */
function scalarPart(node: SchemaNode): SchemaNode {
  const kept = Object.entries(node).filter(([key]) => scalarMembers.has(key));
  return Object.fromEntries(kept) as unknown as SchemaNode;
}

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

/** A test whether a value has one of `kinds`. */
export function kindsTest(kinds: Iterable<Kind>, subject: string): Expression {
  return or(...[...kinds].map((kind) => (kind === "number" ? finite(subject) : kindTest(kind, subject))));
}

/** A literal as prettier prints it. */
export function literal(value: Scalar): string {
  if (typeof value === "string") return stringLiteral(value);
  return JSON.stringify(value).replace("e+", "e");
}
