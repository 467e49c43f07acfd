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
 * oneOf, allOf, if, then, else, dependentSchemas, dependentRequired, dependencies, `not` with types, and `$ref` to `#`,
 * `#/$defs/…` and `#/definitions/…`. A part that is not a literal, or that has other keywords, is `unknown`.
 *
 * A schema without `type` accepts values of all types: its `properties` describe those that are objects. The type has the
 * members that keywords name, and others only if the schema has `additionalProperties` or `patternProperties`. Members
 * that only `then`, `else` or a dependency describes are optional.
 */
export type FromJsonSchema<Schema> = Value<Schema, Schema, 8>;

type Kind = "array" | "boolean" | "null" | "number" | "object" | "string";

/**
 * @param Left references that may still be followed: a schema that refers to itself has no end
 * @param Kinds the kinds that the schemas around leave
 * @param Around schemas that the value satisfies as well
 */
type Value<
  Schema,
  Root,
  Left extends number,
  Kinds = Kind,
  Around extends readonly unknown[] = [],
> = Schema extends boolean
  ? Schema extends true
    ? unknown
    : never
  : string extends keyof Schema
    ? unknown
    : [keyof Schema & Combining] extends [never]
      ? Typed<Schema, Root, Left, Kinds, Around>
      : Schema extends { readonly const: infer Only }
        ? Within<Only, KindsOf<Schema, Root, Left> & Kinds>
        : Schema extends { readonly enum: readonly (infer Choice)[] }
          ? Within<Choice, KindsOf<Schema, Root, Left> & Kinds>
          : Combined<Schema, Root, Left, KindsOf<Schema, Root, Left> & Kinds, Around>;

/** Keywords that apply other schemas to the same value, or restrict it further than `type`. */
type Combining =
  InPlace | "const" | "dependencies" | "dependentRequired" | "dependentSchemas" | "enum" | "if" | "not";
type InPlace = "$ref" | "allOf" | "anyOf" | "oneOf";
type Structure =
  "additionalProperties" | "items" | "patternProperties" | "prefixItems" | "properties" | "required";
type Conditional = "dependencies" | "dependentRequired" | "dependentSchemas" | "if";

/** Any value of some kinds. */
type OfKind<Kinds> = Kinds extends keyof Scalars
  ? Scalars[Kinds]
  : Kinds extends "array"
    ? readonly unknown[]
    : { readonly [name: string]: unknown };

/** The values of some kinds. */
type Within<Choice, Kinds> = [Kind] extends [Kinds]
  ? Literal<Choice>
  : Choice extends OfKind<Kinds>
    ? Literal<Choice>
    : never;

/** The kinds that `type`, references, `allOf` and `not` leave. */
type KindsOf<Schema, Root, Left extends number> = (Schema extends { readonly type: infer Type }
  ? KindOfType<Type extends readonly (infer Each)[] ? Each : Type>
  : Kind) &
  (Schema extends { readonly $ref: infer Reference }
    ? Left extends 0
      ? Kind
      : KindsOf<Target<Reference, Root>, Root, Less[Left]>
    : Kind) &
  (Schema extends { readonly allOf: infer Parts } ? KindsOfAll<Parts, Root, Left> : Kind) &
  (Schema extends { readonly not: infer Not } ? KindsBeside<Not> : Kind);

type KindOfType<Type> = Type extends "integer" ? "number" : Type extends Kind ? Type : Kind;

type KindsOfAll<Parts, Root, Left extends number> = Parts extends readonly [infer First, ...infer Others]
  ? KindsOf<First, Root, Left> & KindsOfAll<Others, Root, Left>
  : Kind;

type KindsBeside<Not> = Not extends true
  ? never
  : keyof Not extends "type"
    ? Not extends { readonly type: infer Type }
      ? Exclude<Kind, Type extends readonly (infer Each)[] ? Each : Type>
      : never
    : Kind;

type Combined<Schema, Root, Left extends number, Kinds, Around extends readonly unknown[]> = Settled<
  ([keyof Schema & (Conditional | Structure)] extends [never]
    ? unknown
    : OfKinds<Kinds, Schema, Root, Left, [Schema, ...Around]>) &
    (Schema extends { readonly $ref: infer Reference }
      ? Left extends 0
        ? unknown
        : Value<Target<Reference, Root>, Root, Less[Left], Kinds, [Schema, ...Around]>
      : unknown) &
    (Schema extends { readonly anyOf: readonly (infer Arm)[] }
      ? Union<Arm, Root, Left, Kinds, [Schema, ...Around]>
      : unknown) &
    (Schema extends { readonly oneOf: readonly (infer Arm)[] }
      ? Union<Arm, Root, Left, Kinds, [Schema, ...Around]>
      : unknown) &
    (Schema extends { readonly allOf: infer Parts }
      ? All<Parts, Root, Left, Kinds, [Schema, ...Around]>
      : unknown),
  Kinds
>;

