import type { FromJsonSchema } from "./json-schema-type.js";
import type { JsonSchema } from "./json-schema.js";
import type { StandardSchema } from "./standard-schema.js";

/** The schema of a tool or prompt: JSON Schema, or a schema of a library that implements Standard JSON Schema. */
export type ToolSchema = JsonSchema | StandardSchema;

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
