import {
  PatternBudget,
  type SchemaError,
  ignoredKeywords,
  pointer,
  readDocument,
  type JsonObject,
  type Schema,
  type UnreadPart,
  readableSchema,
} from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diagnostics/finding.js";
import type { Contract, ContractDocument } from "../contract.js";
import { expectJudgeable } from "./judgeable.js";
import { schemaAdvice } from "./schema-advice.js";

/** A tool's schemas, read without their parts that cannot be read. A schema that cannot be read at all takes any value. */
export interface ToolSchemas {
  readonly tool: string;
  readonly input: Schema;
  readonly output?: Schema;
  readonly unread: readonly UnreadSchema[];
}

/** A part of a tool's schema that nothing can be judged by. */
interface UnreadSchema {
  readonly tool: string;
  readonly part: "inputSchema" | "outputSchema";
  /** What is left out, and where it is in the schema. */
  readonly left: UnreadPart["left"];
  readonly inside: string;
  /** The place of the error in the contract. */
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
  readonly cause: SchemaError;
}

/**
 * The schemas of a contract's tools, whose patterns are judged within the budget of one document. Parts that cannot be
 * read are listed in `unread`; `expectRead` throws for them.
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

/** Keywords of tools' schemas that their dialects do not have, and that seem to ask for something. */
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

/** @throws CodedError MG6005 for schemas that cannot be read */
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

/** Warnings for clients, which can work without: the parts that are left untyped. */
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
