import { checkOptions, invalid, type Rules, withFunctions } from "@mcpgen/base";
import type { SessionCluster } from "@mcpgen/runtime/extending";
import { Node } from "./node.js";
import type { ClusterOptions } from "./store.js";

const storeFunctions = ["publish", "subscribe", "put", "get", "take", "claim", "heartbeat", "alive"] as const;

const rules: Rules<ClusterOptions> = {
  store: /* @__PURE__ */ withFunctions(...storeFunctions),
  keys: "array",
  node: "string",
  ttlMs: 1,
};

const shortestSecret = 32;

/**
 * Lets several processes serve the same sessions, behind any load balancer (2025-11-25 and before, Streamable
 * HTTP). Answers of clients, cancellations and streams reach the process that needs them.
 *
 * @returns the option `cluster`
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function cluster(options: ClusterOptions): SessionCluster {
  checkOptions(options, rules, "cluster: ");
  const { store, keys, node = "" } = options;
  if (!store) throw invalid("cluster: store: expected a store.");
  const isSecret = (key: unknown): boolean => typeof key === "string" && key.length >= shortestSecret;
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isSecret))
    throw invalid(`cluster: keys: expected secrets of ${shortestSecret} characters or more.`);
  if (!/^[\w-]{0,32}$/.test(node))
    throw invalid(`cluster: node: expected letters, digits, - and _, got ${JSON.stringify(node)}.`);
  return { join: (endpoint) => new Node(options, endpoint) };
}
