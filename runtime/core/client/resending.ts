import type { Tool } from "@mcpgen/protocol/authoring";
import type { Params } from "../peer/message.js";

/**
 * Which requests may be sent again where nobody knows whether they were done: those that may be done twice
 * (`safe`), all, or none.
 */
export type Resend = "safe" | "always" | "never";

/** Tells requests that may be done twice: all but calls of tools, and calls of those that say so of themselves. */
export class Resending {
  private readonly policy: Resend;
  private readonly repeatable = new Set<string>();

  constructor(policy: Resend = "safe") {
    this.policy = policy;
  }

  /** Takes up listed tools. A server that lies in its annotations is called twice itself, and nobody else. */
  learn(tools: readonly Tool[]): void {
    for (const { name, annotations } of tools) {
      if (annotations?.readOnlyHint === true || annotations?.idempotentHint === true)
        this.repeatable.add(name);
      else this.repeatable.delete(name);
    }
  }

  /** Another process may know other tools by these names. */
  forget(): void {
    this.repeatable.clear();
  }

  allows(method: string, params: Params): boolean {
    if (this.policy !== "safe") return this.policy === "always";
    return method !== "tools/call" || this.repeatable.has(params["name"] as string);
  }
}
