import type { CallToolResult, Tool } from "@mcpgen/protocol/authoring";
import type { Parse, Checked } from "../server/tools.js";
import { McpError, messageOf } from "../peer/errors.js";
import { invalidResult } from "./decode.js";

/** Checks of structured content against what tools promise (2025-06-18 on, tools, output schema). */
export class OutputChecks {
  private readonly schemas = new Map<string, object>();
  private readonly checks = new Map<string, Parse>();
  private readonly warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.warn = warn;
  }

  /** The server may be another now, and promise otherwise. */
  forget(): void {
    this.schemas.clear();
    this.checks.clear();
  }

  learn(tools: readonly Tool[]): void {
    for (const { name, outputSchema } of tools) {
      this.checks.delete(name);
      if (outputSchema) this.schemas.set(name, outputSchema);
      else this.schemas.delete(name);
    }
  }

  /**
   * A schema that cannot be read is warned of once and not checked: the tool has run, and its result is there.
   * One of another dialect must be an error (2025-11-25, basic, JSON Schema usage); it carries the result.
   *
   * @throws {McpError} `invalid-result`, or `invalid-definition` whose data are `{ result }`
   */
  async check(name: string, result: CallToolResult): Promise<void> {
    const schema = this.schemas.get(name);
    if (!schema || result.isError === true) return;
    let problem: Checked;
    try {
      problem = await (await this.checkOf(name, schema))(result.structuredContent);
    } catch (error) {
      if (isOfOtherDialect(error))
        throw new McpError("invalid-definition", error.message, { data: { result }, cause: error });
      this.checks.set(name, unchecked);
      this.warn(`structuredContent of ${name} is not checked: ${messageOf(error)}`);
    }
    if (typeof problem === "string")
      throw invalidResult("tools/call", `structuredContent of ${name}: ${problem}`);
  }

  private async checkOf(name: string, schema: object): Promise<Parse> {
    const known = this.checks.get(name);
    if (known) return known;
    // The interpreter is loaded by who has a use for it.
    const { schemaCheck } = await import("../schema/schema-check.js");
    const { check } = schemaCheck(schema as never, `tool ${JSON.stringify(name)}: outputSchema`, "output");
    this.checks.set(name, check);
    return check;
  }
}

const unchecked: Parse = () => undefined;

function isOfOtherDialect(error: unknown): error is McpError {
  const cause =
    error instanceof McpError ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return cause?.code === "unsupported-dialect";
}
