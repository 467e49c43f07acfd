import type { Channel } from "../jsonrpc/channel.js";
import { type Names, requireKnown } from "../options/option-names.js";
import { type StdioServerOptions, openServerChannel } from "./server-channel.js";
import { withTimeout } from "../time/clock.js";

/** What can be served: it takes a channel and gives the session on it. */
export interface StdioServable {
  connect(channel: Channel, options: { readonly drain?: number | undefined }): StdioSession;
}

/** The session on a channel. */
export interface StdioSession {
  close(): Promise<void>;
  /** Resolves when nothing that was received waits for its answer, or `drain` has passed. */
  drained?(): Promise<void>;
}

export interface ServeStdioOptions extends StdioServerOptions {
  /** Milliseconds that requests have to be answered after the end of the input; then they are aborted: 1000. */
  readonly drain?: number | undefined;
  /** Milliseconds that session and output have to finish after that, before the process exits all the same: 1000. */
  readonly grace?: number | undefined;
  /** Whether the process exits when the session is over, and on signals. It does unless told otherwise. */
  readonly exit?: boolean | undefined;
}

export interface StdioService {
  /** Ends the session as the end of the input would. */
  close(): Promise<void>;
  /** Resolves when the session is over and all that was sent is out, or the grace has passed. */
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
 * Serves on standard input and output until the client closes them, and exits then: with code 0 at the end
 * of the input, once what was received is answered, when nobody reads the output any more, and on SIGTERM and
 * SIGINT, of which a second one exits at once. What was sent before is written first.
 *
 * @throws {McpError} `invalid-definition`: there is no option of a name
 */
export function serveStdio(server: StdioServable, options: ServeStdioOptions = {}): StdioService {
  requireKnown(options, known);
  const channel = openServerChannel(options);
  const session = server.connect(channel, { drain: options.drain });
  const exit = options.exit ?? true;
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  void channel.closed.then((reason) => (reason ? undefined : session.drained?.())).then(end);
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

async function finish(session: StdioSession, channel: Channel): Promise<void> {
  try {
    await session.close();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  await channel.close();
  // What was logged last would be cut off by the exit.
  await new Promise((resolve) => process.stderr.write("", resolve));
}

/** Clients and terminals that do not wait for the end of the input to be noticed ask by signal. */
function onSignal(end: () => void): void {
  for (const [name, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const) {
    process.once(name, () => {
      end();
      process.once(name, () => process.exit(128 + number));
    });
  }
}
