import {
  type JsonObject,
  type JsonValue,
  type Schema,
  type UnreadPart,
  readableSchema,
  atPointer,
  ignoredKeywords,
  isJsonObject,
  keywords,
  PatternBudget,
  pointer,
  pointerTokens,
  readDocument,
  SchemaError,
} from "@mcpgen/engine";
import { type Finding, CodedError } from "../../diagnostics/coded-error.js";
import type { Contract, ContractDocument } from "../contract.js";
import { emitValidators } from "../../targets/typescript/validators/emit.js";
import { mergeSchemas } from "./merge.js";
import { closest } from "../../diagnostics/suggest.js";

/** A tool's schemas without the parts that cannot be read. An unreadable schema allows any value. */
export interface ToolSchemas {
  readonly tool: string;
  readonly input: Schema;
  readonly output?: Schema;
  readonly unread: readonly UnreadSchema[];
}

/** A part of a tool's schema that cannot be used for validation. */
interface UnreadSchema {
  readonly tool: string;
  readonly part: "inputSchema" | "outputSchema";
  /** The omitted part, and its place in the schema. */
  readonly left: UnreadPart["left"];
  readonly inside: string;
  /** The place of the error in the contract. */
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
  readonly cause: SchemaError;
}

/**
 * Reads the schemas of a contract's tools. Their patterns share the analysis budget of one document.
 * Unreadable parts are listed in `unread`; `expectRead` throws for them.
 */
export function readToolSchemas({ tools = [] }: Contract): ToolSchemas[] {
  const patternBudget = new PatternBudget();
  return tools.map(({ name: tool, inputSchema, outputSchema }, index) => {
    const unread: UnreadSchema[] = [];
    const settled = (part: UnreadSchema["part"], written: JsonObject): Schema | undefined => {
      const { schema, parts } = readableSchema(written, (document) => readWhole(document, patternBudget));
      unread.push(...parts.map((each) => unreadSchema(each, written, { index, tool, part })));
      return schema;
    };
    const input = settled("inputSchema", inputSchema) ?? readDocument({ type: "object" });
    const output = outputSchema && settled("outputSchema", outputSchema);
    return { tool, input, ...(output && { output }), unread };
  });
}

/** Warnings for keywords in tool schemas that their dialect does not have but that seem to be intended. */
export function ignoredWarnings(
  { tools = [] }: Contract,
  unread: readonly UnreadSchema[],
  place: ContractDocument["place"],
): Finding[] {
  return tools.flatMap(({ name, inputSchema, outputSchema }, index) =>
    Object.entries({ inputSchema, outputSchema }).flatMap(([part, schema]) => {
      const isRead = !unread.some((each) => each.tool === name && each.part === part);
      if (schema === undefined || !isRead) return [];
      return ignoredKeywords(schema).map(({ pointer: at, keyword, dialect }): Finding => ({
        code: "MG6008",
        severity: "warning",
        message: `the tool ${JSON.stringify(name)}: ${dialect} has no keyword ${JSON.stringify(keyword)}`,
        place: place(pointer("/tools", index, part) + at),
        next: "Remove the keyword, or declare JSON Schema 2020-12 in `$schema`.",
      }));
    }),
  );
}

/** @throws CodedError MG6005 if schemas cannot be read */
export function expectRead(tools: readonly ToolSchemas[], place: ContractDocument["place"]): void {
  const errorOf = (
    { tool, pointer: at, message, next, cause }: UnreadSchema,
    more: readonly CodedError[] = [],
  ): CodedError =>
    new CodedError("MG6005", `the tool ${JSON.stringify(tool)}: ${message}`, {
      place: place(at),
      next,
      cause,
      more,
    });
  const [first, ...others] = tools.flatMap(({ unread }) => unread);
  if (first)
    throw errorOf(
      first,
      others.map((each) => errorOf(each)),
    );
}

/** Warning for clients, which still work: a part without a type. */
export function untypedWarning(
  { tool, part, left, inside, pointer: at, message }: UnreadSchema,
  place: ContractDocument["place"],
): Finding {
  const what = part === "inputSchema" ? "arguments are" : "structured content is";
  const untyped =
    left === "keyword"
      ? `${what} checked without ${inside}`
      : `${what} neither typed nor checked${inside === "" ? "" : ` at ${inside}`}`;
  return {
    code: "MG6005",
    severity: "warning",
    message: `the tool ${JSON.stringify(tool)}: its ${untyped}: ${message}`,
    place: place(at),
    next: "Correct the schema in the server, and capture it again; `mcpgen explain MG6005` says what is accepted.",
  };
}

function readWhole(document: JsonObject, patternBudget: PatternBudget): Schema {
  const read = readDocument(document, { enums: "written", patternBudget });
  expectJudgeable(read, document);
  return read;
}

function unreadSchema(
  { left, pointer: inside, error }: UnreadPart,
  written: JsonObject,
  { index, tool, part }: Pick<UnreadSchema, "tool" | "part"> & { readonly index: number },
): UnreadSchema {
  return {
    ...{ tool, part, left, inside },
    pointer: pointer("/tools", index, part) + error.pointer,
    message: error.message,
    next: schemaAdvice(error, written),
    cause: error,
  };
}

/**
 * Checks whether validators can be printed for a schema. Only keywords about unevaluated parts can make them
 * too large, so other schemas are not tried.
 *
 * @param written the document that `schema` was read from
 * @throws SchemaError for the schema as a whole
 */
function expectJudgeable(schema: Schema, written: JsonObject): void {
  if (!JSON.stringify(written).includes('"unevaluated')) return;
  try {
    emitValidators({
      ...{ origin: "", folder: "", importExtension: "js", render: () => "" },
      schema: mergeSchemas(new Map([["Value", schema]])),
      ...{ formats: "annotation", judgesOnly: true },
    });
  } catch (error) {
    // The error's pointer refers to the printed schema, so the error is reported for the whole.
    if (error instanceof SchemaError) throw new SchemaError(error.code, "", error.message);
    throw error;
  }
}

