/**
 * The type of the values that a JSON Schema accepts, as far as types can express it. The schema is given as a literal
 * type. It reads the keywords type, properties, required, additionalProperties, patternProperties,
 * unevaluatedProperties, enum, const, items, prefixItems, additionalItems, minItems and maxItems beside a list of
 * items, anyOf, oneOf, allOf, if, then, else, dependentSchemas, dependentRequired, dependencies, `not` with types, and
 * references: JSON Pointers, anchors, and literally equal identities. A part that is not a literal, or that has other
 * keywords, is `unknown`.
 *
 * A schema without `type` accepts values of all types: its `properties` describe only the objects among them. The type
 * has the members that keywords name, and further members only if the schema describes members without naming them.
 * Members that only `then`, `else` or a dependency describes are optional. If these (or alternatives beside the schema)
 * also describe a member, it may have further members.
 */
// One `Value`, not one for each dialect: for a schema that is not inferred yet, the compiler resolves all branches.
export type FromJsonSchema<Schema> = Value<InDialect<Schema>, InDialect<Schema>, 6>;

type InDialect<Schema> = IsOld<Schema> extends true ? Current<Schema> : Schema;

type Kind = "array" | "boolean" | "null" | "number" | "object" | "string";

/** Keywords that apply other schemas to the same value, or restrict it further than `type`. */
type Combining = InPlace | Conditional | "const" | "enum" | "not";
type InPlace = "$dynamicRef" | "$ref" | "allOf" | "anyOf" | "oneOf";
type Conditional = "dependencies" | "dependentRequired" | "dependentSchemas" | "if";
type Structure =
  | "additionalProperties"
  | "items"
  | "patternProperties"
  | "prefixItems"
  | "properties"
  | "required"
  | "unevaluatedProperties";

type Length = "maxItems" | "minItems";

/** An object with any members. */
type Open = { [name: string]: unknown };

/** Marks the root of a schema that has its own identity inside a document. */
interface Embedded<Document> {
  readonly "~document": Document;
}

type DocumentOf<Root> = Root extends Embedded<infer Document> ? Document : Root;

/** The root of a schema that has its own identity inside a document. */
type OwnRoot<Schema, Root> = Embedded<DocumentOf<Root>> & Schema;

/**
 * @param Left number of references and lists that may still be followed: a schema may refer to itself, and the
 *   compiler resolves lists eagerly
 * @param Kinds the kinds that the surrounding schemas allow
 * @param Around further schemas that the value satisfies
 * @param Also names of members that other schemas may also describe; `string` for all, `number` for items
 */
type Value<
  Schema,
  Root,
  Left extends number,
  Kinds = Kind,
  Around extends readonly unknown[] = [],
  Also = never,
> = Schema extends boolean
  ? Schema extends true
    ? unknown
    : never
  : string extends keyof Schema
    ? unknown
    : IsForeign<Schema, Root> extends true
      ? Read<Schema, OwnRoot<Schema, Root>, Left, Kinds, [], Also>
      : Read<Schema, Root, Left, Kinds, Around, Also>;

type Read<Schema, Root, Left extends number, Kinds, Around extends readonly unknown[], Also> = [
  keyof Schema & Combining,
] extends [never]
  ? Typed<Schema, Root, Left, Kinds, Around, Also>
  : [ChoiceOf<Schema, Root, Left>, IsSole<keyof Schema & (Combining | Structure)>] extends
        [never, boolean] | [unknown, true]
    ? Split<Schema, Root, Left, KindsOf<Schema, Root, Left> & Kinds, Around, Also>
    : Chosen<
        ChoiceOf<Schema, Root, Left>[0],
        Schema,
        Root,
        Left,
        KindsOf<Schema, Root, Left> & Kinds,
        Around
      >;

// The kinds of values

