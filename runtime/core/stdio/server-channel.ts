import type { Readable, Writable } from "node:stream";
import { keepStdout } from "./guard.js";
import { checkServerChannelOptions } from "./option-check.js";
import { StreamChannel, type StreamChannelOptions } from "./stream-channel.js";

export interface StdioServerOptions extends StreamChannelOptions {
  /** Read from instead of the process's standard input. */
  readonly input?: Readable | undefined;
  /** Written to instead of the process's standard output. */
  readonly output?: Writable | undefined;
}

/**
 * The server's end of stdio. Takes the process's standard output, if that is what it writes to, and leaves
 * standard error to whoever prints (`keepStdout`). The end of the input closes it, in order; what is sent
 * after that still leaves.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function stdioServerChannel(options: StdioServerOptions = {}): StreamChannel {
  checkServerChannelOptions(options);
  return openServerChannel(options);
}

/** The same with options that were looked at. */
export function openServerChannel(options: StdioServerOptions): StreamChannel {
  const input = options.input ?? process.stdin;
  const own = options.output === undefined;
  const { stream, write } = own ? keepStdout() : { stream: options.output, write: undefined };
  return new StreamChannel(input, stream, options, { end: !own, write });
}
