import {
  type Definition,
  type JsonValue,
  type Schema,
  type SchemaNode,
  type TypeName,
  isJsonObject,
} from "@mcpgen/engine";
import { isInterface } from "./declaration.js";

/**
 * The bases that the definition's interface can be declared to extend: those whose every member it has in a
 * type that is surely assignable. Where that cannot be shown the members are written out, which says the same.
 */
export function printableBases(definition: Definition, schema: Schema): Definition[] {
  return (definition.extends ?? [])
    .map((name) => schema.definitions.get(name)!)
    .filter((base) => isInterface(base) && narrowsMembers(definition.node, base.node, schema));
}

function narrowsMembers(derived: SchemaNode, base: SchemaNode, schema: Schema): boolean {
  return [...(base.properties ?? [])].every(([name, wide]) => {
    const narrow = derived.properties?.get(name);
    return narrow !== undefined && isAssignable(narrow, wide, schema);
  });
}

/** Whether the type of `narrow` is surely assignable to that of `wide`; `false` also where it is hard to tell. */
function isAssignable(narrow: SchemaNode, wide: SchemaNode, schema: Schema): boolean {
  if (isUnconstrained(wide) || sameText(narrow, wide)) return true;
  if (narrow.ref !== undefined && wide.ref !== undefined && descendsFrom(narrow.ref, wide.ref, schema))
    return true;
  // The arms first, while `wide` is still known by the name they may descend from.
  const narrowArms = narrow.anyOf ?? narrow.oneOf;
  if (narrowArms) return narrowArms.every((arm) => isAssignable(arm, wide, schema));
  // `{ [key: string]: any }` takes every object, interfaces included.
  if (wide.additionalProperties?.typeText === "any") return isObject(narrow, schema);
  if (isPlainObject(narrow) && isPlainObject(wide)) return isObjectSubset(narrow, wide, schema);
  if (wide.ref !== undefined) return isAssignable(narrow, schema.definitions.get(wide.ref)!.node, schema);
  if (narrow.ref !== undefined) return isAssignable(schema.definitions.get(narrow.ref)!.node, wide, schema);
  const wideArms = wide.anyOf ?? wide.oneOf;
  if (wideArms) return wideArms.some((arm) => isAssignable(narrow, arm, schema));
  return isScalarSubset(narrow, wide);
}

function isUnconstrained({
  pointer: _pointer,
  description: _description,
  deprecated: _deprecated,
  ...rest
}: SchemaNode): boolean {
  return Object.keys(rest).length === 0;
}

function descendsFrom(name: string, base: string, schema: Schema): boolean {
  if (name === base) return true;
  const definition = schema.definitions.get(name);
  return (
    definition !== undefined &&
    printableBases(definition, schema).some((next) => descendsFrom(next.name, base, schema))
  );
}

function isObject(node: SchemaNode, schema: Schema): boolean {
  if (node.ref !== undefined) return isObject(schema.definitions.get(node.ref)!.node, schema);
  const arms = node.anyOf ?? node.oneOf;
  if (arms) return arms.every((arm) => isObject(arm, schema));
  if (node.allOf) return node.allOf.some((part) => isObject(part, schema));
  return node.types?.length === 1 && node.types[0] === "object";
}

/** An object written out where it is used, and not a definition's: its type has an index signature implicitly. */
function isPlainObject(node: SchemaNode): boolean {
  return node.types?.length === 1 && node.types[0] === "object" && !node.pointer.match(/^\/\$defs\/[^/]*$/);
}

function isObjectSubset(narrow: SchemaNode, wide: SchemaNode, schema: Schema): boolean {
  const { additionalProperties: index } = wide;
  if (index && !isUnconstrained(index)) return false;
  return [...(wide.properties ?? [])].every(([name, member]) => {
    const required = wide.required?.includes(name) ?? false;
    const own = narrow.properties?.get(name);
    if (!own) return !required;
    return (!required || (narrow.required?.includes(name) ?? false)) && isAssignable(own, member, schema);
  });
}

/** Scalars whose values, or types, are among those of the other. */
function isScalarSubset(narrow: SchemaNode, wide: SchemaNode): boolean {
  const values = narrow.const ? [narrow.const.value] : narrow.enum;
  const allowed = wide.const ? [wide.const.value] : wide.enum;
  if (allowed) return values !== undefined && values.every((value) => allowed.includes(value));
  const types = values ? values.map(typeName) : narrow.types;
  const scalars = types?.every((type) => type !== "object" && type !== "array") ?? false;
  return scalars && types!.every((type) => wide.types?.some((name) => printsAs(name) === printsAs(type)));
}

function typeName(value: JsonValue): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return isJsonObject(value) ? "object" : (typeof value as TypeName);
}

function printsAs(type: TypeName): TypeName {
  return type === "integer" ? "number" : type;
}

/** Whether two nodes are the same schema, wherever they stand and whatever is said beside them. */
function sameText(a: SchemaNode, b: SchemaNode): boolean {
  return structure(a) === structure(b);
}

function structure(node: SchemaNode): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === "pointer" || key === "description" || key === "deprecated" || key === "open")
      return undefined;
    return value instanceof Map ? [...value] : value;
  });
}
