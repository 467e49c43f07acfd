import { DefinitionMemo } from "./definition-memo.js";
import type { Schema, SchemaNode } from "./ir.js";

/** The members of objects that a node describes directly, through its reference or in `allOf`. */
interface ObjectView {
  /** All schemas of each member. */
  readonly members: ReadonlyMap<string, readonly SchemaNode[]>;
  readonly required: ReadonlySet<string>;
}

/** Cached for each definition; an alias shares the result of its target. */
interface Views {
  readonly objects: DefinitionMemo<ObjectView>;
  /** The only string that a node allows. */
  readonly constants: DefinitionMemo<string | undefined>;
}

const ofSchemas = new WeakMap<Schema, Views>();

function viewsOf(schema: Schema): Views {
  let views = ofSchemas.get(schema);
  if (!views) {
    views = {
      objects: new DefinitionMemo(schema, objectView),
      constants: new DefinitionMemo(schema, constantOf),
    };
    ofSchemas.set(schema, views);
  }
  return views;
}

function objectView(node: SchemaNode, of: (name: string) => ObjectView): ObjectView {
  const parts = partsOf(node, (part) => objectView(part, of), of);
  if (parts.length === 1 && !node.properties && !node.required) return parts[0]!;
  const members = new Map<string, SchemaNode[]>();
  const add = (name: string, nodes: readonly SchemaNode[]): void => {
    members.set(name, [...new Set([...(members.get(name) ?? []), ...nodes])]);
  };
  for (const [name, member] of node.properties ?? []) add(name, [member]);
  for (const part of parts) for (const [name, nodes] of part.members) add(name, nodes);
  const required = new Set([...(node.required ?? []), ...parts.flatMap((part) => [...part.required])]);
  return { members, required };
}

function constantOf(node: SchemaNode, of: (name: string) => string | undefined): string | undefined {
  const value = node.const ? node.const.value : node.enum?.length === 1 ? node.enum[0] : undefined;
  if (typeof value === "string") return value;
  return partsOf(node, (part) => constantOf(part, of), of).find((constant) => constant !== undefined);
}

/** Combines results of all schemas that apply to the same value as `node`, nearest first. */
function partsOf<Result>(
  node: SchemaNode,
  inside: (part: SchemaNode) => Result,
  of: (name: string) => Result,
): Result[] {
  const parts = (node.allOf ?? []).map(inside).reverse();
  return node.ref === undefined ? parts : [...parts, of(node.ref)];
}

/** All schemas that a value of `node` must satisfy: the node, its reference, and all of `allOf`. */
export function conjuncts(schema: Schema, node: SchemaNode): SchemaNode[] {
  const seen = new Set<SchemaNode>();
  const pending = [node];
  while (pending.length > 0) {
    const current = pending.pop()!;
    if (seen.has(current)) continue;
    seen.add(current);
    const target = current.ref === undefined ? undefined : schema.definitions.get(current.ref)?.node;
    if (target) pending.push(target);
    for (const part of current.allOf ?? []) pending.push(part);
  }
  return [...seen];
}

/** All schemas of the member `name`: direct, through references or in `allOf`. */
export function memberNodes(schema: Schema, node: SchemaNode, name: string): SchemaNode[] {
  return [...(viewsOf(schema).objects.of(node).members.get(name) ?? [])];
}

/** Names of the members that `node` describes. */
export function memberNames(schema: Schema, node: SchemaNode): string[] {
  return [...viewsOf(schema).objects.of(node).members.keys()];
}

/** Names of the members that a value of `node` must have. */
export function requiredMembers(schema: Schema, node: SchemaNode): ReadonlySet<string> {
  return viewsOf(schema).objects.of(node).required;
}

/** Whether `node` describes a member `name`. */
export function hasMember(schema: Schema, node: SchemaNode, name: string): boolean {
  return memberNodes(schema, node, name).length > 0;
}

/** The only string that the member `name` may be; undefined if there is none. */
export function constantMember(schema: Schema, node: SchemaNode, name: string): string | undefined {
  for (const member of memberNodes(schema, node, name)) {
    const constant = viewsOf(schema).constants.of(member);
    if (constant !== undefined) return constant;
  }
  return undefined;
}
