import {
  type Definition,
  type Schema,
  type SchemaNode,
  reachable,
  reaching,
  referencesOf,
  memberNodes,
  groupBy,
} from "@mcpgen/engine";
import { type Method, type ProtocolModel, answersOf } from "../../../model/model.js";

/**
 * A schema as authors of handlers and calls use it: without the members that the runtime fills in (the
 * members that the revision's era owns).
 */
export interface AuthoredSchema {
  readonly schema: Schema;
  /** The definitions that methods use, directly or indirectly, in the schema's order. */
  readonly reached: readonly Definition[];
  /** The definitions that differ from the wire schema, directly or through references. */
  readonly changed: ReadonlySet<string>;
  /**
   * Definitions whose required members are all filled in by the runtime, so that a member of that type
   * becomes optional.
   */
  readonly lenient: ReadonlySet<string>;
}

/**
 * Removes the members that the era owns from a model's schema, and finds the definitions that methods use.
 */
export function authoredSchema(model: ProtocolModel): AuthoredSchema {
  const definitions = new Map<string, Definition>();
  const touched = new Set<string>();
  for (const [name, definition] of model.schema.definitions) {
    const owned = model.owned.get(name);
    if (owned) touched.add(name);
    definitions.set(name, owned ? { ...definition, node: without(definition.node, owned) } : definition);
  }
  const lenient = relax(model.schema, definitions, touched);
  // Includes the types of owned members, because options of the runtime use e.g. capabilities.
  const reached = reachable(model.schema, rootsOf(model));
  return {
    schema: { definitions },
    reached: [...definitions.values()].filter(({ name }) => reached.has(name)),
    changed: reaching({ definitions }, touched),
    lenient,
  };
}

function without(node: SchemaNode, names: ReadonlySet<string>): SchemaNode {
  const { properties, allOf, anyOf, oneOf } = node;
  const inside = (parts: readonly SchemaNode[]): readonly SchemaNode[] =>
    parts.map((part) => without(part, names));
  // A part without members constrains nothing, so it is dropped.
  const kept = allOf && inside(allOf).filter((part) => part.properties?.size !== 0);
  return {
    ...(properties ? withoutMembers(node, names) : node),
    ...(kept && { allOf: kept }),
    ...(anyOf && { anyOf: inside(anyOf) }),
    ...(oneOf && { oneOf: inside(oneOf) }),
  };
}

function withoutMembers(node: SchemaNode, names: ReadonlySet<string>): SchemaNode {
  const properties = new Map([...(node.properties ?? [])].filter(([name]) => !names.has(name)));
  return { ...node, properties, ...withRequired((node.required ?? []).filter((name) => !names.has(name))) };
}

function withRequired(required: readonly string[]): { required: readonly string[] } {
  return { required };
}

/**
 * Makes a member optional if only owned members of its value were required (e.g. `_meta` of a request). A
 * definition that then requires nothing relaxes the definitions that contain it in turn.
 */
function relax(wire: Schema, definitions: Map<string, Definition>, touched: Set<string>): Set<string> {
  const lenient = new Set<string>();
  const holders = holdersOf(definitions);
  const pending = [...touched].filter((name) => requiresNothingMore(name, wire, definitions));
  while (pending.length > 0) {
    const name = pending.pop()!;
    if (lenient.has(name)) continue;
    lenient.add(name);
    for (const { holder, member } of holders.get(name) ?? []) {
      const definition = definitions.get(holder)!;
      const required = (definition.node.required ?? []).filter((key) => key !== member);
      definitions.set(holder, { ...definition, node: { ...definition.node, ...withRequired(required) } });
      touched.add(holder);
      if (required.length === 0) pending.push(holder);
    }
  }
  return lenient;
}

function requiresNothingMore(
  name: string,
  wire: Schema,
  definitions: ReadonlyMap<string, Definition>,
): boolean {
  const before = wire.definitions.get(name)!.node.required?.length ?? 0;
  return before > 0 && definitions.get(name)!.node.required?.length === 0;
}

interface Holder {
  readonly holder: string;
  readonly member: string;
}

/** Required members that refer to a definition, grouped by that definition. */
function holdersOf(
  definitions: ReadonlyMap<string, Definition>,
): ReadonlyMap<string | undefined, readonly Holder[]> {
  const required = [...definitions.values()].flatMap(({ name: holder, node }) =>
    (node.required ?? []).map((member) => ({ holder, member, target: node.properties?.get(member)?.ref })),
  );
  return groupBy(required, ({ target }) => target);
}

/** The definitions that methods name: params, and the results that authors write. */
function rootsOf(model: ProtocolModel): Set<string> {
  const roots = new Set<string>();
  for (const method of model.methods) {
    for (const node of inlineParams(model, method)) for (const name of referencesOf(node)) roots.add(name);
    if (method.params.definition !== undefined) roots.add(method.params.definition);
    for (const name of authoredResults(model, method)) roots.add(name);
  }
  return roots;
}

/** Whether an author must give params. They are optional if the runtime fills in all that they require. */
export function presenceOf(
  { lenient }: AuthoredSchema,
  { params: { definition, presence } }: Method,
): Method["params"]["presence"] {
  const isOptional = presence === "required" && definition !== undefined && lenient.has(definition);
  return isOptional ? "optional" : presence;
}

/** The params that the message describes inline. */
export function inlineParams(
  model: ProtocolModel,
  { message, params }: Pick<Method, "message" | "params">,
): SchemaNode[] {
  if (params.presence === "none" || params.definition !== undefined) return [];
  return memberNodes(model.schema, model.schema.definitions.get(message)!.node, "params");
}

/** The definitions of results that an author may write for the method. */
export function authoredResults(model: ProtocolModel, method: Method): string[] {
  const plain = method.result?.definition;
  return answersOf(method).filter((answer) => answer === plain || !belongsToEra(model, answer, plain));
}

/** Whether every member that an alternative result adds is filled in by the runtime. */
function belongsToEra(
  { schema, owned }: ProtocolModel,
  definition: string,
  plain: string | undefined,
): boolean {
  const { node, extends: bases = [] } = schema.definitions.get(definition)!;
  const own = owned.get(definition) ?? new Set();
  const others = [...bases, ...(plain === undefined ? [] : [plain])];
  const known = new Set(
    others.flatMap((name) => [...(schema.definitions.get(name)?.node.properties?.keys() ?? [])]),
  );
  return (
    own.size > 0 && [...(node.properties?.keys() ?? [])].every((name) => own.has(name) || known.has(name))
  );
}
