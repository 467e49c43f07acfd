import type { Readable, Writable } from "node:stream";
import { keepStdout } from "./guard.js";
import { StreamChannel, type StreamChannelOptions, streamRules } from "./stream-channel.js";
import { type Channel, checkOptions, type Names, requireKnown, type Rules, withTimeout } from "@mcpgen/base";

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
  // The object is made in the function: a spread at the top of a module stays in every bundle.
  const rules: Rules<StdioServerOptions> = { ...streamRules, input: "object", output: "object" };
  checkOptions(options, rules);
  return openServerChannel(options);
}

/** Like `stdioServerChannel`, without a check of the options. */
function openServerChannel(options: StdioServerOptions): StreamChannel {
  const input = options.input ?? process.stdin;
  const own = options.output === undefined;
  const { stream, write } = own ? keepStdout() : { stream: options.output, write: undefined };
  return new StreamChannel(input, stream, options, { end: !own, write });
}

/** A server that opens a session on a channel. */
export interface StdioServable {
  connect(channel: Channel, options: { readonly drain?: number | undefined }): StdioSession;
}

/** The session on a channel. */
export interface StdioSession {
  close(): Promise<void>;
  /** Resolves when all requests are answered, or `drain` has passed. */
  drain?(): Promise<void>;
}

export interface ServeStdioOptions extends StdioServerOptions {
  /** Milliseconds after the end of the input in which requests may be answered; then they are aborted. Default: 1000. */
  readonly drain?: number | undefined;
  /** Milliseconds after `drain` in which session and output may finish; then the process exits. Default: 1000. */
  readonly grace?: number | undefined;
  /** Whether the process exits when the session is over, and on signals. Default: true. */
  readonly exit?: boolean | undefined;
}

export interface StdioService {
  /** Ends the session, like the end of the input. */
  close(): Promise<void>;
  /** Resolves when the session is over and all messages are written, or `grace` has passed. */
  readonly closed: Promise<void>;
}

const known: Names<ServeStdioOptions> = {
  input: 0,
  output: 0,
  limit: 0,
  backlog: 0,
  drain: 0,
  grace: 0,
  exit: 0,
};

/**
 * Serves on standard input and output. The process exits with code 0 after the end of the input, when the requests that
 * were received are answered; when the output is closed; and on SIGTERM and SIGINT. A second signal exits at once.
 * Messages that were sent are written first.
 *
 * @throws {McpError} `invalid-definition`: an option does not exist
 */
export function serveStdio(server: StdioServable, options: ServeStdioOptions = {}): StdioService {
  requireKnown(options, known);
  if (!options.input && process.stdin.isTTY) sayWaiting();
  const channel = openServerChannel(options);
  const session = server.connect(channel, { drain: options.drain });
  const exit = options.exit ?? true;
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  void channel.closed.then((reason) => (reason ? undefined : session.drain?.())).then(end);
  if (exit) onSignal(end);
  const closed = ended.then(async () => {
    await withTimeout(options.grace ?? 1000, finish(session, channel));
    if (exit) process.exit();
  });
  const close = (): Promise<void> => {
    end();
    return closed;
  };
  return { close, closed };
}

/** For a person who starts the server by hand, and would see nothing. */
function sayWaiting(): void {
  const file = process.argv[1];
  const way = file && !/[\s'"\\]/.test(file) ? ` Try: npx mcpgen list "stdio:node ${file}"` : "";
  console.error(`Waiting for an MCP client.${way}`);
}

async function finish(session: StdioSession, channel: Channel): Promise<void> {
  try {
    await session.close();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  await channel.close();
  // Otherwise the exit would cut off the last log lines.
  await new Promise((resolve) => process.stderr.write("", resolve));
}

/** Ends the session on SIGINT and SIGTERM, and exits on the second signal. */
function onSignal(end: () => void): void {
  let heard = 0;
  const hear = (_: string, number: number): void => (heard++ ? process.exit(128 + number) : end());
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, hear);
}
