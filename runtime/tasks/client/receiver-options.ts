import { type Rules, checkOptions } from "@mcpgen/runtime/extending";

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
  /** Milliseconds between polls that the server is advised. Default: 5000. */
  readonly pollMs?: number;
  readonly quotas?: ReceiverQuotas;
}

/** What a server may make its client keep. `Infinity` lifts a limit. */
export interface ReceiverQuotas {
  /** Handlers of tasks that have not ended. Default: 32. */
  readonly running?: number;
  /** Tasks that run or are kept. Default: 256. */
  readonly stored?: number;
  /** Characters of the JSON of all requests and results that are kept. Default: 16,777,216. */
  readonly bytes?: number;
  /** Requests that wait for the end of a task. Default: 256. */
  readonly waiting?: number;
}

const rules: Rules<ReceiverOptions> = {
  sampling: "boolean",
  elicitation: "boolean",
  keepMs: 0,
  maxRunMs: 1,
  pollMs: 1,
  quotas: {
    running: "amount",
    stored: "amount",
    bytes: "amount",
    waiting: "amount",
  } satisfies Rules<ReceiverQuotas>,
};

/** @throws {McpError} `invalid-definition` */
export function checkReceiverOptions(options: object): void {
  checkOptions(options, rules, "receiver: ");
}
