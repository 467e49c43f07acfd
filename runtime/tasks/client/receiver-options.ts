import { checkOptions, gone, type Rules } from "@mcpgen/base";

/** Options of `receiver`. */
export interface ReceiverOptions {
  /** Whether sampling requests run as tasks. Default: `true` if the client has `sample`. */
  readonly sampling?: boolean;
  /** Whether elicitation requests run as tasks. Default: `true` if the client has `elicit` or `elicitUrl`. */
  readonly elicitation?: boolean;
  /**
   * Maximum time to keep a task after its end, in milliseconds; the server may ask for less. Default: 10 minutes.
   */
  readonly keepMs?: number;
  /** Maximum run time of a task in milliseconds; then its signal aborts, and it fails. Default: one day. */
  readonly maxRunMs?: number;
  readonly quotas?: ReceiverQuotas;
}

/** Limits on the tasks that a server may create at its client. `Infinity` means no limit. */
export interface ReceiverQuotas {
  /** Maximum number of running handlers. Default: 32. */
  readonly running?: number;
  /** Maximum size of all stored requests and results, in characters of their JSON. Default: 16,777,216. */
  readonly bytes?: number;
}

const rules: Rules<ReceiverOptions, "pollMs"> = {
  sampling: "boolean",
  elicitation: "boolean",
  keepMs: 0,
  maxRunMs: 1,
  quotas: {
    running: "amount",
    bytes: "amount",
    stored: gone("Leave it out: 256 tasks are kept."),
    waiting: gone("Leave it out: 256 requests may wait."),
  } satisfies Rules<ReceiverQuotas, "stored" | "waiting">,
  pollMs: gone("Leave it out: the server is advised to poll every 5 seconds."),
};

/** @throws {McpError} `invalid-definition` */
export function checkReceiverOptions(options: object): void {
  checkOptions(options, rules, "receiver: ");
}
