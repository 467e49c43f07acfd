import { Program } from "./interpret/program.js";
import type { Schema, SchemaNode } from "./ir/ir.js";
import type { JsonValue } from "./ir/json.js";

// One entry for validation by a schema that is known only at run time.
export { readDocument } from "./read/read-document.js";
export { readableSchema } from "./read/readable-schema.js";
export { PatternBudget } from "./patterns/budget.js";
export type { BundleOptions } from "./resources/bundle.js";
export { SchemaError, type SchemaErrorCode } from "./ir/schema-error.js";
export type { Schema, SchemaNode } from "./ir/ir.js";
export type { JsonObject, JsonValue } from "./ir/json.js";
export type { FromJsonSchema } from "./infer/inferred-type.js";

export interface JudgeOptions {
  /**
   * `annotation`: `format` is not checked. `assertion`: a text must match its format, if the engine knows the
   * format. Default: `annotation`, as in JSON Schema 2020-12, unless the meta-schema of the document demands
   * assertion.
   */
  readonly formats?: "annotation" | "assertion";
}

// The checks of each schema are cached as long as the schema lives.
const annotating = new WeakMap<Schema, Program>();
const asserting = new WeakMap<Schema, Program>();

/**
 * Whether `value` is valid against `node`. Makes the checks from the IR when they are first needed, without
 * generating code. It serves schemas that are known only at run time, and tests compare emitted validators with it.
 * Values may be nested to any depth. As in emitted validators, a described member that is `undefined` counts as
 * absent, and NaN and infinities are not numbers.
 *
 * The time is bounded by the size of the schema times the size of the value.
 *
 * @param schema the document that the references of `node` lead into; it must not change afterwards
 * @throws SchemaError for a pattern without a safe matcher, and where `unevaluatedProperties` or `unevaluatedItems`
 *   need more than 400 nested schemas for one value
 */
export function isValid(
  schema: Schema,
  node: SchemaNode,
  value: JsonValue,
  options: JudgeOptions = {},
): boolean {
  const assertFormats = assertsFormats(schema, options);
  const programs = assertFormats ? asserting : annotating;
  let program = programs.get(schema);
  if (!program) programs.set(schema, (program = new Program(schema, assertFormats)));
  return program.judge(node, value);
}

/**
 * Returns the validator of a schema's root, or of one of its definitions. It refuses `undefined`, and makes its checks
 * when it is first called.
 *
 * @throws nothing; the validator throws as `isValid`
 */
export function validatorOf(
  schema: Schema,
  options: JudgeOptions & { readonly definition?: string } = {},
): (value: JsonValue | undefined) => boolean {
  const { definition } = options;
  const node = definition === undefined ? schema.root : schema.definitions.get(definition)?.node;
  const judged = node ?? { pointer: "" };
  let program: Program | undefined;
  return (value) => {
    if (value === undefined) return false;
    program ??= new Program(schema, assertsFormats(schema, options));
    return program.judge(judged, value);
  };
}

function assertsFormats(schema: Schema, { formats }: JudgeOptions): boolean {
  return formats === undefined ? schema.assertsFormats === true : formats === "assertion";
}
