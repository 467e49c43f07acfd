import type { CallToolResult, Tool } from "@mcpgen/protocol/authoring";
import { invalidResult } from "./decode.js";

type Check = (value: unknown) => string | undefined | Promise<string | undefined>;

/** Checks of structured content against what tools promise (2025-06-18 on, tools, output schema). */
export class OutputChecks {
  private readonly schemas = new Map<string, object>();
  private readonly checks = new Map<string, Check>();

  learn(tools: readonly Tool[]): void {
    for (const { name, outputSchema } of tools) {
      this.checks.delete(name);
      if (outputSchema) this.schemas.set(name, outputSchema);
      else this.schemas.delete(name);
    }
  }

  /** @throws {McpError} `invalid-result` */
  async check(name: string, result: CallToolResult): Promise<void> {
    const schema = this.schemas.get(name);
    if (!schema || result.isError === true) return;
    let check = this.checks.get(name);
    if (!check) {
      // The interpreter is loaded by who has a use for it.
      const { schemaCheck } = await import("../schema/schema-check.js");
      this.checks.set(
        name,
        (check = schemaCheck(schema as never, `tool ${JSON.stringify(name)}: outputSchema`).check),
      );
    }
    const problem = await check(result.structuredContent);
    if (problem !== undefined) throw invalidResult("tools/call", `structuredContent of ${name}: ${problem}`);
  }
}
