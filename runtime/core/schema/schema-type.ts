import type { Params, RequestId } from "../jsonrpc/message.js";
import type { FromJsonSchema } from "./inferred-type.js";
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
