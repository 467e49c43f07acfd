import type { JsonObject, PatternBudget, Schema } from "@mcpgen/engine/interpreter";
import type { Open } from "@mcpgen/protocol/open";
import type { Parse, Checked } from "../schema/schema-type.js";
import { weightOf } from "../jsonrpc/json-limits.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import { ofListedTools } from "./client-profile.js";
import { invalidResult } from "./decode.js";

/** Most bytes of all schemas, about. The oldest schemas are dropped, and their tools are not checked. */
const maxBytes = 64 * 1_048_576;

interface Promised {
  readonly schema: object;
  /** Made when the first result is checked. */
  check?: Parse;
}

/** Checks structured content against the `outputSchema` of tools (2025-06-18 on, tools, output schema). */
export class OutputChecks {
  #promised = ofListedTools<Promised>(maxBytes);
  readonly #warn: (message: string) => void;
  /**
   * The work allowed for the patterns of all schemas. One budget for the client's lifetime: a server may list many tools,
   * and other tools in each list.
   */
  #patternBudget: PatternBudget | undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Another server may have other schemas. */
  forget(): void {
    this.#promised = ofListedTools(maxBytes);
  }

  learn(tools: readonly Open<"Tool">[]): void {
    for (const { name, outputSchema: schema } of tools) {
      this.#promised.delete(name);
      if (schema) this.#promised.set(name, { schema }, { bytes: name.length + weightOf(schema, maxBytes) });
    }
  }

  /**
   * Checks a result. Returns a promise only if the tool has a schema. A part of a schema that cannot be read causes one
   * warning and is not checked, because the tool has already run. A schema of another dialect is an error (2025-11-25, basic, JSON Schema
   * usage) that carries the result.
   *
   * @throws {McpError} `invalid-result` or `invalid-definition`, whose data are `{ result }`
   */
  check(name: string, result: Open<"CallToolResult">): Promise<void> | undefined {
    const promised = this.#promised.get(name);
    return promised && result.isError !== true ? this.#checkBy(promised, name, result) : undefined;
  }

  async #checkBy(promised: Promised, name: string, result: Open<"CallToolResult">): Promise<void> {
    let problem: Checked;
    try {
      problem = await (promised.check ??= await this.#checkOf(name, promised.schema))(
        result.structuredContent,
      );
    } catch (error) {
      if (isOfOtherDialect(error))
        throw new McpError("invalid-definition", error.message, { data: { result }, cause: error });
      promised.check = unchecked;
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

const unchecked: Parse = () => undefined;

function isOfOtherDialect(error: unknown): error is McpError {
  const cause =
    error instanceof McpError ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return cause?.code === "unsupported-dialect";
}
