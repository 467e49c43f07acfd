import { type Schema, type SchemaNode, descendants, inPlaceChildren, reachable } from "@mcpgen/engine";
import { isAnything } from "./object-form.js";

/** The nodes that a value certainly satisfies, and the names of definitions that they refer to. */
interface Conjuncts {
  /** The nodes, without those of referenced definitions. */
  readonly parts: readonly SchemaNode[];
  readonly references: readonly string[];
}

/** Finds the nodes that apply to the same value, and the members that they describe. */
export class InPlace {
  private readonly schema: Schema;
  private readonly conditional = new Map<string, boolean>();

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** The nodes and the parts of their `allOf`. References are returned by name, not followed. */
  conjuncts(nodes: readonly SchemaNode[]): Conjuncts {
    const parts = new Set<SchemaNode>();
    const pending = [...nodes].reverse();
    while (pending.length > 0) {
      const node = pending.pop()!;
      if (parts.has(node)) continue;
      parts.add(node);
      for (const part of [...(node.allOf ?? [])].reverse()) pending.push(part);
    }
    const references = [...parts].flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
    return { parts: [...parts], references: [...new Set(references)] };
  }

  /** The nodes, the parts of their `allOf`, and the referenced definitions. */
  certain(nodes: readonly SchemaNode[]): readonly SchemaNode[] {
    const found = new Set<SchemaNode>();
    const pending = [...nodes];
    for (let node = pending.pop(); node; node = pending.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      pending.push(...(node.allOf ?? []));
      if (node.ref !== undefined) pending.push(this.schema.definitions.get(node.ref)!.node);
    }
    return [...found];
  }

  /** Whether the nodes and their references accept every value. */
  sayNothing(nodes: readonly SchemaNode[]): boolean {
    return this.certain(nodes).every(({ ref: _ref, allOf: _allOf, ...rest }) => isAnything(rest));
  }

  /** All nodes that may apply to the same value, including arms, conditions and referenced definitions. */
  possible(nodes: readonly SchemaNode[]): ReadonlySet<SchemaNode> {
    const found = new Set<SchemaNode>();
    const pending = [...nodes];
    for (let node = pending.pop(); node; node = pending.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      for (const child of inPlaceChildren(node)) if (child !== node.not) pending.push(child);
      if (node.ref !== undefined) pending.push(this.schema.definitions.get(node.ref)!.node);
    }
    return found;
  }

  /** The names of all members that the nodes may describe or require. */
  names(nodes: readonly SchemaNode[]): ReadonlySet<string> {
    const names = new Set<string>();
    for (const { properties, required = [] } of this.possible(nodes))
      for (const name of [...(properties?.keys() ?? []), ...required]) names.add(name);
    return names;
  }

  /** Whether the nodes may describe members without naming them. */
  describesOthers(nodes: readonly SchemaNode[]): boolean {
    return [...this.possible(nodes)].some(
      ({ additionalProperties, patternProperties, unevaluatedProperties }) =>
        patternProperties ??
        [additionalProperties, unevaluatedProperties].some((each) => each && !each.never),
    );
  }

  /**
   * Groups the nodes by the part of the type that they produce: own keywords, each reference, the arms of
   * each union.
   */
  groups(
    parts: readonly SchemaNode[],
    references: readonly string[],
    unions: readonly (readonly SchemaNode[])[],
  ): readonly (readonly SchemaNode[])[] {
    const own = parts.map(({ ref: _ref, allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, ...rest }) => rest);
    const definitions = references.map((name) => [this.schema.definitions.get(name)!.node]);
    return [own, ...definitions, ...unions];
  }

  /** Whether a definition restricts the type of unnamed members. */
  hasSignature(name: string): boolean {
    return [...this.possible([this.schema.definitions.get(name)!.node])].some(
      ({ patternProperties, additionalProperties: others }) =>
        patternProperties ?? (others && !others.never && !isAnything(others)),
    );
  }

  /** Whether the types of members reachable from a definition depend on conditions. */
  hasConditions(name: string): boolean {
    let known = this.conditional.get(name);
    if (known === undefined) {
      known = [...reachable(this.schema, [name])].some((each) =>
        [...descendants(this.schema.definitions.get(each)!.node)].some(
          (node) => node.then ?? node.else ?? node.dependentSchemas,
        ),
      );
      this.conditional.set(name, known);
    }
    return known;
  }
}
