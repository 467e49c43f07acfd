import { checkOptions, gone, type Rules } from "@mcpgen/base";

/** Options of `receiver`. */
export interface ReceiverOptions {
  /**
   * Maximum time to keep a task after its end, in milliseconds; the server may ask for less. Default: 10 minutes.
   */
  readonly keepMs?: number;
  /** Maximum run time of a task in milliseconds; then its signal aborts, and it fails. Default: one day. */
  readonly maxRunMs?: number;
}

const rules: Rules<ReceiverOptions, "sampling" | "elicitation" | "pollMs" | "quotas"> = {
  keepMs: 0,
  maxRunMs: 1,
  sampling: gone("Leave it out: requests to the model may be tasks if connect has sample."),
  elicitation: gone("Leave it out: requests to the user may be tasks if connect has elicit."),
  quotas: gone("Leave it out: 32 tasks may run, and 256 are kept, with 16 Mi characters in all."),
  pollMs: gone("Leave it out: the server is advised to poll every 5 seconds."),
};

/** @throws {McpError} `invalid-definition` */
export function checkReceiverOptions(options: object): void {
  checkOptions(options, rules, "receiver: ");
}
