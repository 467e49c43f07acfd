/** The dialects that can be read. Draft-06 is read as draft-07, which only adds to it. */
export type Dialect = "2020-12" | "2019-09" | "draft-07" | "draft-04";

/** The structure of a keyword's value, which decides how canonicalising and reading walk into it. */
export type KeywordShape =
  /** a subschema */
  | "schema"
  /** an object whose values are subschemas */
  | "schemaMap"
  /** an array of subschemas whose order does not matter */
  | "schemaSet"
  /** an array of subschemas whose order matters */
  | "schemaList"
  /** an array of values whose order does not matter */
  | "valueSet"
  /** an object whose values are arrays of strings whose order does not matter */
  | "stringSetMap"
  /** any other value, kept unchanged */
  | "value";

export interface Keyword {
  readonly shape: KeywordShape;
  /** The vocabulary of 2020-12 that contains it (core, section 8; validation, sections 6 to 9); `format` is in two. */
  readonly vocabulary:
    "core" | "applicator" | "unevaluated" | "validation" | "meta-data" | "format-annotation" | "content";
  /** The oldest dialect that has it, or whose documents use it nevertheless. */
  readonly since: Dialect;
  /**
   * The type whose values the keyword limits; absent if it is not a limit. The keyword's value is a number, a text or
   * `true`.
   */
  readonly of?: "number" | "string" | "array" | "object";
  /** Whether it identifies or references a place. Bundling removes such keywords, so nodes do not have them. */
  readonly resolved?: true;
  /** Whether it does not affect the validity of instances. */
  readonly annotation?: true;
  /** Whether its value is prose, which an import without descriptions drops. */
  readonly prose?: true;
}

/**
 * Every keyword of JSON Schema 2020-12 (core, applicator, unevaluated, validation, metadata, format, content), and
 * `markdownDescription`, which editors show. Keywords of later drafts also get a row. Our own keywords begin with `x-`;
 * the module that uses one reads it, and it has no row. CONTRIBUTING.md, "A keyword", lists the places that a new row
 * needs. Reports print limits in the order of the rows.
 */
