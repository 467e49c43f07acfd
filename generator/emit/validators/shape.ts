import { isValid } from "@mcpgen/engine/interpreter";
import { type JsonValue, type Schema, type SchemaNode, type TypeName } from "@mcpgen/engine";

/** The kinds of JSON value that `typeof`, `Array.isArray` and `=== null` can tell apart. */
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

export type Scalar = null | boolean | number | string;

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

/**
 * What can be told about the values a node accepts without looking at any. All answers err on the side
 * that keeps verdicts exact: kinds and tags are upper bounds, requirements are lower bounds.
 */
export class Shapes {
  readonly schema: Schema;
  /** Unions and sets that the notes declare open are read as such. */
  readonly open: boolean;
  private readonly kinds = new Map<SchemaNode, ReadonlySet<Kind>>();
  private readonly arms = new Map<readonly SchemaNode[], readonly SchemaNode[]>();

  constructor(schema: Schema, open: boolean) {
    this.schema = schema;
    this.open = open;
  }

  definition(name: string): SchemaNode {
    return this.schema.definitions.get(name)!.node;
  }

  /** The arms of a union that matter: `reduce` is asked once for each. */
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

  /** The node and all nodes that a value must satisfy as well to satisfy it: through `$ref` and `allOf`. */
  conjuncts(node: SchemaNode): readonly SchemaNode[] {
    if (node.ref === undefined && !node.allOf) return [node];
    return [
      node,
      ...(node.ref === undefined ? [] : this.conjuncts(this.definition(node.ref))),
      ...(node.allOf ?? []).flatMap((part) => this.conjuncts(part)),
    ];
  }

  /** Kinds outside of which nothing is accepted. */
  kindsOf(node: SchemaNode): ReadonlySet<Kind> {
    let kinds = this.kinds.get(node);
    if (!kinds) {
      kinds = this.computeKinds(node);
      this.kinds.set(node, kinds);
    }
    return kinds;
  }

  private computeKinds(node: SchemaNode): ReadonlySet<Kind> {
    if (node.never) return new Set();
    let kinds = node.types ? kindsOfTypes(node.types) : everyKind;
    if (node.const) kinds = common(kinds, new Set([kindOfValue(node.const.value)]));
    if (node.enum) kinds = common(kinds, new Set(node.enum.map(kindOfValue)));
    if (node.ref !== undefined) kinds = common(kinds, this.kindsOf(this.definition(node.ref)));
    for (const part of node.allOf ?? []) kinds = common(kinds, this.kindsOf(part));
    for (const arms of [node.anyOf, node.oneOf]) {
      if (arms) kinds = common(kinds, new Set(arms.flatMap((arm) => [...this.kindsOf(arm)])));
    }
    return kinds;
  }

  isOnly(kind: Kind, node: SchemaNode): boolean {
    const kinds = this.kindsOf(node);
    return kinds.size === 1 && kinds.has(kind);
  }

  /** Names of the members every accepted object has. */
  requiredBy(node: SchemaNode): Set<string> {
    return new Set(this.conjuncts(node).flatMap((part) => part.required ?? []));
  }

  /** Names of the members a node describes. */
  membersOf(node: SchemaNode): string[] {
    return this.conjuncts(node).flatMap((part) => [...(part.properties?.keys() ?? [])]);
  }

  /** What accepted objects hold in the member `name`, if that is required and one of finitely many scalars. */
  tagsOf(node: SchemaNode, name: string): ReadonlySet<Scalar> | undefined {
    const parts = this.conjuncts(node);
    if (parts.some((part) => this.isOpen(part))) return undefined;
    if (parts.some((part) => part.required?.includes(name))) {
      for (const part of parts) {
        const child = part.properties?.get(name);
        const values = child && this.valuesOf(child);
        if (values) return values;
      }
    }
    for (const part of parts) {
      const tags = part.anyOf && this.union(part.anyOf, (arm) => this.tagsOf(arm, name));
      if (tags) return tags;
    }
    return undefined;
  }

  /** The finitely many scalars a node accepts, or `undefined`. */
  private valuesOf(node: SchemaNode): ReadonlySet<Scalar> | undefined {
    if (this.isOpen(node)) return undefined;
    if (node.const) return isScalar(node.const.value) ? new Set([node.const.value]) : undefined;
    if (node.enum) return node.enum.every(isScalar) ? new Set(node.enum as Scalar[]) : undefined;
    if (node.anyOf) return this.union(node.anyOf, (arm) => this.valuesOf(arm));
    return node.ref === undefined ? undefined : this.valuesOf(this.definition(node.ref));
  }