interface Scalars {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** The kinds that `type`, constants, references, parts, alternatives and `not` allow. */
type KindsOf<Schema, Root, Left extends number> = Schema extends false
  ? never
  : IsForeign<Schema, Root> extends true
    ? KindsWithin<Schema, OwnRoot<Schema, Root>, Left>
    : KindsWithin<Schema, Root, Left>;

type KindsWithin<Schema, Root, Left extends number> = OwnKinds<Schema> &
  (Schema extends { readonly const: infer Only } ? KindOfValue<Only> : Kind) &
  (Schema extends { readonly enum: readonly (infer Choice)[] } ? KindOfValue<Choice> : Kind) &
  (Schema extends { readonly allOf: infer Parts } ? KindsOfAll<Parts, Root, Left> : Kind) &
  (Schema extends { readonly anyOf: readonly (infer Arm)[] } ? KindsOf<Arm, Root, Left> : Kind) &
  (Schema extends { readonly oneOf: readonly (infer Arm)[] } ? KindsOf<Arm, Root, Left> : Kind) &
  ([Referred<Schema, Root>] extends [never]
    ? Kind
    : Left extends 0
      ? Kind
      : KindsOf<Referred<Schema, Root>, Root, Less[Left]>);

/** The kinds that `type` and `not` allow. */
type OwnKinds<Schema> = (Schema extends { readonly type: infer Type } ? KindOfType<EachOf<Type>> : Kind) &
  (Schema extends { readonly not: infer Not } ? KindsBeside<Not> : Kind);

type EachOf<Type> = Type extends readonly (infer Each)[] ? Each : Type;

type KindOfType<Type> = Type extends "integer" ? "number" : Type extends Kind ? Type : Kind;

type KindOfValue<Given> = unknown extends Given
  ? Kind
  : Given extends string
    ? "string"
    : Given extends number
      ? "number"
      : Given extends boolean
        ? "boolean"
        : Given extends null
          ? "null"
          : Given extends readonly unknown[]
            ? "array"
            : "object";

type KindsOfAll<Parts, Root, Left extends number> = Parts extends readonly [infer First, ...infer Others]
  ? KindsOf<First, Root, Left> & KindsOfAll<Others, Root, Left>
  : Kind;

type KindsBeside<Not> = Not extends true
  ? never
  : keyof Not extends "type"
    ? Not extends { readonly type: infer Type }
      ? Exclude<Kind, EachOf<Type>>
      : never
    : Kind;

// Constants

/** The values that a schema, its parts or its references list, as a tuple; `never` if they do not list values. */
type ChoiceOf<Schema, Root, Left extends number> = Schema extends { readonly const: infer Only }
  ? [Only]
  : Schema extends { readonly enum: readonly (infer Choice)[] }
    ? [Choice]
    : IsForeign<Schema, Root> extends true
      ? ChoiceInside<PartOf<Schema> | Referred<Schema, OwnRoot<Schema, Root>>, OwnRoot<Schema, Root>, Left>
      : ChoiceInside<PartOf<Schema> | Referred<Schema, Root>, Root, Left>;

type ChoiceInside<Inner, Root, Left extends number> = [Inner] extends [never]
  ? never
  : Left extends 0
    ? never
    : ChoiceOf<Inner, Root, Less[Left]>;

/** The values that all schemas accept. */
type Chosen<
  Choice,
  Schema,
  Root,
  Left extends number,
  Kinds,
  Around extends readonly unknown[],
> = Choice extends unknown
  ? [KindOfValue<Choice> & Kinds] extends [never]
    ? never
    : [keyof Schema & (Combining | Structure | Length), Around] extends ["const", []] | ["enum", []]
      ? Literal<Choice>
      : FitsAll<Choice, [Schema, ...Around], Root, Left> extends false
        ? never
        : Literal<Choice>
  : never;

/** A constant, whose empty objects have no members. */
type Literal<Given> = Given extends readonly unknown[]
  ? { readonly [Index in keyof Given]: Literal<Given[Index]> }
  : Given extends object
    ? keyof Given extends never
      ? { [name: string]: never }
      : { [Name in keyof Given]: Literal<Given[Name]> }
    : Given;

type FitsAll<Given, Schemas, Root, Left extends number> = Schemas extends readonly [
  infer First,
  ...infer Others,
]
  ? Fits<Given, First, Root, Left> extends false
    ? false
    : FitsAll<Given, Others, Root, Left>
  : true;

/** `false` if a schema certainly refuses a constant. */
type Fits<Given, Schema, Root, Left extends number> = Schema extends boolean
  ? Schema
  : unknown extends Given
    ? true
    : string extends keyof Schema
      ? true
      : IsForeign<Schema, Root> extends true
        ? FitsWithin<Given, Schema, OwnRoot<Schema, Root>, Left>
        : FitsWithin<Given, Schema, Root, Left>;

type FitsWithin<Given, Schema, Root, Left extends number> = false extends
  | FitsValue<Given, Schema>
  | FitsInPlace<Given, Schema, Root, Left>
  | (Given extends readonly unknown[]
      ? FitsLength<Given, Schema> | FitsItems<Given, Schema, Root, Left>
      : Given extends object
        ? FitsMembers<Given, Schema, Root, Left>
        : true)
  ? false
  : true;

type FitsValue<Given, Schema> =
  | ([KindOfValue<Given> & OwnKinds<Schema>] extends [never] ? false : true)
  | (Schema extends { readonly const: infer Only } ? IsSame<Given, Only> : true)
  | (Schema extends { readonly enum: readonly (infer Choice)[] }
      ? true extends (Choice extends unknown ? IsSame<Given, Choice> : never)
        ? true
        : false
      : true);

type IsSame<Given, Only> = [Given] extends [Only]
  ? Only extends object
    ? [Only] extends [Given]
      ? true
      : false
    : true
  : false;

type FitsInPlace<Given, Schema, Root, Left extends number> =
  | (Schema extends { readonly allOf: infer Parts } ? FitsAll<Given, Parts, Root, Left> : true)
  | (Schema extends { readonly anyOf: readonly (infer Arm)[] } ? FitsSome<Given, Arm, Root, Left> : true)
  | (Schema extends { readonly oneOf: readonly (infer Arm)[] } ? FitsSome<Given, Arm, Root, Left> : true)
  | ([Referred<Schema, Root>] extends [never]
      ? true
      : Left extends 0
        ? true
        : Fits<Given, Referred<Schema, Root>, Root, Less[Left]>);

type FitsSome<Given, Arm, Root, Left extends number> = true extends (
  Arm extends unknown ? Fits<Given, Arm, Root, Left> : never
)
  ? true
  : false;

type FitsMembers<Given, Schema, Root, Left extends number> =
  | ([Exclude<RequiredOf<Schema>, keyof Given>] extends [never] ? true : false)
  | {
      [Name in keyof Given]: Name extends keyof PropertiesOf<Schema>
        ? Fits<Given[Name], PropertiesOf<Schema>[Name], Root, Left>
        : Schema extends { readonly patternProperties: unknown }
          ? true
          : Schema extends { readonly additionalProperties: infer Each }
            ? Fits<Given[Name], Each, Root, Left>
            : true;
    }[keyof Given];

type FitsLength<Given extends readonly unknown[], Schema> = number extends Given["length"]
  ? true
  : | (Cut<Given, MostOf<Schema>>["length"] extends Given["length"] ? true : false)
    | (Cut<Given, LeastOf<Schema>>["length"] extends LeastOf<Schema> ? true : false);

type FitsItems<Given extends readonly unknown[], Schema, Root, Left extends number> = {
  [Index in keyof Given]: Index extends keyof ListedOf<Schema>
    ? Fits<Given[Index], ListedOf<Schema>[Index], Root, Left>
    : Fits<Given[Index], RestOf<Schema>, Root, Left>;
}[number];

// Schemas for one value together

/** Whether a schema consists of one reference or union. */
type IsSole<Keywords> = [Keywords] extends ["$ref"]
  ? true
  : [Keywords] extends ["anyOf"]
    ? true
    : [Keywords] extends ["oneOf"]
      ? true
      : false;

/**
 * Handles arrays, objects and scalars separately. Otherwise, one schema for objects and another for arrays would
 * together describe arrays with members, which literal types can be.
 */
type Split<Schema, Root, Left extends number, Kinds, Around extends readonly unknown[], Also> =
  IsSole<keyof Schema & (Combining | Structure)> extends true
    ? Combined<Schema, Root, Left, Kinds, Around, Also>
    : unknown extends Combined<Schema, Root, Left, Kinds, Around, Also>
      ? unknown
      : | Combined<Schema, Root, Left, Kinds & keyof Scalars, Around, Also>
        | Combined<Schema, Root, Left, Kinds & "array", Around, Also>
        | Combined<Schema, Root, Left, Kinds & "object", Around, Also>;

type Combined<Schema, Root, Left extends number, Kinds, Around extends readonly unknown[], Also> = [
  Kinds,
] extends [never]
  ? never
  : Settled<
      WithIdle<
        OwnPiece<Schema, Root, Left, Kinds, Around, Also> &
          Pieces<Schema, Root, Left, Kinds, Beside<Schema, Around>, Also>,
        Idle<Schema, "anyOf" | "oneOf", Root, Left, Kinds, Beside<Schema, Around>, Also>,
        Kinds,
        Around
      >,
      Kinds
    >;

/** The schemas around a piece of a schema. */
type Beside<Schema, Around extends readonly unknown[]> =
  IsSole<keyof Schema & (Combining | Structure)> extends true ? Around : [Schema, ...Around];

/** The type by the keywords for objects and arrays, with the conditions of all parts. */
type OwnPiece<Schema, Root, Left extends number, Kinds, Around extends readonly unknown[], Also> = [
  (keyof Schema & (Conditional | Structure)) | (KeysOf<Conjunct<Schema>> & Conditional),
] extends [never]
  ? unknown
  : OfKinds<
      Kinds,
      EmptyOf<Kinds>,
      Schema,
      Root,
      Left,
      Around,
      | Also
      | BranchNames<Schema, Root>
      | ArmNames<Schema, Root>
      | ReferredNames<Schema, Root>
      | PartNames<Schema, Root>
    >;

type Pieces<Schema, Root, Left extends number, Kinds, Around extends readonly unknown[], Also> = ([
  Referred<Schema, Root>,
] extends [never]
  ? unknown
  : Left extends 0
    ? unknown
    : Value<
        Referred<Schema, Root>,
        Root,
        Less[Left],
        Kinds,
        Around,
        Also | OthersIn<Schema> | BranchNames<Schema, Root> | ArmNames<Schema, Root> | PartNames<Schema, Root>
      >) &
  Arms<Schema, "anyOf", Root, Left, Kinds, Around, Also> &
  Arms<Schema, "oneOf", Root, Left, Kinds, Around, Also> &
  (Schema extends { readonly allOf: infer Parts }
    ? All<
        Parts,
        Root,
        Left,
        Kinds,
        Around,
        | Also
        | OthersIn<Schema>
        | BranchNames<Schema, Root>
        | ArmNames<Schema, Root>
        | ReferredNames<Schema, Root>
      >
    : unknown);

/** The type of a union; `unknown` if one of its arms accepts everything. */
type Arms<
  Schema,
  Keyword extends "anyOf" | "oneOf",
  Root,
  Left extends number,
  Kinds,
  Around extends readonly unknown[],
  Also,
> = Schema extends { readonly [Name in Keyword]: readonly (infer Arm)[] }
  ? Value<
      Arm,
      Root,
      Left,
      Kinds,
      Around,
      | Also
      | OthersIn<Schema>
      | BranchNames<Schema, Root>
      | ReferredNames<Schema, Root>
      | PartNames<Schema, Root>
      | ArmNames<Omit<Schema, Keyword>, Root>
    >
  : unknown;

type All<
  Parts,
  Root,
  Left extends number,
  Kinds,
  Around extends readonly unknown[],
  Also,
  Done = never,
> = Parts extends readonly [infer First, ...infer Others]
  ? Value<
      Unconditional<First>,
      Root,
      Left,
      Kinds,
      Around,
      Also | PerhapsNames<Done | Others[number], Root, 8>
    > &
      All<Others, Root, Left, Kinds, Around, Also, Done | First>
  : unknown;

/** The names of members in the arms of a union whose type is `unknown`. */
type Idle<
  Schema,
  Keyword extends "anyOf" | "oneOf",
  Root,
  Left extends number,
  Kinds,
  Around extends readonly unknown[],
  Also,
> = Keyword extends unknown
  ? Schema extends { readonly [Name in Keyword]: readonly (infer Arm)[] }
    ? unknown extends Arms<Schema, Keyword, Root, Left, Kinds, Around, Also>
      ? NamesOf<Arm, Root, "required">
      : never
    : never
  : never;

type WithIdle<Found, Names, Kinds, Around> = [Extract<Names, string>] extends [never]
  ? Found
  : [unknown, Around] extends [Found, []]
    ? unknown
    : Found & PerhapsOf<Kinds, Extract<Names, string>>;

/** Values of the given kinds; objects may have members with these names. */
type PerhapsOf<Kinds, Names extends string> = Kinds extends keyof Scalars
  ? Scalars[Kinds]
  : Kinds extends "array"
    ? readonly unknown[]
    : { [Name in Names]?: unknown };

/** The type by kind, if the keywords restrict only the kinds. */
type Settled<Found, Kinds> = unknown extends Found
  ? [Kind] extends [Kinds]
    ? unknown
    : Kinds extends keyof Scalars
      ? Scalars[Kinds]
      : Kinds extends "array"
        ? unknown[]
        : Open
  : Found;

type Less = [0, 0, 1, 2, 3, 4, 5, 6, 7];

/** A part of `allOf` without its conditions, which the whole schema handles. */
type Unconditional<Part> = [KeysOf<Conjunct<Part>> & Conditional] extends [never]
  ? Part
  : {
      readonly [Keyword in keyof Part as Exclude<Keyword, Conditional>]: Keyword extends "allOf"
        ? EachUnconditional<Part[Keyword]>
        : Part[Keyword];
    };

type EachUnconditional<Parts> = { readonly [Index in keyof Parts]: Unconditional<Parts[Index]> };

/** The schema and the parts that its `allOf` adds, at every depth. */
type Conjunct<Schema> =
  | Schema
  | (Schema extends { readonly allOf: readonly (infer Part)[] }
      ? Part extends unknown
        ? Conjunct<Part>
        : never
      : never);

type KeysOf<Schema> = Schema extends unknown ? keyof Schema : never;

// Values by their kind

type Typed<
  Schema,
  Root,
  Left extends number,
  Kinds,
  Around extends readonly unknown[],
  Also,
> = Schema extends {
  readonly type: infer Type;
}
  ? Type extends string | readonly string[]
    ? OfKinds<KindOfType<EachOf<Type>> & Kinds, EmptyOf<Kinds>, Schema, Root, Left, Around, Also>
    : unknown
  : [keyof Schema & Structure] extends [never]
    ? unknown
    : OfKinds<Kinds, EmptyOf<Kinds>, Schema, Root, Left, Around, Also>;

/** The type of an object without described members. `Open` is needed only if the value may have another kind. */
type EmptyOf<Kinds> = [Kinds] extends ["object"] ? unknown : Open;

type OfKinds<
  Kinds,
  Empty,
  Schema,
  Root,
  Left extends number,
  Around extends readonly unknown[],
  Also,
> = Kinds extends keyof Scalars
  ? Scalars[Kinds]
  : Kinds extends "object"
    ? ObjectOf<Empty, Schema, Root, Left, Around, Also>
    : Kinds extends "array"
      ? ArrayOf<Schema, Root, Left, number extends Also ? number | string : never>
      : never;

type ObjectOf<Empty, Schema, Root, Left extends number, Around extends readonly unknown[], Also> = Exactly<
  RequiredOf<Schema>,
  {
    [Name in RequiredOf<Schema>]: Name extends keyof PropertiesOf<Schema>
      ? Member<PropertiesOf<Schema>[Name], Name, Root, Left, Also | PatternsIn<Schema>>
      : [Around, keyof Schema & InPlace, IsSigned<Schema>] extends [[], never, true]
        ? OtherMember<Schema, Root, Left>
        : Described<Name, [Schema, ...Around], Root, Left>;
  }
> &
  Exactly<
    Exclude<keyof PropertiesOf<Schema>, RequiredOf<Schema>>,
    {
      [Name in Exclude<keyof PropertiesOf<Schema>, RequiredOf<Schema>>]?:
        Member<PropertiesOf<Schema>[Name], Name, Root, Left, Also | PatternsIn<Schema>> | Inherited<Name>;
    }
  > &
  Conditioned<
    IsSigned<Schema> extends true ? never : ConditionalNames<Schema, Root>,
    Schema,
    Root,
    Left,
    Around,
    Also
  > &
  (string extends Also ? Open : unknown) &
  Others<Empty, Schema, Root, Left, [Around, keyof Schema & InPlace] extends [[], never] ? true : false>;

/** The members, or `unknown` instead of an empty object type, to which numbers would be assignable. */
type Exactly<Names, Members> = [Names] extends [never] ? unknown : Members;

type Member<Property, Name, Root, Left extends number, Also> = Value<
  Property,
  Root,
  Left,
  Kind,
  [],
  Name extends Also ? number | string : never
>;

/** The type of a member that every object inherits, which reading an absent member gives. */
type Inherited<Name> = Name extends keyof globalThis.Object ? globalThis.Object[Name] : never;

type PropertiesOf<Schema> = Schema extends { readonly properties: infer Properties } ? Properties : unknown;

type PropertyNames<Schema> = Schema extends unknown ? keyof PropertiesOf<Schema> : never;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name extends string)[] }
  ? Name
  : never;

