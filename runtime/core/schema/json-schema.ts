/** A JSON Schema as an object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