/** Where the keywords say nothing but the kinds. */
type Settled<Found, Kinds> = unknown extends Found
  ? [Kind] extends [Kinds]
    ? unknown
    : Kinds extends keyof Scalars
      ? Scalars[Kinds]
      : Kinds extends "array"
        ? unknown[]
        : { [name: string]: unknown }
  : Found;

/** A union, one of whose arms may accept everything: the members that others name may be there. */
type Union<Arm, Root, Left extends number, Kinds, Around extends readonly unknown[]> =
  unknown extends Value<Arm, Root, Left, Kinds, Around>
    ? Perhaps<NamesOf<Arm, Root>>
    : Value<Arm, Root, Left, Kinds, Around>;

/** A constant, whose empty objects have no members. */
type Literal<Value> = Value extends readonly unknown[]
  ? { readonly [Index in keyof Value]: Literal<Value[Index]> }
  : Value extends object
    ? keyof Value extends never
      ? { [name: string]: never }
      : { [Name in keyof Value]: Literal<Value[Name]> }
    : Value;

type Perhaps<Names> = [Names] extends [never] ? unknown : { [Name in Names & string]?: unknown };

type Less = [0, 0, 1, 2, 3, 4, 5, 6, 7];

type All<
  Parts,
  Root,
  Left extends number,
  Kinds,
  Around extends readonly unknown[],
> = Parts extends readonly [infer First, ...infer Others]
  ? Value<Unconditional<First>, Root, Left, Kinds, Around> & All<Others, Root, Left, Kinds, Around>
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

type Typed<Schema, Root, Left extends number, Kinds, Around extends readonly unknown[]> = Schema extends {
  readonly type: infer Type;
}
  ? Type extends string | readonly string[]
    ? OfKinds<
        KindOfType<Type extends readonly (infer Each)[] ? Each : Type> & Kinds,
        Schema,
        Root,
        Left,
        Around
      >
    : unknown
  : [keyof Schema & Structure] extends [never]
    ? unknown
    : OfKinds<Kinds, Schema, Root, Left, Around>;

interface Scalars {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

type OfKinds<
  Kinds,
  Schema,
  Root,
  Left extends number,
  Around extends readonly unknown[],
> = Kinds extends keyof Scalars
  ? Scalars[Kinds]
  : Kinds extends "object"
    ? ObjectOf<Schema, Root, Left, Around>
    : Kinds extends "array"
      ? ArrayOf<Schema, Root, Left>
      : never;

type ObjectOf<Schema, Root, Left extends number, Around extends readonly unknown[]> = Schema extends {
  readonly properties: infer Properties;
}
  ? Members<Properties, RequiredOf<Schema>, Schema, Root, Left, Around> &
      Conditioned<Schema, Properties, Root, Left, Around> &
      Further<Schema>
  : Exactly<
      RequiredOf<Schema>,
      { [Name in RequiredOf<Schema>]: Described<Name, [Schema, ...Around], Root, Left> }
    > &
      Conditioned<Schema, unknown, Root, Left, Around> &
      Others<Schema, Root, Left, Around>;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name extends string)[] }
  ? Name
  : never;

type Members<
  Properties,
  Required extends string,
  Schema,
  Root,
  Left extends number,
  Around extends readonly unknown[],
> = Exactly<
  Required,
  {
    [Name in Required]: Name extends keyof Properties
      ? Member<Properties[Name], Name, Schema, Root, Left>
      : Described<Name, [Schema, ...Around], Root, Left>;
  }
> & {
  [Name in Exclude<keyof Properties, Required>]?: Member<Properties[Name], Name, Schema, Root, Left>;
};

/** Members that there are: an object without any beside others would let the compiler take numbers for objects. */
type Exactly<Names, Members> = [Names] extends [never] ? unknown : Members;

/** A member that the schema describes; what a condition says of it may hold as well. */
type Member<Property, Name, Schema, Root, Left extends number> = [
  keyof Schema & (Conditional | "allOf"),
] extends [never]
  ? Value<Property, Root, Left>
  : [DescribedBy<BranchOf<Schema>, Name>] extends [never]
    ? Value<Property, Root, Left>
    : | Value<Property, Root, Left>
      | (Value<Property, Root, Left> &
          Value<DescribedBy<BranchOf<Schema>, Name>, Root, Left, KindsOf<Property, Root, Left>>);

type DescribedBy<Branch, Name> = Branch extends {
  readonly properties: { readonly [name in Name & string]: infer Found };
}
  ? Found
  : never;

/** The type of a member by schemas that all hold. */
type Described<Name, Schemas, Root, Left extends number> = Schemas extends readonly [
  infer First,
  ...infer Others,
]
  ? (First extends { readonly properties: { readonly [name in Name & string]: infer Found } }
      ? Value<Found, Root, Left>
      : unknown) &
      (First extends { readonly $ref: infer Reference }
        ? Left extends 0
          ? unknown
          : Described<Name, [Target<Reference, Root>], Root, Less[Left]>
        : unknown) &
      (First extends { readonly allOf: infer Parts } ? Described<Name, Parts, Root, Left> : unknown) &
      Described<Name, Others, Root, Left>
  : unknown;

