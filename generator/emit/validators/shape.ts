import { type JsonValue, type Schema, type SchemaNode, Tags } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { assertions } from "./assertions.js";
import { type Kind, common, everyKind, kindOfValue, kindsOfTypes } from "./kind.js";

/**
 * What can be told about the values a node accepts without looking at any. All answers err on the side
 * that keeps verdicts exact: kinds and tags are upper bounds, requirements are lower bounds.
 */
export class Shapes {
  readonly schema: Schema;
  /** Unions and sets that the notes declare open are read as such. */
  readonly open: boolean;
  /** What tells the arms of unions apart. */
  readonly tags: Tags;
  private readonly kinds = new Map<SchemaNode, ReadonlySet<Kind>>();
  private readonly required = new Map<SchemaNode, ReadonlySet<string>>();
  private readonly arms = new Map<readonly SchemaNode[], readonly SchemaNode[]>();

  constructor(schema: Schema, open: boolean) {
    this.schema = schema;
    this.open = open;
    this.tags = new Tags(schema, open);
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
  requiredBy(node: SchemaNode): ReadonlySet<string> {
    let names = this.required.get(node);
    if (!names) {
      names = new Set(this.conjuncts(node).flatMap((part) => part.required ?? []));
      this.required.set(node, names);
    }
    return names;
  }

  /** Names of the members a node describes. */
  membersOf(node: SchemaNode): string[] {
    return this.conjuncts(node).flatMap((part) => [...(part.properties?.keys() ?? [])]);
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