/** The type of a member by schemas that all apply. */
type Described<Name, Schemas, Root, Left extends number> = Schemas extends readonly [
  infer First,
  ...infer Others,
]
  ? (Name extends keyof PropertiesOf<First> ? Value<PropertiesOf<First>[Name], Root, Left> : unknown) &
      ([Referred<First, Root>] extends [never]
        ? unknown
        : Left extends 0
          ? unknown
          : Described<Name, [Referred<First, Root>], Root, Less[Left]>) &
      (First extends { readonly allOf: infer Parts } ? Described<Name, Parts, Root, Left> : unknown) &
      Described<Name, Others, Root, Left>
  : unknown;

/** Whether the type of unnamed members applies to all members. */
type IsSigned<Schema> = [keyof PropertiesOf<Schema>] extends [never]
  ? [keyof Schema & ("additionalProperties" | "patternProperties")] extends [never]
    ? false
    : true
  : false;

/** The members that `properties` does not name. */
type Others<Empty, Schema, Root, Left extends number, IsAlone> = [keyof PropertiesOf<Schema>] extends [never]
  ? [keyof Schema & ("additionalProperties" | "patternProperties")] extends [never]
    ? IsAlone extends true
      ? Open
      : Further<Schema> &
          ([RequiredOf<Schema> | ConditionalNames<Schema, Root>] extends [never] ? Empty : unknown)
    : { [name: string]: IsAlone extends true ? OtherMember<Schema, Root, Left> : unknown }
  : Further<Schema>;

