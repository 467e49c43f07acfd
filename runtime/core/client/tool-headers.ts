import type { Tool } from "@mcpgen/protocol/authoring";
import { type ParamHeader, paramHeadersOf } from "../protocol/param-headers.js";
import type { Rejected } from "./decode.js";

/** Which parameters of which tools are mirrored by headers (2026-07-28, Streamable HTTP, custom headers). */
export class ToolHeaders {
  private readonly known = new Map<string, readonly ParamHeader[]>();

  of(name: string): readonly ParamHeader[] | undefined {
    return this.known.get(name);
  }

  /** The server may be another now, and declare otherwise. */
  forget(): void {
    this.known.clear();
  }

  /** Takes up listed tools; those whose declarations are wrong must not be used. */
  learn(tools: readonly Tool[]): { tools: readonly Tool[]; rejected: readonly Rejected[] } {
    const rejected: Rejected[] = [];
    const usable = tools.filter((tool, index) => {
      const { headers, problem } = paramHeadersOf(tool.inputSchema);
      if (problem === undefined) return this.known.set(tool.name, headers);
      this.known.delete(tool.name);
      rejected.push({ index, name: tool.name, pointer: "/inputSchema", reason: problem });
      return false;
    });
    return { tools: usable, rejected };
  }
}
