/** What a keyword's value is made of; decides how canonicalising and reading walk into it. */
export type KeywordShape =
  /** a subschema */
  | "schema"
  /** an object whose values are subschemas */
  | "schemaMap"
  /** an array of subschemas whose order means nothing */
  | "schemaSet"
  /** an array of subschemas whose order means something */
  | "schemaList"
  /** an array of values whose order means nothing */
  | "valueSet"
  /** an object whose values are arrays of strings whose order means nothing */
  | "stringSetMap"
  /** any other value, kept as it is */
  | "value";

export interface Keyword {
  readonly shape: KeywordShape;
  /** Says nothing about which instances are valid. */
  readonly annotation?: true;
  /** Prose for people: dropped on import without descriptions. */
  readonly prose?: true;
}

/** Every keyword of JSON Schema 2020-12 (core, applicator, unevaluated, validation, metadata, format, content). */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["$schema", { shape: "value", annotation: true }],
  ["$id", { shape: "value", annotation: true }],
  ["$anchor", { shape: "value" }],
  ["$dynamicAnchor", { shape: "value" }],
  ["$ref", { shape: "value" }],
  ["$dynamicRef", { shape: "value" }],
  ["$vocabulary", { shape: "value" }],
  ["$comment", { shape: "value", annotation: true, prose: true }],
  ["$defs", { shape: "schemaMap", annotation: true }],
  ["allOf", { shape: "schemaSet" }],
  ["anyOf", { shape: "schemaSet" }],
  ["oneOf", { shape: "schemaSet" }],
  ["not", { shape: "schema" }],
  ["if", { shape: "schema" }],
  ["then", { shape: "schema" }],
  ["else", { shape: "schema" }],
  ["dependentSchemas", { shape: "schemaMap" }],
  ["prefixItems", { shape: "schemaList" }],
  ["items", { shape: "schema" }],
  ["contains", { shape: "schema" }],
  ["properties", { shape: "schemaMap" }],
  ["patternProperties", { shape: "schemaMap" }],
  ["additionalProperties", { shape: "schema" }],
  ["propertyNames", { shape: "schema" }],
  ["unevaluatedItems", { shape: "schema" }],
  ["unevaluatedProperties", { shape: "schema" }],
  ["type", { shape: "valueSet" }],
  ["const", { shape: "value" }],
  ["enum", { shape: "valueSet" }],
  ["multipleOf", { shape: "value" }],
  ["maximum", { shape: "value" }],
  ["exclusiveMaximum", { shape: "value" }],
  ["minimum", { shape: "value" }],
  ["exclusiveMinimum", { shape: "value" }],
  ["maxLength", { shape: "value" }],
  ["minLength", { shape: "value" }],
  ["pattern", { shape: "value" }],
  ["maxItems", { shape: "value" }],
  ["minItems", { shape: "value" }],
  ["uniqueItems", { shape: "value" }],
  ["maxContains", { shape: "value" }],
  ["minContains", { shape: "value" }],
  ["maxProperties", { shape: "value" }],
  ["minProperties", { shape: "value" }],
  ["required", { shape: "valueSet" }],
  ["dependentRequired", { shape: "stringSetMap" }],
  ["title", { shape: "value", annotation: true, prose: true }],
  ["description", { shape: "value", annotation: true, prose: true }],
  ["markdownDescription", { shape: "value", annotation: true, prose: true }],
  ["default", { shape: "value", annotation: true }],
  ["deprecated", { shape: "value", annotation: true }],
  ["readOnly", { shape: "value", annotation: true }],
  ["writeOnly", { shape: "value", annotation: true }],
  ["examples", { shape: "value", annotation: true }],
  ["format", { shape: "value", annotation: true }],
  ["contentEncoding", { shape: "value", annotation: true }],
  ["contentMediaType", { shape: "value", annotation: true }],
  ["contentSchema", { shape: "schema", annotation: true }],
]);