type OtherMember<Schema, Root, Left extends number> =
  | (Schema extends { readonly patternProperties: infer Patterns }
      ? Value<Patterns[keyof Patterns], Root, Left>
      : never)
  | (Schema extends { readonly additionalProperties: infer Each }
      ? [Each] extends [false]
        ? never
        : Value<Each, Root, Left>
      : unknown);

/** `Open`, if keywords describe members without naming them. */
type Further<Schema> = [OthersIn<Schema>] extends [never] ? unknown : Open;

/** `string`, if patterns may describe named members as well. */
type PatternsIn<Schema> = Schema extends { readonly patternProperties: unknown } ? string : never;

/** `string`, if keywords describe members without naming them. */
type OthersIn<Schema> =
  | PatternsIn<Schema>
  | (Schema extends { readonly additionalProperties: infer Each }
      ? [Each] extends [false]
        ? never
        : string
      : never)
  | (Schema extends { readonly unevaluatedProperties: infer Each }
      ? [Each] extends [false]
        ? never
        : string
      : never);

// Conditions

/** Schemas that apply only to some values: in conditions and dependencies. */
type BranchOf<Schema> = OwnBranch<Conjunct<Schema>>;

type OwnBranch<Schema> =
  | (Schema extends { readonly if: unknown; readonly then: infer Then } ? Then : never)
  | (Schema extends { readonly if: unknown; readonly else: infer Else } ? Else : never)
  | (Schema extends { readonly dependentSchemas: infer Each } ? Each[keyof Each] : never)
  | (Schema extends { readonly dependencies: infer Each }
      ? Exclude<Each[keyof Each], readonly string[]>
      : never);