const rows = {
  $schema: { shape: "value", vocabulary: "core", since: "draft-04", annotation: true },
  $id: { shape: "value", vocabulary: "core", since: "draft-07", annotation: true },
  $anchor: { shape: "value", vocabulary: "core", since: "2019-09", resolved: true },
  $dynamicAnchor: { shape: "value", vocabulary: "core", since: "2020-12", resolved: true },
  $ref: { shape: "value", vocabulary: "core", since: "draft-04" },
  $dynamicRef: { shape: "value", vocabulary: "core", since: "2020-12", resolved: true },
  $vocabulary: { shape: "value", vocabulary: "core", since: "2019-09", resolved: true },
  $comment: { shape: "value", vocabulary: "core", since: "draft-04", annotation: true, prose: true },
  $defs: { shape: "schemaMap", vocabulary: "core", since: "draft-04", annotation: true },
  allOf: { shape: "schemaSet", vocabulary: "applicator", since: "draft-04" },
  anyOf: { shape: "schemaSet", vocabulary: "applicator", since: "draft-04" },
  oneOf: { shape: "schemaSet", vocabulary: "applicator", since: "draft-04" },
  not: { shape: "schema", vocabulary: "applicator", since: "draft-04" },
  if: { shape: "schema", vocabulary: "applicator", since: "draft-07" },
  then: { shape: "schema", vocabulary: "applicator", since: "draft-07" },
  else: { shape: "schema", vocabulary: "applicator", since: "draft-07" },
  dependentSchemas: { shape: "schemaMap", vocabulary: "applicator", since: "2019-09" },
  prefixItems: { shape: "schemaList", vocabulary: "applicator", since: "2020-12" },
  items: { shape: "schema", vocabulary: "applicator", since: "draft-04" },
  contains: { shape: "schema", vocabulary: "applicator", since: "draft-07" },
  properties: { shape: "schemaMap", vocabulary: "applicator", since: "draft-04" },
  patternProperties: { shape: "schemaMap", vocabulary: "applicator", since: "draft-04" },
  additionalProperties: { shape: "schema", vocabulary: "applicator", since: "draft-04" },
  propertyNames: { shape: "schema", vocabulary: "applicator", since: "draft-07" },
  unevaluatedItems: { shape: "schema", vocabulary: "unevaluated", since: "2019-09" },
  unevaluatedProperties: { shape: "schema", vocabulary: "unevaluated", since: "2019-09" },
  type: { shape: "valueSet", vocabulary: "validation", since: "draft-04" },
  const: { shape: "value", vocabulary: "validation", since: "draft-07" },
  enum: { shape: "valueSet", vocabulary: "validation", since: "draft-04" },
  minimum: { shape: "value", vocabulary: "validation", since: "draft-04", of: "number" },
  maximum: { shape: "value", vocabulary: "validation", since: "draft-04", of: "number" },
  exclusiveMinimum: { shape: "value", vocabulary: "validation", since: "draft-04", of: "number" },
  exclusiveMaximum: { shape: "value", vocabulary: "validation", since: "draft-04", of: "number" },
  multipleOf: { shape: "value", vocabulary: "validation", since: "draft-04", of: "number" },
  minLength: { shape: "value", vocabulary: "validation", since: "draft-04", of: "string" },
  maxLength: { shape: "value", vocabulary: "validation", since: "draft-04", of: "string" },
  pattern: { shape: "value", vocabulary: "validation", since: "draft-04", of: "string" },
  format: {
    shape: "value",
    vocabulary: "format-annotation",
    since: "draft-04",
    of: "string",
    annotation: true,
  },
  contentEncoding: {
    shape: "value",
    vocabulary: "content",
    since: "draft-07",
    of: "string",
    annotation: true,
  },
  contentMediaType: {
    shape: "value",
    vocabulary: "content",
    since: "draft-07",
    of: "string",
    annotation: true,
  },
  minItems: { shape: "value", vocabulary: "validation", since: "draft-04", of: "array" },
  maxItems: { shape: "value", vocabulary: "validation", since: "draft-04", of: "array" },
  uniqueItems: { shape: "value", vocabulary: "validation", since: "draft-04", of: "array" },
  minContains: { shape: "value", vocabulary: "validation", since: "2019-09", of: "array" },
  maxContains: { shape: "value", vocabulary: "validation", since: "2019-09", of: "array" },
  minProperties: { shape: "value", vocabulary: "validation", since: "draft-04", of: "object" },
  maxProperties: { shape: "value", vocabulary: "validation", since: "draft-04", of: "object" },
  required: { shape: "valueSet", vocabulary: "validation", since: "draft-04" },
  dependentRequired: { shape: "stringSetMap", vocabulary: "validation", since: "2019-09" },
  title: { shape: "value", vocabulary: "meta-data", since: "draft-04", annotation: true, prose: true },
  description: { shape: "value", vocabulary: "meta-data", since: "draft-04", annotation: true, prose: true },
  markdownDescription: {
    shape: "value",
    vocabulary: "meta-data",
    since: "draft-04",
    annotation: true,
    prose: true,
  },
  default: { shape: "value", vocabulary: "meta-data", since: "draft-04", annotation: true },
  deprecated: { shape: "value", vocabulary: "meta-data", since: "2019-09", annotation: true },
  readOnly: { shape: "value", vocabulary: "meta-data", since: "draft-07", annotation: true },
  writeOnly: { shape: "value", vocabulary: "meta-data", since: "draft-07", annotation: true },
  examples: { shape: "value", vocabulary: "meta-data", since: "draft-07", annotation: true },
  contentSchema: { shape: "schema", vocabulary: "content", since: "2019-09", annotation: true },
} as const satisfies { readonly [name: string]: Keyword };

export type KeywordName = keyof typeof rows;

type NamesWith<Column extends object> = {
  [Name in KeywordName]: (typeof rows)[Name] extends Column ? Name : never;
}[KeywordName];

/** Keywords that bundling removes. */
export type ResolvedKeyword = NamesWith<{ resolved: true }>;

/** Keywords of a node that decide whether a value is valid. */
export type JudgingKeyword = Exclude<KeywordName, NamesWith<{ annotation: true }> | ResolvedKeyword>;

/** Keywords that limit values of one type; annotations that describe texts are among them. */
export type LimitKeyword = NamesWith<{ of: string }>;

export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>(Object.entries(rows));

/** The keywords that limit values of one type. */
export const limitKeywords = namesWhere(({ of }) => of !== undefined) as LimitKeyword[];

/** The keywords of a node that decide whether a value is valid. */
export const judgingKeywords = namesWhere(
  ({ annotation, resolved }) => !annotation && !resolved,
) as JudgingKeyword[];

function namesWhere(is: (keyword: Keyword) => boolean): string[] {
  return [...keywords].filter(([, keyword]) => is(keyword)).map(([name]) => name);
}
