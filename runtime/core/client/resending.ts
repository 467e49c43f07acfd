import type { Tool } from "@mcpgen/protocol/authoring";
import type { Params } from "../jsonrpc/message.js";

/**
 * Which requests are sent again where the connection broke before the answer, so that the server may do them twice:
 * all but calls of tools (`safe`), also calls of tools that were listed with `readOnlyHint` or `idempotentHint`
 * (`hinted`: for servers that are trusted), all, or none.
 */
export type Resend = "safe" | "hinted" | "always" | "never";

/** Decides which requests may be sent twice. A server's word on its own tools counts for `hinted` alone. */
export class Resending {
  private readonly policy: Resend;
  private readonly hinted = new Set<string>();

  constructor(policy: Resend = "safe") {
    this.policy = policy;
  }

  /** Takes up the annotations of listed tools. */
  learn(tools: readonly Tool[]): void {
    if (this.policy !== "hinted") return;
    for (const { name, annotations } of tools) {
      if (annotations?.readOnlyHint === true || annotations?.idempotentHint === true) this.hinted.add(name);
      else this.hinted.delete(name);
    }
  }

  /** Another process may know other tools by these names. */
  forget(): void {
    this.hinted.clear();
  }

  /** @param wanted what the options of the request say */
  allows(method: string, params: Params, wanted: boolean | undefined): boolean {
    if (wanted !== undefined) return wanted;
    const { policy } = this;
    if (policy === "always" || policy === "never") return policy === "always";
    return method !== "tools/call" || this.hinted.has(params["name"] as string);
  }
}