type TestOf<Schema> = Schema extends { readonly if: infer Test } ? Test : never;

/** The members that only conditions and dependencies name. */
type ConditionalNames<Schema, Root> = [KeysOf<Conjunct<Schema>> & Conditional] extends [never]
  ? never
  : Exclude<
      | Extract<NamesOf<BranchOf<Schema> | TestOf<Conjunct<Schema>>, Root, "required">, string>
      | DependentNames<Conjunct<Schema>>,
      PropertyNames<Conjunct<Schema>> | RequiredOf<Conjunct<Schema>>
    >;

type Conditioned<Names, Schema, Root, Left extends number, Around, Also> = [Names] extends [never]
  ? unknown
  : string extends Names
    ? Open
    : {
        [Name in Names & string]?: Name extends Loosened<Schema, Root, Around, Also>
          ? unknown
          : Alternative<BranchOf<Schema>, Name, Root, Left> | Inherited<Name>;
      };

/**
 * Names of members whose types in conditions do not count, because other schemas may describe them if the conditions do
 * not apply.
 */
type Loosened<Schema, Root, Around, Also> =
  | (Around extends readonly [] ? (string extends Also ? string : never) : string)
  | OthersIn<Conjunct<Schema>>
  | NamesOf<Referred<Conjunct<Schema>, Root> | UnionArm<Conjunct<Schema>>, Root>
  | PerhapsNames<BranchOf<Schema>, Root, 8>
  | Untold<Conjunct<Schema>, Root>;

