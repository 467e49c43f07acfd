import type { PatternBudget } from "@mcpgen/engine/interpreter";
import type { CallToolResult, Tool } from "@mcpgen/protocol/authoring";
import type { Parse, Checked } from "../schema/check.js";
import { weightOf } from "../jsonrpc/weight.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import { invalidResult } from "./decode.js";

/** Bytes that the schemas take in memory, about; the oldest are dropped, and their tools are not checked. */
const mostBytes = 64 * 1_048_576;

interface Promised {
  readonly schema: object;
  /** That it takes in memory, about. */
  readonly bytes: number;
}

/** Checks of structured content against what tools promise (2025-06-18 on, tools, output schema). */
export class OutputChecks {
  /** The latest last. */
  private readonly schemas = new Map<string, Promised>();
  private readonly checks = new Map<string, Parse>();
  private readonly warn: (message: string) => void;
  private bytes = 0;
  /**
   * The work that may go into judging the patterns of all schemas: a server may have many tools, and name others in
   * each list. It outlasts the server's lists and the connection to it.
   */
  private patternBudget: PatternBudget | undefined;

  constructor(warn: (message: string) => void) {
    this.warn = warn;
  }

  /** The server may be another now, and promise otherwise. */
  forget(): void {
    this.schemas.clear();
    this.checks.clear();
    this.bytes = 0;
  }

  learn(tools: readonly Tool[]): void {
    for (const { name, outputSchema: schema } of tools) {
      this.drop(name);
      if (!schema) continue;
      const bytes = weightOf(schema, mostBytes);
      this.schemas.set(name, { schema, bytes });
      this.bytes += bytes;
      // A server may name other tools in each list.
      for (const oldest of this.schemas.keys()) {
        if (this.bytes <= mostBytes) break;
        this.drop(oldest);
      }
    }
  }

  private drop(name: string): void {
    this.bytes -= this.schemas.get(name)?.bytes ?? 0;
    this.schemas.delete(name);
    this.checks.delete(name);
  }

  /**
   * A schema that cannot be read is warned of once and not checked: the tool has run, and its result is there.
   * One of another dialect must be an error (2025-11-25, basic, JSON Schema usage); it carries the result.
   *
   * @throws {McpError} `invalid-result`, or `invalid-definition` whose data are `{ result }`
   */
  async check(name: string, result: CallToolResult): Promise<void> {
    const schema = this.schemas.get(name)?.schema;
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
    const [{ schemaCheck }, engine] = await Promise.all([
      import("../schema/schema-check.js"),
      import("@mcpgen/engine/interpreter"),
    ]);
    this.patternBudget ??= new engine.PatternBudget();
    const place = `tool ${JSON.stringify(name)}: outputSchema`;
    const { check } = schemaCheck(schema as never, place, "output", undefined, this.patternBudget);
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
