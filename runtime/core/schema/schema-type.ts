import type { FromJsonSchema } from "./json-schema-type.js";
import type { JsonSchema } from "./json-schema.js";
import type { StandardSchema } from "./standard-schema.js";

/** A schema as authors of tools and prompts give it: JSON Schema, or of a library that implements Standard JSON Schema. */
export type ToolSchema = JsonSchema | StandardSchema;

/** What a schema takes: what handlers write where it describes a result. */
export type InputOf<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly input: infer Input } | undefined };
}
  ? Input
  : FromJsonSchema<Schema>;

/** What a schema makes of what it takes: what handlers get where it describes arguments. */
export type OutputOf<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : FromJsonSchema<Schema>;

declare const inferred: unique symbol;

/** In the place of a type argument that is not written: the type follows from the schema. */
export interface Inferred {
  readonly [inferred]: true;
}