/** Type names of other languages and older drafts, with their JSON Schema equivalents. */
const otherTypes: { readonly [name: string]: string } = {
  any: "Remove `type`: a schema without it accepts every value.",
  bool: 'Write "boolean".',
  date: 'Write "string", with `format: "date"`.',
  datetime: 'Write "string", with `format: "date-time"`.',
  dict: 'Write "object".',
  double: 'Write "number".',
  file: 'Write "string", with `contentEncoding: "base64"`.',
  float: 'Write "number".',
  int: 'Write "integer".',
  list: 'Write "array".',
  long: 'Write "integer".',
  map: 'Write "object".',
  none: 'Write "null".',
  str: 'Write "string".',
  tuple: 'Write "array".',
  undefined: "Leave the member out of `required`: JSON has no such value.",
  unknown: "Remove `type`: a schema without it accepts every value.",
};

/** Advice for replacing a part that cannot be read. */
function schemaAdvice(error: SchemaError, schema: JsonObject): string {
  const tokens = pointerTokens(error.pointer);
  const value = error.document === undefined ? atPointer(schema, error.pointer) : undefined;
  const advice =
    value === undefined
      ? undefined
      : error.code === "not-a-schema"
        ? forPlace(value, tokens)
        : error.code === "malformed-keyword"
          ? forKeyword(value, tokens, schema)
          : undefined;
  if (advice !== undefined) return advice;
  const wanted = /"([^"]*)"/.exec(error.message)?.[1];
  const meant = wanted === undefined ? undefined : closest(wanted, error.candidates);
  if (meant !== undefined) return `Did you mean ${JSON.stringify(meant)}?`;
  if (error.code === "unresolved-reference")
    return "Add the schema that it refers to under `$defs`, or remove the reference.";
  if (error.code === "remote-reference" && !/^[a-z][a-z0-9+.-]*:/i.test(wanted ?? ""))
    return "Give the folder of the file with --base DIR, or `base` of the contract in the configuration.";
  return "Correct the schema; `mcpgen explain MG6005` says what is accepted.";
}

/** Advice for a value in a place that must have a schema. */
function forPlace(value: JsonValue, tokens: readonly string[]): string {
  if (Array.isArray(value) && tokens.at(-1) === "items")
    return "Write `prefixItems` for a list of schemas, or name draft-07 in `$schema`.";
  if (typeof value === "string" && isType(value)) return `Write { "type": ${JSON.stringify(value)} }.`;
  return "Write a schema, {} for any value, or remove it.";
}

function forKeyword(value: JsonValue, tokens: readonly string[], schema: JsonObject): string | undefined {
  const index = tokens.findLastIndex((token) => keywords.has(token) || token === "definitions");
  const keyword = tokens[index]!;
  const around = tokens.slice(0, index);
  if (value === null && index === tokens.length - 1) return `Remove \`${keyword}\`: null says nothing.`;
  if (keyword === "type" && typeof value === "string")
    return Object.hasOwn(otherTypes, value.toLowerCase()) ? otherTypes[value.toLowerCase()] : undefined;
  if (keyword === "required") return forRequired(value, around);
  if (keyword === "enum") return `Write a list: ${isJsonObject(value) ? "[ … ]" : JSON.stringify([value])}.`;
  if (keyword.startsWith("exclusive") && typeof value === "boolean")
    return forExclusive(keyword, around, schema);
  if (typeof value === "string" && isWrittenScalar(value)) return `Write ${value.trim()}, without quotes.`;
  const shape = keywords.get(keyword)?.shape;
  const isMap = shape === "schemaMap" || shape === "stringSetMap" || keyword === "definitions";
  if (isMap && !isJsonObject(value)) return `Write an object: "${keyword}": {}.`;
  if (["schemaSet", "schemaList"].includes(shape ?? ""))
    return isJsonObject(value)
      ? `Write a list: "${keyword}": [{ … }].`
      : `Write schemas in it, or remove it.`;
  if (["title", "description", "format", "pattern"].includes(keyword) && typeof value !== "string")
    return "Write a text in quotes, or remove it.";
  return undefined;
}

/** Advice for `required` in a member, as in draft-03. */
function forRequired(value: JsonValue, around: readonly string[]): string | undefined {
  const member = around.at(-2) === "properties" ? around.at(-1) : undefined;
  if (value === false) return "Remove it: members are optional unless `required` of the object lists them.";
  if (value === true)
    return `Write the name in \`required\` of the object around it${member === undefined ? "" : `: "required": [${JSON.stringify(member)}]`}.`;
  return typeof value === "string" ? `Write a list: "required": [${JSON.stringify(value)}].` : undefined;
}

/** Advice for a boolean `exclusiveMinimum` or `exclusiveMaximum`, as in draft-04. */
function forExclusive(keyword: string, around: readonly string[], schema: JsonObject): string {
  const limit = keyword === "exclusiveMinimum" ? "minimum" : "maximum";
  const holder = atPointer(schema, pointer("", ...around));
  const value = isJsonObject(holder!) ? holder[limit] : undefined;
  return typeof value === "number"
    ? `Write "${keyword}": ${value} in place of \`${limit}\`, or name draft-04 in \`$schema\`.`
    : `Write the limit itself, or remove it.`;
}

function isType(text: string): boolean {
  return ["array", "boolean", "integer", "null", "number", "object", "string"].includes(text);
}

/** Whether a text is a quoted number or boolean. */
function isWrittenScalar(text: string): boolean {
  return /^\s*(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false)\s*$/i.test(text);
}
