import type { JsonValue } from "./json.js";

/** The types of JSON Schema (2020-12 validation, section 6.1.1). */
export type TypeName = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** The deprecation of a feature. */
export interface Deprecation {
  /** The protocol revision or version that deprecated it. */
  readonly since?: string;
  /** The replacement. */
  readonly instead?: string;
}

/**
 * One schema, with a member for each of its keywords of JSON Schema 2020-12. The boolean schemas are `{ always:
 * true }` and `{ never: true }`. Maps are in natural order.
 */
export interface SchemaNode {
  /** JSON Pointer of the node in the canonical document. */
  readonly pointer: string;
  /** The boolean schema `true`, which means the same as `{}`. */
  readonly always?: true;
  /** The boolean schema `false`: no value is valid. */
  readonly never?: true;

  /** Name of the definition that `$ref` points at. */
  readonly ref?: string;
  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;
  readonly dependentSchemas?: ReadonlyMap<string, SchemaNode>;

  readonly types?: readonly TypeName[];
  readonly const?: { readonly value: JsonValue };
  readonly enum?: readonly JsonValue[];

  readonly properties?: ReadonlyMap<string, SchemaNode>;
  readonly patternProperties?: ReadonlyMap<string, SchemaNode>;
  readonly additionalProperties?: SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly unevaluatedProperties?: SchemaNode;
  readonly required?: readonly string[];
  readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly prefixItems?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly contains?: SchemaNode;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly unevaluatedItems?: SchemaNode;
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
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly contentSchema?: SchemaNode;

  readonly title?: string;
  readonly description?: string;
  readonly default?: { readonly value: JsonValue };
  readonly examples?: readonly JsonValue[];
  readonly readOnly?: true;
  readonly writeOnly?: true;

  readonly deprecated?: Deprecation;
  /** From notes: the TypeScript type to print if the schema cannot express it. Validators ignore it. */
  readonly typeText?: string;
  /** From notes: a tolerant reader accepts unknown arms of this union or unknown values of this set. */
  readonly open?: true;
}

/** A named schema. */
export interface Definition {
  /** The name as written in the schema; may be any string. */
  readonly name: string;
  readonly node: SchemaNode;
  /** From notes: definitions whose members this one repeats, in natural order. */
  readonly extends?: readonly string[];
  /** Addresses of pages that describe the definition. */
  readonly see?: readonly string[];
}

/** Tests whether a pattern matches somewhere in a text; a `RegExp` is one. */
export interface Matcher {
  test(text: string): boolean;
}

/**
 * A whole schema document: its definitions in natural order of name, and the root, unless the document is only
 * a library of definitions.
 */
export interface Schema {
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly root?: SchemaNode;
  /** Whether the meta-schema of the document demands that formats are asserted (2020-12 validation, section 7.2.2). */
  readonly assertsFormats?: true;
  /** The matchers of the document's patterns, made when it was read; absent if it has no patterns. */
  readonly patterns?: ReadonlyMap<string, Matcher>;
}