/** Names that an `if` describes but its `then` does not. */
type Untold<Schema, Root> = Schema extends { readonly if: infer Test }
  ? Exclude<NamesOf<Test, Root>, Schema extends { readonly then: infer Then } ? NamesOf<Then, Root> : never>
  : never;

/**
 * The type of a member by the branches that name it; `unknown` if a branch names it without a schema, or if no branch
 * names it.
 */
type Alternative<Branch, Name, Root, Left extends number> = [NamingBranch<Branch, Name, Root>] extends [never]
  ? unknown
  : DescribedByEach<NamingBranch<Branch, Name, Root>, Name, Root, Left>;

type DescribedByEach<Branch, Name, Root, Left extends number> = Branch extends unknown
  ? Described<Name, [Branch], Root, Left>
  : never;

type NamingBranch<Branch, Name, Root> = Branch extends unknown
  ? Name extends NamesOf<Branch, Root, "required">
    ? Branch
    : never
  : never;

type DependentNames<Schema> =
  | (Schema extends { readonly dependentRequired: infer Each } ? NamesIn<Each[keyof Each]> : never)
  | (Schema extends { readonly dependencies: infer Each } ? NamesIn<Each[keyof Each]> : never);

type NamesIn<List> = List extends readonly (infer Name extends string)[] ? Name : never;

// The names of members

/**
 * The names of all members that schemas describe, also in arms, in conditions and behind references. Includes `string`
 * if they describe members without naming them, and `number` if they describe items.
 *
 * @param With "required" adds names that only `required` contains
 */
type NamesOf<Schema, Root, With = never, Left extends number = 8> = unknown extends Schema
  ? number | string
  : Schema extends object
    ? IsForeign<Schema, Root> extends true
      ? number | string
      : | Extract<keyof PropertiesOf<Schema>, string>
        | OthersIn<Schema>
        | ([keyof Schema & ("items" | "prefixItems")] extends [never] ? never : number)
        | ("required" extends With ? RequiredOf<Schema> : never)
        | NamesInside<Inside<Schema, Root>, Root, With, Left>
    : never;

type NamesInside<Inner, Root, With, Left extends number> = [Inner] extends [never]
  ? never
  : Left extends 0
    ? number | string
    : NamesOf<Inner, Root, With, Less[Left]>;

/** Subschemas that may apply to the same value. */
type Inside<Schema, Root> =
  Referred<Schema, Root> | PartOf<Schema> | UnionArm<Schema> | OwnBranch<Schema> | TestOf<Schema>;

