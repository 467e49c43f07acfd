// The form in which `check.ts` describes definitions: the keywords of JSON
// Schema, and `tag` with `arms` if a member discriminates the arms of a union.

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type TypeName =
  "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** An object of any origin: its members are checked when they are read. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/**
 * A definition: its name, its validator and its shape.
 */
export interface Named {
  readonly name: string;
  readonly is: (value: unknown) => boolean;
  /** The open reading, if it differs. */
  readonly accepts?: (value: unknown) => boolean;
  readonly shape: () => Shape;
}

/** The schema of one place; `false` accepts no value. */
export type Part = Shape | Named | false;

export interface Parts {
  readonly [key: string]: Part;
}

export interface Shape {
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: Json;
  readonly enum?: readonly Json[];

  readonly allOf?: readonly Part[];
  readonly anyOf?: readonly Part[];
  readonly oneOf?: readonly Part[];
  readonly not?: Part;
  readonly if?: Part;
  readonly then?: Part;
  readonly else?: Part;

  /** The member that discriminates the arms of a union of objects. */
  readonly tag?: string;
  /** The arm for each value of the tag. */
  readonly arms?: Parts;
  /** The arm for objects without the tag. */
  readonly absent?: Part;
  /** The arm for objects without the tag or with any other value of it. */
  readonly otherwise?: Part;
  /**
   * The union or set accepts what later revisions may add: `true` if its tag
   * or its values determine what that can be.
   */
  readonly open?: true | Opening;

  readonly required?: readonly string[];
  readonly properties?: Parts;
  readonly patternProperties?: Parts;
  readonly additionalProperties?: Part;
  readonly unevaluatedProperties?: Part;
  readonly propertyNames?: Part;
  readonly dependentRequired?: { readonly [key: string]: readonly string[] };
  readonly dependentSchemas?: Parts;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly prefixItems?: readonly Part[];
  readonly items?: Part;
  readonly unevaluatedItems?: Part;
  readonly contains?: Part;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The values that the open reading accepts beside the listed ones. */
export interface Opening {
  /** Objects with a string in this member are accepted, unless `known` lists the string. */
  readonly tag?: string;
  readonly known?: readonly string[];
  /** Values of these types are accepted; objects only with `constants`. */
  readonly types?: readonly TypeName[];
  readonly constants?: { readonly [key: string]: Json };
}

/** The values that `part` lists, if it lists any. */
export function constantsOf(part: Part): readonly Json[] | undefined {
  if (part === false) return undefined;
  if ("is" in part) return constantsOf(part.shape());
  if (part.const !== undefined) return [part.const];
  if (part.enum) return part.enum;
  const lists = (part.anyOf ?? part.oneOf)?.map(constantsOf);
  return lists?.every((list) => list !== undefined) ? lists.flat() : undefined;
}

/** The types that `part` allows, or `undefined` for any. */
export function typesOf(part: Part): readonly TypeName[] | undefined {
  if (part === false) return [];
  if ("is" in part) return typesOf(part.shape());
  if (typeof part.type === "string") return [part.type];
  if (part.type) return part.type;
  if (part.tag !== undefined) return ["object"];
  const constants = constantsOf(part);
  if (constants) return [...new Set(constants.map(typeOf))];
  const lists = (part.anyOf ?? part.oneOf)?.map(typesOf);
  if (lists?.every((list) => list !== undefined))
    return [...new Set(lists.flat())];
  return part.allOf?.map(typesOf).find((types) => types !== undefined);
}

/** The members that `part` requires. */
export function requiredOf(part: Part): readonly string[] {
  if (part === false) return [];
  if ("is" in part) return requiredOf(part.shape());
  return [...(part.required ?? []), ...(part.allOf ?? []).flatMap(requiredOf)];
}

/** Whether `value` is of one of `types`; without types, any value is. */
export function hasType(
  value: unknown,
  types: TypeName | readonly TypeName[] | undefined,
): boolean {
  if (types === undefined) return true;
  if (typeof types !== "string")
    return types.some((type) => hasType(value, type));
  switch (types) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === types;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: Json): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as TypeName;
}

/**
 * Whether two JSON values are equal; the order of keys does not matter. Beyond a
 * limit of depth they count as different, so that no value exhausts the stack.
 */
export function sameJson(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (depth > 64) return false;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index], depth + 1))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && sameJson(a[key], b[key], depth + 1),
    )
  );
}

/**
 * An own member of an object that came from JSON.
 */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) || !(key in Object.prototype)
    ? object[key]
    : undefined;
}
