// Facts about the values that a subschema accepts. They select the arm of a union and word the messages.
import { isObject } from "../emitted/shared-checks.js";
import { DefinitionMemo } from "../ir/definition-memo.js";
import type { Schema, SchemaNode, TypeName } from "../ir/ir.js";
import { type JsonValue, jsonEqual } from "../ir/json.js";
import { isKnown } from "../ir/known.js";

/** The values that an open union or set also accepts in the open reading, in addition to the listed ones. */
export interface Opening {
  /** Accepts objects with a string in this member, unless `known` has the string. */
  readonly tag?: string;
  readonly known?: readonly string[];
  /** Accepts values of these types; objects only with `constants`. */
  readonly types?: readonly TypeName[];
  readonly constants?: { readonly [key: string]: JsonValue };
}

/** A node, with the additional values of its open reading. */
export interface OpenNode extends SchemaNode {
  readonly opening?: Opening;
}

/** Whether the open reading accepts a value that the node does not list. */
export function isUnlisted(value: unknown, node: OpenNode): boolean {
  const { opening } = node;
  if (opening === undefined) return false;
  const { tag, known = [], types, constants = {} } = opening;
  if (tag !== undefined) {
    const found = isObject(value) ? memberOf(value, tag) : undefined;
    return typeof found === "string" && !known.includes(found);
  }
  if (!hasType(value, types)) return false;
  if (!isObject(value)) return true;
  return Object.entries(constants).every(([key, constant]) => memberOf(value, key) === constant);
}

/** Bounds of the values that a subschema accepts. */
export interface Facts {
  /** The values, if the subschema lists them. */
  readonly values?: readonly JsonValue[];
  /** The types; absent: any type. */
  readonly types?: readonly TypeName[];
  /** Members that objects must have. */
  readonly required: readonly string[];
}

/** Facts of the nodes of a schema. */
export function factsIn(schema: Schema): DefinitionMemo<Facts> {
  return new DefinitionMemo(schema, factsOf);
}

function factsOf(node: SchemaNode, of: (name: string) => Facts): Facts {
  if (node.never) return { types: [], required: [] };
  const inner = (child: SchemaNode): Facts => factsOf(child, of);
  const parts = [...(node.ref === undefined ? [] : [of(node.ref)]), ...(node.allOf ?? []).map(inner)];
  const union = (node.anyOf ?? node.oneOf)?.map(inner);
  const values = listedBy(node) ?? together(union?.map((arm) => arm.values)) ?? parts[0]?.values;
  const types = values
    ? distinctOf(values.map(typeOfValue))
    : (node.types ??
      together(union?.map((arm) => arm.types)) ??
      parts.find((part) => part.types !== undefined)?.types);
  return {
    ...(values && { values }),
    ...(types && { types }),
    required: distinctOf([...(node.required ?? []), ...parts.flatMap((part) => part.required)]),
  };
}

/** The distinct elements of all lists; `undefined` if one list is `undefined`. */
function together<Element>(
  lists: readonly (readonly Element[] | undefined)[] | undefined,
): readonly Element[] | undefined {
  return lists?.every(isKnown) ? distinctOf(lists.flat()) : undefined;
}

function distinctOf<Element>(elements: readonly Element[]): readonly Element[] {
  return [...new Set(elements)];
}

/** The values that `const`, `enum` and `type` of a node allow together; `undefined` if it lists none. */
export function listedBy({
  const: constant,
  enum: values,
  types,
}: SchemaNode): readonly JsonValue[] | undefined {
  if (!constant) return types ? values?.filter((value) => hasType(value, types)) : values;
  const { value } = constant;
  const isListed = !values || values.some((other) => jsonEqual(other, value));
  return isListed && hasType(value, types) ? [value] : [];
}

/** Whether a value has one of the types; always true if `types` is undefined. */
export function hasType(value: unknown, types: readonly TypeName[] | undefined): boolean {
  return types === undefined || types.some((type) => isOfType(value, type));
}

function isOfType(value: unknown, type: TypeName): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      // JSON has no NaN and no infinity.
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function typeOfValue(value: JsonValue): TypeName {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as TypeName);
}

/** A member of an object; ignores members that every object inherits. */
export function memberOf(object: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(object, key) || !(key in Object.prototype) ? object[key] : undefined;
}

/** Whether a value equals a value in the schema. The schema's value bounds the depth of the comparison. */
export function equals(listed: unknown, value: unknown): boolean {
  return jsonEqual(listed as JsonValue, value as JsonValue);
}
