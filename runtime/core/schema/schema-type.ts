import type { Params, RequestId } from "../jsonrpc/message.js";
import type { StandardJsonSchema, StandardSchema } from "./standard-schema.js";

/** A JSON Schema as an object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Explains in a few lines why a value is wrong; `undefined` if it is right. */
export type Check = (value: unknown) => string | undefined | Promise<string | undefined>;

/** A check that may return a value to use in place of the checked one. */
export type Parse = (value: unknown, request?: PreparingRequest) => Checked | Promise<Checked>;

/** The request whose arguments are parsed: its server says how they are prepared for the handler. */
export interface PreparingRequest {
  readonly request: { readonly method: string; readonly params?: Params | undefined; readonly id: RequestId };
  readonly connection: {
    readonly definition: {
      readonly argumentDefaults?: boolean | undefined;
      readonly nulls?: "absent" | "reject" | undefined;
    };
    /** Reports that arguments were null, and counted as absent. */
    emit(event: {
      readonly type: "nulls-ignored";
      readonly method: string;
      readonly name: string | undefined;
      readonly requestId: RequestId;
      readonly members: readonly string[];
    }): void;
  };
}

export type Checked = string | undefined | { readonly value: unknown };

/** The schema of a tool or prompt: JSON Schema, or a schema of a library that implements Standard JSON Schema. */
export type ToolSchema = JsonSchema | StandardJsonSchema;

/** The schema of a message that is not sent: JSON Schema, or a schema of a library that implements Standard Schema. */
export type MessageSchema = JsonSchema | StandardSchema;

/** The input of a schema: the type that a handler returns if the schema describes a result. */
export type InputOf<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly input: infer Input } | undefined };
}
  ? Input
  : FromJsonSchema<Schema>;

/** The output of a schema: the type that a handler gets if the schema describes arguments. */
export type OutputOf<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : FromJsonSchema<Schema>;

declare const inferred: unique symbol;

/** The default of a type argument: the type is inferred from the schema. */
export interface Inferred {
  readonly [inferred]: true;
}

/**
 * The type of the values that a JSON Schema accepts, as far as types can express it. The schema is given as a literal
 * type. It reads the keywords type, properties, required, additionalProperties, enum, const, items, prefixItems, anyOf,
 * oneOf, allOf, and `$ref` to `#`, `#/$defs/…` and `#/definitions/…`. A part that is not a literal, or that has other
 * keywords, is `unknown`.
 *
 * The type has the members that keywords name, and others only if the schema has `additionalProperties` or
 * `patternProperties`.
 */
export type FromJsonSchema<Schema> = Value<Schema, Schema, 8>;

/** @param Left references that may still be followed: a schema that refers to itself has no end */
type Value<Schema, Root, Left extends number> = Schema extends boolean
  ? Schema extends true
    ? unknown
    : never
  : [keyof Schema & Combining] extends [never]
    ? Typed<Schema, Root, Left>
    : Schema extends { readonly const: infer Only }
      ? Only
      : Schema extends { readonly enum: readonly (infer Choice)[] }
        ? Choice
        : Combined<Schema, Root, Left>;

/** Keywords that restrict a value further than `type`. */
type Combining = "$ref" | "const" | "enum" | "anyOf" | "oneOf" | "allOf";

type Combined<Schema, Root, Left extends number> = Typed<Schema, Root, Left> &
  (Schema extends { readonly $ref: infer Reference }
    ? Left extends 0
      ? unknown
      : Value<Target<Reference, Root>, Root, Less[Left]>
    : unknown) &
  (Schema extends { readonly anyOf: readonly (infer Arm)[] } ? Value<Arm, Root, Left> : unknown) &
  (Schema extends { readonly oneOf: readonly (infer Arm)[] } ? Value<Arm, Root, Left> : unknown) &
  (Schema extends { readonly allOf: infer Parts } ? All<Parts, Root, Left> : unknown);

type Less = [0, 0, 1, 2, 3, 4, 5, 6, 7];

type All<Parts, Root, Left extends number> = Parts extends readonly [infer First, ...infer Others]
  ? Value<First, Root, Left> & All<Others, Root, Left>
  : unknown;

type Target<Reference, Root> = Reference extends "#"
  ? Root
  : Reference extends `#/$defs/${infer Name}`
    ? Root extends { readonly $defs: { readonly [name in Name]: infer Found } }
      ? Found
      : unknown
    : Reference extends `#/definitions/${infer Name}`
      ? Root extends { readonly definitions: { readonly [name in Name]: infer Found } }
        ? Found
        : unknown
      : unknown;

type Typed<Schema, Root, Left extends number> = Schema extends { readonly type: infer Type }
  ? OfType<Type extends readonly (infer Each)[] ? Each : Type, Schema, Root, Left>
  : unknown;

interface Scalars {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type OfType<Type, Schema, Root, Left extends number> = Type extends keyof Scalars
  ? Scalars[Type]
  : Type extends "object"
    ? ObjectOf<Schema, Root, Left>
    : Type extends "array"
      ? ArrayOf<Schema, Root, Left>
      : unknown;

type ObjectOf<Schema, Root, Left extends number> = Schema extends { readonly properties: infer Properties }
  ? Members<Properties, RequiredOf<Schema>, Root, Left> & Further<Schema>
  : { [name in RequiredOf<Schema>]: unknown } & {
      [name: string]: Schema extends { readonly additionalProperties: infer Each }
        ? Value<Each, Root, Left>
        : unknown;
    };

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name extends string)[] }
  ? Name
  : never;

type Members<Properties, Required extends string, Root, Left extends number> = {
  [Name in Required]: Name extends keyof Properties ? Value<Properties[Name], Root, Left> : unknown;
} & {
  [Name in Exclude<keyof Properties, Required>]?: Value<Properties[Name], Root, Left>;
};

/** The type of the members that are not named; `unknown` if there are none. */
type Further<Schema> = [keyof Schema & "patternProperties"] extends [never]
  ? Schema extends { readonly additionalProperties: infer Each }
    ? [Each] extends [false]
      ? unknown
      : { [name: string]: unknown }
    : unknown
  : { [name: string]: unknown };

type ArrayOf<Schema, Root, Left extends number> = Schema extends {
  readonly prefixItems: infer Items extends readonly unknown[];
}
  ? Schema extends { readonly minItems: Items["length"] }
    ? [...Each<Items, Root, Left>, ...Rest<Schema, Root, Left>]
    : [...Partial<Each<Items, Root, Left>>, ...Rest<Schema, Root, Left>]
  : Schema extends { readonly items: infer Item }
    ? Value<Item, Root, Left>[]
    : unknown[];

type Each<Items extends readonly unknown[], Root, Left extends number> = {
  -readonly [Index in keyof Items]: Value<Items[Index], Root, Left>;
};

type Rest<Schema, Root, Left extends number> = Schema extends { readonly items: infer Item }
  ? Item extends false
    ? []
    : Value<Item, Root, Left>[]
  : unknown[];