/** A part of `allOf` without its conditions: they are those of the whole. */
type Unconditional<Part> = [keyof Part & Conditional] extends [never]
  ? Part
  : { readonly [Keyword in keyof Part as Exclude<Keyword, Conditional>]: Part[Keyword] };

/** Schemas that hold for some values: those of conditions and dependencies. */
type BranchOf<Schema> =
  | (Schema extends { readonly allOf: readonly (infer Part)[] }
      ? Part extends unknown
        ? OwnBranch<Part>
        : never
      : never)
  | OwnBranch<Schema>;

type OwnBranch<Schema> =
  | (Schema extends { readonly if: unknown; readonly then: infer Then } ? Then : never)
  | (Schema extends { readonly if: unknown; readonly else: infer Else } ? Else : never)
  | (Schema extends { readonly dependentSchemas: infer Each } ? Each[keyof Each] : never)
  | (Schema extends { readonly dependencies: infer Each }
      ? Exclude<Each[keyof Each], readonly string[]>
      : never);

/** The members that only conditions and dependencies name. */
type Conditioned<Schema, Properties, Root, Left extends number, Around extends readonly unknown[]> = [
  keyof Schema & (Conditional | "allOf"),
] extends [never]
  ? unknown
  : ConditionedMembers<
      Schema,
      Exclude<
        | NamesOf<BranchOf<Schema>, Root>
        | (Schema extends { readonly if: infer Test } ? NamesOf<Test, Root> : never)
        | DependentNames<Schema>,
        keyof Properties | RequiredOf<Schema> | PropertyOfParts<Schema>
      >,
      Root,
      Left,
      [keyof Schema & Exclude<InPlace, "allOf">, Around] extends [never, [unknown] | []] ? true : false
    >;

type ConditionedMembers<Schema, Names, Root, Left extends number, IsAlone> = Exactly<
  Names,
  {
    [Name in Names & string]?: IsAlone extends true
      ? Alternative<BranchOf<Schema>, Name, Root, Left>
      : unknown;
  }
> &
  ([Extract<BranchOf<Schema>, Open>] extends [never] ? unknown : { [name: string]: unknown });

type Open = { readonly additionalProperties: unknown } | { readonly patternProperties: unknown };

type PropertyOfParts<Schema> = Schema extends { readonly allOf: readonly (infer Part)[] }
  ? Part extends { readonly properties: infer Properties }
    ? keyof Properties
    : never
  : never;

/** The type of a member by the branches that name it; `unknown` if one of them names it only, or none. */
type Alternative<Branch, Name, Root, Left extends number> = [NamingBranch<Branch, Name, Root>] extends [never]
  ? unknown
  : NamingBranch<Branch, Name, Root> extends { readonly type: unknown } | object
    ? Described<Name, [NamingBranch<Branch, Name, Root>], Root, Left>
    : unknown;

type NamingBranch<Branch, Name, Root> = Branch extends unknown
  ? Name extends NamesOf<Branch, Root>
    ? Branch
    : never
  : never;

type DependentNames<Schema> =
  | (Schema extends { readonly dependentRequired: infer Each } ? NamesIn<Each[keyof Each]> : never)
  | (Schema extends { readonly dependencies: infer Each } ? NamesIn<Each[keyof Each]> : never);

type NamesIn<List> = List extends readonly (infer Name)[] ? Name : never;

/** The names of all members that schemas name, in arms and behind references, too. */
type NamesOf<Schema, Root, Left extends number = 3> = Schema extends object
  ? | (Schema extends { readonly properties: infer Properties } ? keyof Properties : never)
    | RequiredOf<Schema>
    | (Left extends 0
        ? never
        : | (Schema extends { readonly $ref: infer Reference }
              ? NamesOf<Target<Reference, Root>, Root, Less[Left]>
              : never)
          | NamesOf<ArmOf<Schema>, Root, Less[Left]>)
  : never;

type ArmOf<Schema> =
  | (Schema extends { readonly allOf: readonly (infer Arm)[] } ? Arm : never)
  | (Schema extends { readonly anyOf: readonly (infer Arm)[] } ? Arm : never)
  | (Schema extends { readonly oneOf: readonly (infer Arm)[] } ? Arm : never)
  | BranchOf<Schema>;

/** The type of the members that are not named; `unknown` if there are none. */
type Further<Schema> = [keyof Schema & "patternProperties"] extends [never]
  ? Schema extends { readonly additionalProperties: infer Each }
    ? [Each] extends [false]
      ? unknown
      : { [name: string]: unknown }
    : unknown
  : { [name: string]: unknown };

/** The members of an object without `properties`. */
type Others<Schema, Root, Left extends number, Around extends readonly unknown[]> = Schema extends {
  readonly additionalProperties: infer Each;
}
  ? { [name: string]: Around extends [] ? Value<Each, Root, Left> : unknown }
  : Around extends []
    ? { [name: string]: unknown }
    : Further<Schema>;

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
