import { DefinitionMemo, type Schema, type SchemaNode } from "@mcpgen/engine";
import { type Kind, common, everyKind, kindOfValue, kindsOfTypes } from "../validators/kind.js";

type Kinds = ReadonlySet<Kind>;

/** The kinds of JSON value that a node may accept: all kinds where no keyword says less. */
export function kindsBySchema(schema: Schema): (node: SchemaNode) => Kinds {
  const memo = new DefinitionMemo<Kinds>(schema, kindsOf);
  return (node) => memo.of(node);
}

function kindsOf(node: SchemaNode, of: (name: string) => Kinds): Kinds {
  const inside = (part: SchemaNode): Kinds => kindsOf(part, of);
  const among = (arms: readonly SchemaNode[]): Kinds => new Set(arms.flatMap((arm) => [...inside(arm)]));
  const limits: Kinds[] = [];
  if (node.never) limits.push(new Set());
  if (node.types) limits.push(kindsOfTypes(node.types));
  if (node.const) limits.push(new Set([kindOfValue(node.const.value)]));
  if (node.enum) limits.push(new Set(node.enum.map(kindOfValue)));
  if (node.ref !== undefined) limits.push(of(node.ref));
  for (const part of node.allOf ?? []) limits.push(inside(part));
  for (const arms of [node.anyOf, node.oneOf]) if (arms) limits.push(among(arms));
  if (node.if) limits.push(kindsOfCondition(node, inside));
  if (node.not) limits.push(kindsBeside(node.not));
  return limits.reduce(common, everyKind);
}

/** The kinds for which `if` and `then` hold, or `else`. */
function kindsOfCondition(node: SchemaNode, inside: (part: SchemaNode) => Kinds): Kinds {
  const then = common(inside(node.if!), node.then ? inside(node.then) : everyKind);
  return node.else ? new Set([...then, ...inside(node.else)]) : everyKind;
}

/** The kinds that `not` leaves: it takes away those all of whose values its schema accepts. */
function kindsBeside(not: SchemaNode): Kinds {
  const { pointer: _pointer, always: _always, types, ...others } = not;
  const values = others.const ? [others.const.value] : others.enum;
  const asserted = Object.keys(others).filter((key) => !["title", "description", "$comment"].includes(key));
  if (asserted.length === 0) {
    const gone = types ? kindsOfTypes(types.filter((type) => type !== "integer")) : everyKind;
    return new Set([...everyKind].filter((kind) => !gone.has(kind)));
  }
  const isNull = types === undefined && asserted.length === 1 && values?.includes(null);
  return isNull ? new Set([...everyKind].filter((kind) => kind !== "null")) : everyKind;
}