type PartOf<Schema> = Schema extends { readonly allOf: readonly (infer Part)[] } ? Part : never;

type UnionArm<Schema> =
  | (Schema extends { readonly anyOf: readonly (infer Arm)[] } ? Arm : never)
  | (Schema extends { readonly oneOf: readonly (infer Arm)[] } ? Arm : never);

/** The names of the members that a schema describes only for some values. */
type PerhapsNames<Schema, Root, Left extends number> = unknown extends Schema
  ? number | string
  : Schema extends object
    ? IsForeign<Schema, Root> extends true
      ? number | string
      : | NamesOf<OwnBranch<Schema> | TestOf<Schema> | UnionArm<Schema>, Root>
        | OthersIn<Schema>
        | PerhapsInside<PartOf<Schema> | Referred<Schema, Root>, Root, Left>
    : never;

type PerhapsInside<Inner, Root, Left extends number> = [Inner] extends [never]
  ? never
  : Left extends 0
    ? number | string
    : PerhapsNames<Inner, Root, Less[Left]>;

type BranchNames<Schema, Root> = NamesOf<BranchOf<Schema> | TestOf<Conjunct<Schema>>, Root>;
type ArmNames<Schema, Root> = NamesOf<UnionArm<Schema>, Root>;
type PartNames<Schema, Root> = PerhapsNames<PartOf<Schema>, Root, 8>;
type ReferredNames<Schema, Root> = PerhapsNames<Referred<Schema, Root>, Root, 8>;

// Arrays

type ArrayOf<Schema, Root, Left extends number, Also> =
  ListedOf<Schema> extends infer Items extends readonly [unknown, ...unknown[]]
    ? Cut<EachItem<Items, Root, Left, Also>, MostOf<Schema>> extends infer Listed extends readonly unknown[]
      ? TupleOrAny<
          Listed,
          LeastOf<Schema>,
          Listed["length"] extends MostOf<Schema> ? [] : RestItems<RestOf<Schema>, Root, Left, Also>
        >
      : never
    : Schema extends { readonly items: infer Item }
      ? [keyof Schema & "prefixItems", Item extends readonly unknown[] ? true : never] extends [never, never]
        ? Value<Item, Root, Left, Kind, [], Also>[]
        : unknown[]
      : unknown[];

/**
 * The tuple, or `unknown[]` instead of a tuple without typed items, which would hide the literal types of other lists
 * in an intersection.
 */
type TupleOrAny<Listed extends readonly unknown[], Least extends number, Rest extends readonly unknown[]> = [
  Least,
  unknown[],
  TypedItem<Listed>,
] extends [0, Rest, never]
  ? unknown[]
  : Tuple<Listed, Least, Rest>;

type TypedItem<Listed extends readonly unknown[]> = {
  [Index in keyof Listed]: unknown extends Listed[Index] ? never : true;
}[number];

type RestItems<Item, Root, Left extends number, Also> = [Item] extends [false]
  ? []
  : Value<Item, Root, Left, Kind, [], Also>[];

/** The schemas of the first items: `prefixItems`, or the list `items` of dialects before 2020-12. */
type ListedOf<Schema> = Schema extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? Items
  : Schema extends { readonly items: infer Items extends readonly unknown[] }
    ? Items
    : unknown;

/** The schema of the items that are not listed. */
type RestOf<Schema> = Schema extends { readonly items: infer Item }
  ? Item extends readonly unknown[]
    ? Schema extends { readonly additionalItems: infer Each }
      ? Each
      : true
    : Item
  : true;

/** The minimum number of items. */
type LeastOf<Schema> = Schema extends { readonly minItems: infer Least extends number }
  ? number extends Least
    ? 0
    : Least
  : 0;

/** The maximum number of items; -1 if it is unlimited. */
type MostOf<Schema> = Schema extends { readonly maxItems: infer Most extends number }
  ? number extends Most
    ? -1
    : Most
  : -1;

type EachItem<Items extends readonly unknown[], Root, Left extends number, Also> = {
  -readonly [Index in keyof Items]: Value<Items[Index], Root, Less[Left], Kind, [], Also>;
};

/** The first items of a list. */
type Cut<Items, Most, Done extends readonly unknown[] = []> = Done["length"] extends Most
  ? Done
  : Items extends readonly [infer First, ...infer Others]
    ? Cut<Others, Most, [...Done, First]>
    : Done;

/** A list whose first `Least` items are required. */
type Tuple<
  Items extends readonly unknown[],
  Least extends number,
  Rest extends readonly unknown[],
  Done extends readonly unknown[] = [],
> = Items extends readonly [infer First, ...infer Others]
  ? Done["length"] extends Least
    ? [...Done, ...Partial<Items>, ...Rest]
    : Tuple<Others, Least, Rest, [...Done, First]>
  : [...Done, ...Rest];

