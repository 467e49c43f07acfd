import {
  PatternBudget,
  SchemaError,
  ignoredKeywords,
  pointer,
  readDocument,
  type JsonObject,
  type Schema,
} from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diagnostics/finding.js";
import { closest } from "../../diagnostics/suggest.js";
import type { Contract, ContractDocument } from "../contract.js";
import { expectJudgeable } from "./judgeable.js";

/** A tool's schemas, read. One that cannot be read counts as none: any arguments, any result. */
export interface ToolSchemas {
  readonly tool: string;
  readonly input: Schema;
  readonly output?: Schema;
  /** The schemas that cannot be read. */
  readonly unread: readonly UnreadSchema[];
}

/** A schema of a tool that nothing can be judged by. */
interface UnreadSchema {
  readonly tool: string;
  readonly part: "inputSchema" | "outputSchema";
  /** In the contract. */
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
  readonly cause: SchemaError;
}

/**
 * The schemas of a contract's tools, whose patterns are judged within the budget of one document. A schema that
 * cannot be read is listed in `unread`; `expectRead` throws for it.
 */
export function readToolSchemas({ tools = [] }: Contract): ToolSchemas[] {
  const patternBudget = new PatternBudget();
  return tools.map(({ name: tool, inputSchema, outputSchema }, index) => {
    const unread: UnreadSchema[] = [];
    const settled = (part: UnreadSchema["part"], schema: JsonObject): Schema | undefined => {
      const read = readAt(schema, { index, tool, part }, patternBudget);
      if (!("part" in read)) return read;
      unread.push(read);
      return undefined;
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

/** Warnings for clients, which can work without: the parts that an unreadable schema leaves untyped. */
export function untypedWarning(
  { tool, part, pointer: at, message }: UnreadSchema,
  place: ContractDocument["place"],
): Finding {
  const what = part === "inputSchema" ? "arguments are" : "structured content is";
  return {
    code: "MG6005",
    severity: "warning",
    message: `the tool ${JSON.stringify(tool)}: its ${what} neither typed nor checked: ${message}`,
    place: place(at),
    next: "Correct the schema in the server, and capture it again; `mcpgen explain MG6005` says what is accepted.",
  };
}

function readAt(
  schema: JsonObject,
  { index, tool, part }: Pick<UnreadSchema, "tool" | "part"> & { readonly index: number },
  patternBudget: PatternBudget,
): Schema | UnreadSchema {
  try {
    const read = readDocument(schema, { enums: "written", patternBudget });
    expectJudgeable(read, schema);
    return read;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const wanted = /"([^"]*)"/.exec(error.message)?.[1];
    const meant = wanted === undefined ? undefined : closest(wanted, error.candidates);
    return {
      tool,
      part,
      pointer: pointer("/tools", index, part) + error.pointer,
      message: error.message,
      next:
        meant === undefined
          ? error.code === "remote-reference" && !/^[a-z][a-z0-9+.-]*:/i.test(wanted ?? "")
            ? "Give the folder of the file with --base DIR, or `base` of the contract in the configuration."
            : "Correct the schema; `mcpgen explain MG6005` says what is accepted."
          : `Did you mean ${JSON.stringify(meant)}?`,
      cause: error,
    };
  }
}
