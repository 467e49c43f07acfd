import type { JsonObject, PatternBudget, Schema } from "@mcpgen/engine/interpreter";
import type { Open } from "@mcpgen/protocol/open";
import { BoundedMap, McpError, messageOf, type Params, weightOf } from "@mcpgen/base";
import { type ParamHeader, paramHeadersOf } from "../protocol/param-headers.js";
import type { Checked, Parse } from "../schema/schema-type.js";
import { type Rejected, invalidResult } from "./decode.js";

/**
 * Approximate maximum of bytes of all tools. The tools used least recently are dropped, and their results are not
 * checked.
 */
const maxBytes = 64 * 1_048_576;

/** The headers of one call, and the arguments that they repeat. */
export interface DeclaredHeaders {
  readonly headers: readonly ParamHeader[];
  readonly args: unknown;
}

/** The facts about a tool that the client keeps. */
interface KnownTool {
  /** Headers that repeat arguments. */
  readonly headers?: readonly ParamHeader[] | undefined;
  /** Whether its hints allow it to be called twice. */
  readonly isRepeatable: boolean;
  readonly outputSchema: object | undefined;
  /** Made when the first result is checked. */
  check?: Parse;
}

/**
 * The tools that the server has listed: their headers (2026-07-28, Streamable HTTP, custom headers), hints, and output schemas,
 * by which structured content is checked (2025-06-18 on, tools, output schema).
 */
export class ListedTools {
  #tools!: BoundedMap<string, KnownTool>;
  /** Names of tools that are missing in a list that may leave tools out. */
  #leftOut!: BoundedMap<string, true>;
  readonly #warn: (message: string) => void;
  /**
   * The work allowed for the patterns of all schemas. One budget for the client's lifetime: a server may list many tools,
   * and other tools in each list.
   */
  #patternBudget: PatternBudget | undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
    this.forget();
  }

  /** Another server may have other tools with these names. */
  forget(): void {
    this.#tools = new BoundedMap({ count: 10_000, bytes: maxBytes, full: "evict" });
    this.forgetLeftOut();
  }

  /** The server's tools have changed. */
  forgetLeftOut(): void {
    this.#leftOut = new BoundedMap({ count: 10_000, bytes: maxBytes / 4, full: "evict" });
  }

  /**
   * Keeps listed tools.
   *
   * @param hasHeaders whether calls repeat arguments in headers: tools with invalid declarations are then rejected
   */
  learn(
    tools: readonly Open<"Tool">[],
    hasHeaders: boolean,
  ): { tools: readonly Open<"Tool">[]; rejected: readonly Rejected[] } {
    const rejected: Rejected[] = [];
    const usable = tools.filter(({ name, annotations, inputSchema, outputSchema }, index) => {
      const { headers, problem } = hasHeaders ? paramHeadersOf(inputSchema) : noHeaders;
      const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
      const bytes = weightOf([name, headers, outputSchema], maxBytes);
      this.#tools.delete(name);
      const declared = problem === undefined ? headers : undefined;
      this.#tools.set(name, { headers: declared, isRepeatable, outputSchema }, { bytes });
      if (problem !== undefined) rejected.push({ index, name, pointer: "/inputSchema", reason: problem });
      return problem === undefined;
    });
    return { tools: usable, rejected };
  }

  /** @param call the parameters of the call, in the authoring vocabulary, in which the tools were learned */
  headersOf({ name, arguments: args }: Params): DeclaredHeaders | undefined {
    const headers = this.#tools.get(name as string)?.headers;
    return headers && { headers, args };
  }

  /** Whether a tool's hint (`readOnlyHint` or `idempotentHint`) allows it to be called twice. */
  isRepeatable(name: string): boolean {
    return this.#tools.get(name)?.isRepeatable === true;
  }

  /** Whether the list was read and does not contain this tool. */
  isLeftOut(name: string): boolean {
    return this.#leftOut.get(name) === true;
  }

  setLeftOut(name: string): void {
    this.#leftOut.set(name, true, { bytes: weightOf(name, maxBytes) });
  }

  /**
   * Checks a result. Returns a promise only if the tool has a schema. A part of a schema that cannot be read causes one
   * warning and is not checked, because the tool has already run. A schema of another dialect is an error (2025-11-25, basic, JSON Schema
   * usage) that carries the result.
   *
   * @throws {McpError} `invalid-result` or `invalid-definition`, whose data are `{ result }`
   */
  check(name: string, result: Open<"CallToolResult">): Promise<void> | undefined {
    const tool = this.#tools.get(name);
    return tool?.outputSchema && result.isError !== true ? this.#checkBy(tool, name, result) : undefined;
  }

  async #checkBy(tool: KnownTool, name: string, result: Open<"CallToolResult">): Promise<void> {
    let problem: Checked;
    try {
      tool.check ??= await this.#checkOf(name, tool.outputSchema!);
      problem = await tool.check(result.structuredContent);
    } catch (error) {
      if (isOfOtherDialect(error))
        throw new McpError("invalid-definition", error.message, { data: { result }, cause: error });
      tool.check = unchecked;
      this.#warn(`structuredContent of ${name} is not checked: ${messageOf(error)}`);
    }
    if (typeof problem === "string")
      throw invalidResult("tools/call", `structuredContent of ${name}: ${problem}`, undefined, { result });
  }

  async #checkOf(name: string, schema: object): Promise<Parse> {
    // Loads the interpreter on first use.
    const [{ schemaCheck }, engine] = await Promise.all([
      import("../schema/schema-check.js"),
      import("@mcpgen/engine/interpreter"),
    ]);
    this.#patternBudget ??= new engine.PatternBudget();
    const place = `tool ${JSON.stringify(name)}: outputSchema`;
    const patternBudget = this.#patternBudget;
    const checkBy = (read: object): Parse =>
      schemaCheck(read as never, place, "output", undefined, patternBudget).check;
    try {
      return checkBy(schema);
    } catch (error) {
      if (!(error instanceof McpError && error.cause instanceof engine.SchemaError)) throw error;
      const read = (document: JsonObject): Schema => engine.readDocument(document, { patternBudget });
      const { schema: readable, document, parts } = engine.readableSchema(schema as JsonObject, read);
      if (!readable) throw error;
      for (const { pointer, error } of parts)
        this.#warn(`structuredContent of ${name} is not checked by ${place}${pointer}: ${error.message}`);
      return checkBy(document);
    }
  }
}

const noHeaders: Partial<ReturnType<typeof paramHeadersOf>> = {};

const unchecked: Parse = () => undefined;

function isOfOtherDialect(error: unknown): error is McpError {
  const cause =
    error instanceof McpError ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return cause?.code === "unsupported-dialect";
}
