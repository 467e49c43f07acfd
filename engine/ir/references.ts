import type { Schema, SchemaNode } from "./ir.js";
import { isKnown } from "./known.js";
import { SchemaError } from "./schema-error.js";

/** The subschemas that apply to the same value as `node` itself. */
export function inPlaceChildren(node: SchemaNode): SchemaNode[] {
  return [
    ...(node.allOf ?? []),
    ...(node.anyOf ?? []),
    ...(node.oneOf ?? []),
    ...[node.not, node.if, node.then, node.else].filter(isKnown),
    ...(node.dependentSchemas?.values() ?? []),
  ];
}

/** The subschemas that apply to members or items of the value. */
export function memberChildren(node: SchemaNode): SchemaNode[] {
  return [
    ...(node.properties?.values() ?? []),
    ...(node.patternProperties?.values() ?? []),
    ...(node.prefixItems ?? []),
    ...[
      node.additionalProperties,
      node.propertyNames,
      node.unevaluatedProperties,
      node.items,
      node.contains,
      node.unevaluatedItems,
    ].filter(isKnown),
  ];
}

/** All direct subschemas of `node`. References are not followed. */
export function children(node: SchemaNode): SchemaNode[] {
  return [...inPlaceChildren(node), ...memberChildren(node)];
}

/** `node` and all subschemas below it, parents first. References are not followed. */
export function* descendants(node: SchemaNode): Generator<SchemaNode> {
  yield node;
  for (const child of children(node)) yield* descendants(child);
}

/** Names of the definitions that `node` and its subschemas refer to, in order of appearance, without repetition. */
export function referencesOf(node: SchemaNode): Set<string> {
  const names = new Set<string>();
  for (const descendant of descendants(node)) if (descendant.ref !== undefined) names.add(descendant.ref);
  return names;
}

/** Names of all definitions reachable from `start`, including `start`. */
export function reachable(schema: Schema, start: Iterable<string>): Set<string> {
  const seen = new Set<string>();
  const pending = [...start];
  while (pending.length > 0) {
    const name = pending.pop()!;
    if (seen.has(name)) continue;
    seen.add(name);
    const definition = schema.definitions.get(name);
    // Without a spread into one call: a union may have more arms than a call may have arguments.
    if (definition) for (const reference of referencesOf(definition.node)) pending.push(reference);
  }
  return seen;
}

/** Names of all definitions from which one of `targets` is reachable, including `targets`. */
export function reaching(schema: Schema, targets: Iterable<string>): Set<string> {
  const referrers = new Map<string, string[]>();
  for (const { name, node } of schema.definitions.values()) {
    for (const target of referencesOf(node)) {
      const known = referrers.get(target);
      if (known) known.push(name);
      else referrers.set(target, [name]);
    }
  }
  const found = new Set(targets);
  // The iteration includes names added during the loop, so it follows references back to the end.
  for (const name of found) for (const referrer of referrers.get(name) ?? []) found.add(referrer);
  return found;
}

/** Names of the definitions that contain an open node, or refer directly or indirectly to such a definition. */
export function reachingOpen(schema: Schema): Set<string> {
  const open: string[] = [];
  for (const { name, node } of schema.definitions.values())
    for (const descendant of descendants(node))
      if (descendant.open) {
        open.push(name);
        break;
      }
  return reaching(schema, open);
}

/**
 * The recursive definitions, each with the definitions of its cycles (its strongly connected component in the
 * reference graph).
 */
export function recursiveDefinitions(schema: Schema): Map<string, ReadonlySet<string>> {
  const edges = new Map([...schema.definitions].map(([name, { node }]) => [name, referencesOf(node)]));
  const result = new Map<string, ReadonlySet<string>>();
  for (const component of stronglyConnected(edges)) {
    const [only] = component;
    if (component.size > 1 || edges.get(only!)!.has(only!))
      for (const name of component) result.set(name, component);
  }
  return result;
}

/**
 * Refuses definitions that refer to themselves for the same value (`A: { $ref: A }`). Their validation would never
 * end. @throws SchemaError
 */
