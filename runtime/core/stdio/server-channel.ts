import type { Readable, Writable } from "node:stream";
import { keepStdout } from "./guard.js";
import { checkServerChannelOptions } from "./option-check.js";
import { StreamChannel, type StreamChannelOptions } from "./stream-channel.js";

export interface StdioServerOptions extends StreamChannelOptions {
  /** Replaces standard input of the process. */
  readonly input?: Readable | undefined;
  /** Replaces standard output of the process. */
  readonly output?: Writable | undefined;
}

/**
 * The server side of stdio. Reserves standard output of the process (`keepStdout`) unless `output` replaces it. The end
 * of the input closes the channel in order; messages sent after that are still written.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function stdioServerChannel(options: StdioServerOptions = {}): StreamChannel {
  checkServerChannelOptions(options);
  return openServerChannel(options);
}

/** The same, without a check of the options. */
export function openServerChannel(options: StdioServerOptions): StreamChannel {
  const input = options.input ?? process.stdin;
  const own = options.output === undefined;
  const { stream, write } = own ? keepStdout() : { stream: options.output, write: undefined };
  return new StreamChannel(input, stream, options, { end: !own, write });
}
