import { type McpError, type Params, type RequestId, isObject } from "@mcpgen/base";
import type { FromJsonSchema } from "@mcpgen/engine/interpreter";
import type { Judge } from "@mcpgen/protocol/model";

/** A JSON Schema as an object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The interfaces Standard Schema and Standard JSON Schema (standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: JsonSchemaOptions) => JsonSchema;
      readonly output: (options: JsonSchemaOptions) => JsonSchema;
    };
  };
}

/** A schema of a library that can write it as JSON Schema. */
export interface StandardJsonSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchema<Input, Output>["~standard"] &
    Required<Pick<StandardSchema["~standard"], "jsonSchema">>;
}

interface JsonSchemaOptions {
  readonly target: "draft-2020-12";
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

export interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
}

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A function that judges values, and may have a validator. */
interface Judging {
  /** A value that it takes is right as it is, and needs no more than this. */
  readonly judge?: Judge;
}

/** Explains in a few lines why a value is wrong; `undefined` if it is right. */
export interface Check extends Judging {
  (value: unknown): string | undefined | Promise<string | undefined>;
}

/** A check that may return a value to use in place of the checked one. */
export interface Parse extends Judging {
  (value: unknown, request?: PreparingRequest): Checked | Promise<Checked>;
}

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
 * Parses params or a result. The schema does not see the members that the protocol adds: `_meta` and `resultType`.
 *
 * @param wrong the error for a value that the schema refuses
 * @returns the new value if the schema makes one, or `value`
 */
export async function parsed(
  parse: Parse,
  value: Params,
  wrong: (problem: string) => McpError,
): Promise<unknown> {
  const found = await parse(withoutEnvelope(value));
  if (typeof found === "string") throw wrong(found);
  return found ? found.value : value;
}

/** The same for a result that must be an object. It keeps its `_meta`. */
export async function parsedResult(
  parse: Parse,
  value: Params,
  wrong: (problem: string) => McpError,
): Promise<Params> {
  const result = await parsed(parse, value, wrong);
  if (!isObject(result)) throw wrong("expected an object");
  return result === value || value._meta === undefined ? result : { ...result, _meta: value._meta };
}

function withoutEnvelope(value: Params): Params {
  if (!isObject(value)) return value;
  const { _meta, resultType, ...own } = value;
  return _meta === undefined && resultType === undefined ? value : (own as Params);
}