export function refuseInstanceCycles(schema: Schema): void {
  const edges = new Map([...schema.definitions].map(([name, { node }]) => [name, inPlaceReferences(node)]));
  for (const component of stronglyConnected(edges)) {
    const [only] = component;
    if (component.size > 1 || edges.get(only!)!.has(only!)) {
      const names = [...component].reverse();
      const place = schema.definitions.get(names[0]!)!.node.pointer;
      const shown = names.length > 8 ? [...names.slice(0, 7), "…"] : names;
      throw new SchemaError(
        "circular-reference",
        place,
        `refers to itself without describing anything: ${[...shown, names[0]].join(" → ")}`,
      );
    }
  }
}

/** Names of the definitions that `node` applies, always or conditionally, to the same value. */
export function inPlaceReferences(node: SchemaNode): Set<string> {
  const names = new Set<string>();
  const pending = [node];
  while (pending.length > 0) {
    const current = pending.pop()!;
    if (current.ref !== undefined) names.add(current.ref);
    for (const child of inPlaceChildren(current)) pending.push(child);
  }
  return names;
}

/**
 * Groups the nodes of a graph into strongly connected components, each after the components it leads to. Uses
 * Tarjan's algorithm with an explicit stack: a chain of definitions may be as long as the file allows.
 */
export function stronglyConnected<Node>(edges: ReadonlyMap<Node, ReadonlySet<Node>>): Set<Node>[] {
  const index = new Map<Node, number>();
  const low = new Map<Node, number>();
  const path: Node[] = [];
  const onPath = new Set<Node>();
  const components: Set<Node>[] = [];

  for (const start of edges.keys()) {
    if (index.has(start)) continue;
    const work: { name: Node; rest: Iterator<Node> }[] = [];
    const enter = (name: Node): void => {
      index.set(name, index.size);
      low.set(name, index.get(name)!);
      path.push(name);
      onPath.add(name);
      work.push({ name, rest: (edges.get(name) ?? new Set<Node>()).values() });
    };
    enter(start);
    while (work.length > 0) {
      const { name, rest } = work.at(-1)!;
      const next = rest.next();
      if (!next.done) {
        if (!index.has(next.value)) enter(next.value);
        else if (onPath.has(next.value)) low.set(name, Math.min(low.get(name)!, index.get(next.value)!));
        continue;
      }
      work.pop();
      const parent = work.at(-1);
      if (parent) low.set(parent.name, Math.min(low.get(parent.name)!, low.get(name)!));
      if (low.get(name) !== index.get(name)) continue;
      const component = new Set<Node>();
      let member: Node;
      do {
        member = path.pop()!;
        onPath.delete(member);
        component.add(member);
      } while (member !== name);
      components.push(component);
    }
  }
  return components;
}

/** Applies `change` to each direct subschema. Returns the node itself if nothing changes. */
export function withChildren(node: SchemaNode, change: (child: SchemaNode) => SchemaNode): SchemaNode {
  const below = new Set<unknown>(children(node));
  if (below.size === 0) return node;
  let changed = false;
  const changedChild = (child: unknown): unknown => {
    if (!below.has(child)) return child;
    const result = change(child as SchemaNode);
    changed ||= result !== child;
    return result;
  };
  const entries = Object.entries(node).map(([key, value]: [string, unknown]) => {
    if (value instanceof Map)
      return [key, new Map([...value].map(([name, child]) => [name, changedChild(child)]))];
    return [key, Array.isArray(value) ? value.map(changedChild) : changedChild(value)];
  });
  return changed ? (Object.fromEntries(entries) as unknown as SchemaNode) : node;
}

/** The node with other names in its references. Returns the node itself if nothing changes. */
export function withReferenceNames(node: SchemaNode, nameOf: (name: string) => string): SchemaNode {
  const inner = withChildren(node, (child) => withReferenceNames(child, nameOf));
  const ref = inner.ref === undefined ? undefined : nameOf(inner.ref);
  return ref === undefined || ref === inner.ref ? inner : { ...inner, ref };
}

/** Applies `change` to the node of each definition and to the root. */
export function withNodes(schema: Schema, change: (node: SchemaNode) => SchemaNode): Schema {
  const definitions = [...schema.definitions].map(
    ([name, definition]) => [name, { ...definition, node: change(definition.node) }] as const,
  );
  return {
    ...schema,
    definitions: new Map(definitions),
    ...(schema.root && { root: change(schema.root) }),
  };
}
