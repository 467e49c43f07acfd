import {
  type Schema,
  type SchemaNode,
  descendants,
  inPlaceChildren,
  matcherOf,
  reachable,
} from "@mcpgen/engine";
import { branchesOf, isAnything } from "./object-form.js";

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

  /** The schemas that a node has for a member: by its name and patterns, else those of additional members. */
  member({ properties, patternProperties, additionalProperties }: SchemaNode, name: string): SchemaNode[] {
    const named = properties?.get(name);
    const matched = [...(patternProperties ?? [])]
      .filter(([pattern]) => (this.schema.patterns?.get(pattern) ?? matcherOf(pattern))?.test(name))
      .map(([, child]) => child);
    if (named ?? matched.length > 0) return [...(named ? [named] : []), ...matched];
    return additionalProperties ? [additionalProperties] : [];
  }

  /** The schemas that the nodes may have for a member, but that their types do not show. */
  hiddenMember(nodes: readonly SchemaNode[], name: string): readonly SchemaNode[] {
    // A type shows only the contents of the members that the schema names.
    const shows = ({ properties }: SchemaNode): boolean => properties?.has(name) ?? false;
    return this.hidden(nodes, (node) => this.member(node, name), shows);
  }

  /** The schemas that the nodes may have for an item, but that their types do not show. */
  hiddenItem(
    nodes: readonly SchemaNode[],
    of: (node: SchemaNode) => readonly SchemaNode[],
  ): readonly SchemaNode[] {
    return this.hidden(nodes, of, () => true);
  }

  /**
   * The schemas of a member or an item: by the nodes whose type does not show them, by conditions, and by
   * unions whose type may be unrestricted.
   *
   * @param of the schemas that a node has for it
   * @param shows whether the type of a node shows them
   */
  private hidden(
    nodes: readonly SchemaNode[],
    of: (node: SchemaNode) => readonly SchemaNode[],
    shows: (node: SchemaNode) => boolean,
  ): readonly SchemaNode[] {
    const perhaps = (some: readonly SchemaNode[]): SchemaNode[] => [...this.possible(some)].flatMap(of);
    return this.certain(nodes).flatMap((node) => {
      const branches = perhaps(branchesOf(node).map((branch) => branch.node));
      const arms = [node.anyOf, node.oneOf].flatMap((union = []) =>
        union.every((arm) => this.describesParts([arm])) ? this.hidden(union, of, shows) : perhaps(union),
      );
      return [...(shows(node) ? [] : of(node)), ...branches, ...arms];
    });
  }

  /** Whether the nodes describe parts of a value: members or items. */
  describesParts(nodes: readonly SchemaNode[]): boolean {
    const hasItems = [...this.possible(nodes)].some(({ items, prefixItems }) => items ?? prefixItems);
    return hasItems || this.names(nodes).size > 0 || this.describesOthers(nodes);
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
    return [own, ...definitions, ...unions.map((anyOf) => [{ pointer: "", anyOf }])];
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
