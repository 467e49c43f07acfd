import { checkOptions, gone, type Rules, secrets, withFunctions } from "@mcpgen/base";
import type { SessionCluster } from "@mcpgen/runtime/extending";
import { Node } from "./node.js";
import type { ClusterOptions } from "./store.js";

const storeFunctions = ["publish", "subscribe", "put", "get", "take", "claim", "heartbeat", "alive"] as const;

const rules: Rules<ClusterOptions, "node" | "ttlMs"> = {
  store: /* @__PURE__ */ withFunctions(...storeFunctions),
  keys: /* @__PURE__ */ secrets(32),
  node: /* @__PURE__ */ gone("Leave it out: the name of a process is random."),
  ttlMs: /* @__PURE__ */ gone(
    "Leave it out: events are kept for a day, and other facts as long as the session.",
  ),
};

/**
 * Lets several processes serve the same clients, behind any load balancer. The rounds of a call reach the process in which its
 * handler waits (2026-07-28). Answers of clients, cancellations and streams of sessions reach the process that needs them
 * (2025-11-25 and before, Streamable HTTP).
 *
 * @returns the option `cluster`
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function cluster(options: ClusterOptions): SessionCluster {
  checkOptions(options, rules, "cluster: ", ["store", "keys"]);
  return { join: (endpoint, sessions) => new Node(options, endpoint, sessions) };
}
