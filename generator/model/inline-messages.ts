import { type Definition, type Schema, type SchemaNode, naturalCompare } from "@mcpgen/engine";
import type { Assumption, Kind } from "./model.js";
import { constantMember } from "./object-view.js";
import { listedMessages } from "./role-unions.js";

/**
 * `schema` with a definition for each message that a union of messages writes out in place, named after its
 * method: every message has a type, validators and rows in the tables.
 */
export function defineInlineMessages(schema: Schema, assumptions: Assumption[]): Schema {
  const described = new Set(
    [...schema.definitions.values()].map(({ node }) => constantMember(schema, node, "method")),
  );
  const inline = listedMessages(schema).filter(({ method }) => !described.has(method));
  if (inline.length === 0) return schema;
  const defined = new Map<string, Definition>();
  const references = new Map<SchemaNode, SchemaNode>();
  for (const { node, method, kind } of inline) {
    const text = nodeJson(node);
    const wanted = nameOf(method, kind);
    let name = wanted;
    for (let number = 2; schema.definitions.has(name) || differs(defined.get(name), text); number++) {
      name = `${wanted}${number}`;
    }
    if (!defined.has(name)) {
      defined.set(name, { name, node });
      const said = `Its message has no definition; it is named ${name} after the method.`;
      assumptions.push({ kind: "message", subject: method, text: said });
    }
    references.set(node, { pointer: node.pointer, ref: name });
  }
  const kept = [...schema.definitions.values()].map((definition) => ({
    ...definition,
    node: withReferences(definition.node, references),
  }));
  const all = [...kept, ...defined.values()].sort((a, b) => naturalCompare(a.name, b.name));
  return { ...schema, definitions: new Map(all.map((definition) => [definition.name, definition])) };
}

/** `tools/call` → `ToolsCallRequest`, `notifications/tools/list_changed` → `ToolsListChangedNotification`. */
function nameOf(method: string, kind: Kind): string {
  const words = method.replace(/^notifications\//, "").match(/[\p{L}\p{N}]+/gu) ?? [];
  const capitals = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return capitals.join("") + (kind === "request" ? "Request" : "Notification");
}

function differs(definition: Definition | undefined, text: string): boolean {
  return definition !== undefined && nodeJson(definition.node) !== text;
}

/** The keywords of a node, without its place. */
function nodeJson(node: SchemaNode): string {
  return JSON.stringify(node, (key, value: unknown) =>
    key === "pointer" ? undefined : value instanceof Map ? [...(value as Map<string, unknown>)] : value,
  );
}

function withReferences(node: SchemaNode, references: ReadonlyMap<SchemaNode, SchemaNode>): SchemaNode {
  const reference = references.get(node);
  if (reference) return reference;
  const { anyOf, oneOf, allOf } = node;
  const inside = (arms: readonly SchemaNode[]): readonly SchemaNode[] =>
    arms.map((arm) => withReferences(arm, references));
  return {
    ...node,
    ...(anyOf && { anyOf: inside(anyOf) }),
    ...(oneOf && { oneOf: inside(oneOf) }),
    ...(allOf && { allOf: inside(allOf) }),
  };
}
