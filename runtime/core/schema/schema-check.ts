import {
  type JsonValue,
  type Schema,
  SchemaError,
  type SchemaNode,
  isValid,
  readDocument,
} from "@mcpgen/engine/interpreter";
import { McpError } from "../peer/errors.js";
import { isObject } from "../peer/message.js";
import { explain } from "./explain.js";

/** A JSON Schema as an object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** What libraries that speak Standard Schema and Standard JSON Schema give; of the value, only this is used. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => JsonSchema;
      readonly output: (options: { readonly target: "draft-2020-12" }) => JsonSchema;
    };
  };
}

interface StandardResult {
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema as authors of tools give it. */
export type ToolSchema = JsonSchema | StandardSchema;

/** A schema on the wire, and the check that goes with it. */
export interface CheckedSchema {
  readonly schema: JsonSchema;
  readonly check: (value: unknown) => string | undefined | Promise<string | undefined>;
}

/**
 * Makes a check of a schema that is known only at run time.
 *
 * @param place what to call the schema in errors
 * @param root the type the schema must allow, and say that it does
 * @throws {McpError} `invalid-definition`: the schema is none, or more than the engine takes
 */
export function schemaCheck(given: ToolSchema, place: string, root?: "object"): CheckedSchema {
  const standard = isStandard(given) ? given["~standard"] : undefined;
  const schema = standard ? standardJsonSchema(standard, place) : (given as JsonSchema);
  if (!isObject(schema)) throw invalid(place, "expected a JSON Schema object");
  if (root !== undefined && schema["type"] !== root)
    throw invalid(place, `expected "type": ${JSON.stringify(root)} at the root, got ${JSON.stringify(schema["type"]) ?? "no type"}`);
  const read = reading(schema, place);
  return { schema, check: standard ? standardCheck(standard) : read };
}

/** @throws {McpError} `invalid-definition` */
function reading(schema: JsonSchema, place: string): (value: unknown) => string | undefined {
  let read: Schema;
  try {
    read = readDocument(schema as JsonValue as { readonly [key: string]: JsonValue });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw invalid(`${place}${error.pointer}`, error.message, error);
  }
  const { root } = read;
  return root === undefined ? () => undefined : (value) => problem(read, root, value);
}

function problem(schema: Schema, root: SchemaNode, value: unknown): string | undefined {
  if (value === undefined) return "it is missing";
  if (isValid(schema, root, value as JsonValue)) return undefined;
  return explain(schema, root, value as JsonValue);
}

function isStandard(schema: ToolSchema): schema is StandardSchema {
  return typeof (schema as Partial<StandardSchema>)["~standard"] === "object";
}

function standardJsonSchema({ jsonSchema, vendor }: StandardSchema["~standard"], place: string): JsonSchema {
  if (!jsonSchema)
    throw invalid(place, `${vendor} does not give JSON Schema here. Use a version that implements Standard JSON Schema, or pass JSON Schema`);
  return jsonSchema.input({ target: "draft-2020-12" });
}

function standardCheck({ validate }: StandardSchema["~standard"]): CheckedSchema["check"] {
  return (value) => {
    const result = validate(value);
    return result instanceof Promise ? result.then(issuesText) : issuesText(result);
  };
}

function issuesText({ issues }: StandardResult): string | undefined {
  if (!issues) return undefined;
  const lines = issues.slice(0, 3).map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  return lines.join("\n");
}

function invalid(place: string, problem: string, cause?: SchemaError): McpError {
  return new McpError("invalid-definition", `${place}: ${problem}.`, { cause });
}
