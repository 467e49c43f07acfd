import { checkOptions, gone, type Rules } from "@mcpgen/base";

/** How a client runs requests of its server as tasks. */
export interface ReceiverOptions {
  /** Whether requests to the model run as tasks. Default: `true` if the client has `sample`. */
  readonly sampling?: boolean;
  /** Whether requests to the user run as tasks. Default: `true` if the client has `elicit` or `elicitUrl`. */
  readonly elicitation?: boolean;
  /** Milliseconds that a task is kept after its end, at most; the server may ask for less. Default: 10 minutes. */
  readonly keepMs?: number;
  /** Milliseconds that a task may run; then its signal aborts, and it fails. Default: one day. */
  readonly maxRunMs?: number;
  readonly quotas?: ReceiverQuotas;
}

/** What a server may make its client keep. `Infinity` lifts a limit. */
export interface ReceiverQuotas {
  /** Handlers of tasks that have not ended. Default: 32. */
  readonly running?: number;
  /** Characters of the JSON of all requests and results that are kept. Default: 16,777,216. */
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
