import { type Rules, checkOptions } from "../options/option-check.js";
import type { StdioClientOptions } from "./client-channel.js";
import type { StdioServerOptions } from "./server-channel.js";
import type { StreamChannelOptions } from "./stream-channel.js";

const streamRules: Rules<StreamChannelOptions> = { limit: "amount", backlog: "amount" };

const serverRules: Rules<StdioServerOptions> = { ...streamRules, input: "object", output: "object" };

export const clientRules: Rules<StdioClientOptions> = {
  cwd: "anything",
  env: "object",
  stderr: "anything",
  inheritEnv: ["safe", "all"],
  inputGrace: "amount",
  terminateGrace: "amount",
  limit: "amount",
};

/** @throws {McpError} `invalid-definition`: there is no option of a name, or its value is none for it */
export function checkStreamOptions(options: StreamChannelOptions): void {
  checkOptions(options, streamRules);
}

/** The same for the server's end of stdio. */
export function checkServerChannelOptions(options: StdioServerOptions): void {
  checkOptions(options, serverRules);
}

/** The same for the client's end of stdio. */
export function checkClientOptions(options: StdioClientOptions): void {
  checkOptions(options, clientRules);
}
