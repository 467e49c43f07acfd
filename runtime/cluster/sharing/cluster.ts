import { checkOptions, invalid, type Rules, withFunctions } from "@mcpgen/runtime/extending";
import type { SessionCluster } from "@mcpgen/runtime/fetch";
import { Node } from "./node.js";
import type { ClusterStore } from "./store.js";

export interface ClusterOptions {
  /** What the processes share. It stays open when the endpoint closes. */
  readonly store: ClusterStore;
  /**
   * Secrets that authenticate the ids of requests to clients: the current one first, then earlier ones. All processes of one
   * server have the same secrets. Each has 32 characters or more.
   */
  readonly keys: readonly string[];
  /** A name of this process for operators, at most 32 letters, digits, `-` and `_`. Random characters follow it. */
  readonly node?: string;
  /**
   * Milliseconds for which the store keeps the events of a session after the last one, and its log level, subscriptions and end;
   * the latter three for as long as `sealedSessions` can open the session, if that is more. Default: one day.
   */
  readonly ttlMs?: number;
}

const storeFunctions = ["publish", "subscribe", "put", "get", "take", "claim", "heartbeat", "alive"] as const;

const rules: Rules<ClusterOptions> = {
  store: /* @__PURE__ */ withFunctions(...storeFunctions),
  keys: "array",
  node: "string",
  ttlMs: 1,
};

const shortestSecret = 32;

/**
 * Sessions that several processes serve at once, behind any load balancer (2025-11-25 and before, Streamable HTTP): answers of
 * clients, cancellations and streams reach the process that needs them.
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
