import { Program } from "./interpret/program.js";
import type { Schema, SchemaNode } from "./ir/ir.js";
import type { JsonValue } from "./ir/json.js";

// All that judging by a schema known only at run time takes, in one entry.
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
   * Whether `format` only describes (the default, as JSON Schema 2020-12 has it, unless the schema's own
   * meta-schema asks otherwise) or texts that are not of their format are invalid. Formats that the engine does not
   * know describe in either case.
   */
  readonly formats?: "annotation" | "assertion";
}

// Checks are made once a schema, and forgotten with it.
const annotating = new WeakMap<Schema, Program>();
const asserting = new WeakMap<Schema, Program>();

/**
 * Whether `value` is valid against `node`, by checks made from the IR when they are first needed: for schemas that
 * are known only at run time, and the independent reading that emitted validators are compared with. No code is
 * generated. Values nested to any depth are judged. As in emitted validators, a described member that is
 * `undefined` counts as absent, and numbers that JSON does not have are refused where the schema describes numbers.
 *
 * The time is bounded by the size of the schema times that of the value.
 *
 * @param schema the document that `node`'s references lead into; it must not change afterwards
 * @throws SchemaError for a pattern that no safe matcher exists for, and for more than 400 schemas inside one
 *   another about one value where unevaluated members or items are judged
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
 * A judge of values by a whole schema: by its root, or by one of its definitions.
 *
 * @throws as `isValid`
 */
export function validatorOf(
  schema: Schema,
  options: JudgeOptions & { readonly definition?: string } = {},
): (value: JsonValue) => boolean {
  const { definition } = options;
  const node = definition === undefined ? schema.root : schema.definitions.get(definition)?.node;
  const judged = node ?? { pointer: "" };
  const program = new Program(schema, assertsFormats(schema, options));
  return (value) => program.judge(judged, value);
}

function assertsFormats(schema: Schema, { formats }: JudgeOptions): boolean {
  return formats === undefined ? schema.assertsFormats === true : formats === "assertion";
}