  private union(
    arms: readonly SchemaNode[],
    of: (arm: SchemaNode) => ReadonlySet<Scalar> | undefined,
  ): ReadonlySet<Scalar> | undefined {
    const sets = arms.map(of);
    return sets.every((set) => set !== undefined) ? new Set(sets.flatMap((set) => [...set!])) : undefined;
  }

  /** Names of members that may discriminate: required, with a constant or a set of them, in natural order. */
  tagNames(node: SchemaNode): string[] {
    return [...this.requiredBy(node), ...this.requiredByArms(node)].filter((name) => this.tagsOf(node, name));
  }

  /** How many constants the definitions of the schema have for the member `name`. */
  tagVariety(name: string): number {
    const nodes = [...this.schema.definitions.values()].map(({ node }) => node);
    return new Set(nodes.flatMap((node) => [...(this.tagsOf(node, name) ?? [])])).size;
  }

  private requiredByArms(node: SchemaNode): string[] {
    return this.conjuncts(node).flatMap((part) =>
      part.anyOf?.[0] ? [...this.requiredBy(part.anyOf[0])] : [],
    );
  }

  /** Every value is accepted. */
  isTrivial(node: SchemaNode): boolean {
    return this.conjuncts(node).every((part) =>
      assertions(part).every((key) => key === "ref" || key === "allOf"),
    );
  }

  /** The constants among `const` and `enum` that the other keywords leave. */
  constantsOf(node: SchemaNode): JsonValue[] {
    const candidates = node.const ? [node.const.value] : (node.enum ?? []);
    // What is said of them elsewhere may be open; there it is judged when the value is known.
    const stated = this.open ? scalarPart(node) : node;
    return candidates.filter((value) => isValid(this.schema, stated, value));
  }

  /** `undefined`, which no JSON text holds, fails the node's own tests. */
  refusesUndefined(node: SchemaNode): boolean {
    return this.conjuncts(node).some(
      (part) =>
        part.never === true ||
        part.types !== undefined ||
        part.const !== undefined ||
        part.enum !== undefined ||
        (part.anyOf ?? part.oneOf)?.every((arm) => this.refusesUndefined(arm)) === true,
    );
  }
}

/** The node with the keywords of scalars only. */
function scalarPart(node: SchemaNode): SchemaNode {
  const keys = [
    "types",
    "const",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
  ];
  const kept = new Set(["pointer", ...keys, "minLength", "maxLength", "pattern"]);
  return Object.fromEntries(Object.entries(node).filter(([key]) => kept.has(key))) as unknown as SchemaNode;
}

/** Members of a node that say nothing about which values are valid. */
const annotations: ReadonlySet<string> = new Set([
  ...[
    "pointer",
    "always",
    "open",
    "typeText",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
  ],
  ...["title", "description", "default", "examples", "readOnly", "writeOnly", "deprecated"],
]);

/** The keywords of a node that can refuse a value. */
export function assertions(node: SchemaNode): readonly (keyof SchemaNode)[] {
  let keys = asserted.get(node);
  if (!keys) asserted.set(node, (keys = computeAssertions(node)));
  return keys;
}

const asserted = new WeakMap<SchemaNode, readonly (keyof SchemaNode)[]>();

function computeAssertions(node: SchemaNode): (keyof SchemaNode)[] {
  return (Object.keys(node) as (keyof SchemaNode)[]).filter(
    (key) => !annotations.has(key) && !isIdle(node, key),
  );
}

/** A keyword that is present and asks for nothing. */
function isIdle(node: SchemaNode, key: keyof SchemaNode): boolean {
  const value = node[key];
  if (value === undefined) return true;
  switch (key) {
    case "additionalProperties":
    case "propertyNames":
    case "items":
    case "unevaluatedProperties":
    case "unevaluatedItems":
      return assertions(value as SchemaNode).length === 0;
    case "properties":
    case "patternProperties":
      return (
        [...(value as ReadonlyMap<string, SchemaNode>).values()].every(
          (child) => assertions(child).length === 0,
        ) &&
        // Named members are exempt from what holds for the others.
        (node.additionalProperties === undefined || isIdle(node, "additionalProperties"))
      );
    case "prefixItems":
      return (
        (value as readonly SchemaNode[]).every((child) => assertions(child).length === 0) &&
        (node.items === undefined || isIdle(node, "items"))
      );
    case "required":
      return (value as readonly string[]).length === 0;
    case "dependentRequired":
      return [...node.dependentRequired!.values()].every((names) => names.length === 0);
    case "then":
    case "else":
      return node.if === undefined;
    case "if":
      return node.then === undefined && node.else === undefined;
    case "minContains":
    case "maxContains":
      return node.contains === undefined;
    case "minItems":
    case "minLength":
    case "minProperties":
      return value === 0;
    default:
      return false;
  }
}