// References

/** The target of a schema's reference; `unknown` if it cannot be found, `never` if the schema has no reference. */
type Referred<Schema, Root> = Schema extends { readonly $ref: infer Reference }
  ? Target<Reference, Root>
  : Schema extends { readonly $dynamicRef: infer Reference }
    ? Root extends Embedded<unknown>
      ? unknown
      : Target<Reference, Root>
    : never;

type Target<Reference, Root> = string extends Reference
  ? unknown
  : Reference extends "" | "#"
    ? Root
    : Reference extends `#/${infer Path}`
      ? AtPath<Root, Path>
      : Reference extends `#${infer Name}`
        ? Found<Root, Anchored<Name>>
        : Reference extends `${infer Id}#${infer Fragment}`
          ? Root extends { readonly $id: Id }
            ? Target<`#${Fragment}`, Root>
            : unknown
          : Found<DocumentOf<Root>, { readonly $id: Reference }>;

type Anchored<Name extends string> =
  { readonly $anchor: Name } | { readonly $dynamicAnchor: Name } | { readonly $id: `#${Name}` };

/** The schema in a document that has the given identity. */
type Found<Document, Identity> = [Search<Document, Identity>] extends [never]
  ? unknown
  : Search<Document, Identity>;

type Search<Place, Identity> = Place extends Identity
  ? Place
  : Place extends readonly (infer Item)[]
    ? Search<Item, Identity>
    : Place extends object
      ? Search<Place[Exclude<keyof Place, "~document">], Identity>
      : never;

type AtPath<Place, Path extends string> = Path extends `${infer Token}/${infer Rest}`
  ? AtPath<AtToken<Place, Token>, Rest>
  : AtToken<Place, Path>;

type AtToken<Place, Token extends string> =
  Unescaped<Decoded<Token>> extends infer Name ? (Name extends keyof Place ? Place[Name] : unknown) : unknown;

/**
 * The ASCII characters that a fragment cannot contain, and the characters that JSON Pointer escapes, by their encoding.
 */
interface Encoded {
  readonly "20": " ";
  readonly "22": '"';
  readonly "23": "#";
  readonly "24": "$";
  readonly "25": "%";
  readonly "2F": "/";
  readonly "2f": "/";
  readonly "3C": "<";
  readonly "3c": "<";
  readonly "3E": ">";
  readonly "3e": ">";
  readonly "5B": "[";
  readonly "5b": "[";
  readonly "5C": "\\";
  readonly "5c": "\\";
  readonly "5D": "]";
  readonly "5d": "]";
  readonly "5E": "^";
  readonly "5e": "^";
  readonly "60": "`";
  readonly "7B": "{";
  readonly "7b": "{";
  readonly "7C": "|";
  readonly "7c": "|";
  readonly "7D": "}";
  readonly "7d": "}";
  readonly "7E": "~";
  readonly "7e": "~";
}

type Decoded<Token extends string> = Token extends `${infer Start}%${infer First}${infer Second}${infer Rest}`
  ? `${First}${Second}` extends infer Code extends keyof Encoded
    ? `${Start}${Encoded[Code]}${Decoded<Rest>}`
    : Token
  : Token;

/** A token of a JSON Pointer without escapes (RFC 6901, section 4). */
type Unescaped<Token extends string> = Token extends `${infer Start}~1${infer Rest}`
  ? `${Unescaped<Start>}/${Unescaped<Rest>}`
  : Token extends `${infer Start}~0${infer Rest}`
    ? `${Start}~${Unescaped<Rest>}`
    : Token;

// Identities and dialects

/** Whether a schema inside a document has its own identity, to which the references inside it are relative. */
type IsForeign<Schema, Root> = Schema extends { readonly $id: infer Id extends string }
  ? Id extends `#${string}`
    ? false
    : Root extends { readonly $id: Id }
      ? false
      : true
  : false;

/** Whether the dialect ignores keywords beside `$ref`, like all dialects before 2019-09. */
type IsOld<Schema> = Schema extends { readonly $schema: infer Dialect }
  ? Dialect extends `${string}//json-schema.org/draft-0${string}`
    ? true
    : false
  : string extends keyof Schema
    ? false
    : "definitions" extends keyof Schema
      ? true
      : false;

/** A schema of an old dialect without the keywords that the dialect ignores. */
type Current<Schema> = Schema extends readonly unknown[]
  ? { readonly [Index in keyof Schema]: Current<Schema[Index]> }
  : Schema extends { readonly $ref: string }
    ? { readonly [Keyword in keyof Schema & ("$defs" | "$ref" | "definitions")]: Current<Schema[Keyword]> }
    : Schema extends object
      ? { readonly [Keyword in keyof Schema]: Current<Schema[Keyword]> }
      : Schema;
