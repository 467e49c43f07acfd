import { basename, resolve } from "node:path";
import {
  type Channel,
  type Runtime,
  type LiveClient,
  type Recording,
  loadRecording,
} from "../../capture/runtime.js";
import type { HostLimits } from "../../dev/host-limits.js";
import { ProxiedSession } from "../../dev/proxied-session.js";
import { WriteRoot } from "../../files/held-folder.js";
import type { Arguments, CommandContext } from "../command.js";
import { serverOptions } from "../server-options.js";
import type { DevelopedServer } from "./server-command.js";
import { type ServerLink, replaced } from "../../capture/server-link.js";
import { type ServerOptions, openServer } from "../../capture/with-server.js";
import { secrets } from "../../secrets/secrets.js";
import { writeFiles } from "../../files/writer.js";

/** The connections to the server under development. */
export interface Session {
  readonly isRunning: boolean;
  /** Ends the server and starts the next one. @throws Error if it does not answer */
  restart(): Promise<void>;
  /** Ends everything; resolves when no process remains. */
  close(): Promise<void>;
}

/** Wraps the channel to each server, to record its messages. */
export type Recorder = (channel: Channel) => Channel;

/** Events of a session. */
export interface SessionEvents {
  /** The server ended without being asked to. */
  readonly lost: (reason: Error | undefined) => void;
  /** The client closed its connection. */
  readonly ended: () => void;
  readonly record: Recorder;
  readonly limits: HostLimits;
}

/** Milliseconds to wait after each step of ending a server: closing its input, then SIGTERM. */
const grace = { inputGrace: 500, terminateGrace: 1_000 };

/**
 * Opens the session that the options select: a proxy for a client on standard input, or a client of this
 * program.
 */
export function openSession(
  runtime: Runtime,
  { source, directory }: DevelopedServer,
  args: Arguments,
  context: CommandContext,
  { lost, ended, record, limits }: SessionEvents,
): Session {
  const options = { ...serverOptions(args, context), directory };
  if (!args.flag("stdio")) return new OwnSession(runtime, source, options);
  const command = runtime.parseStdioSource(source);
  const { variables, onStderr } = options;
  const start = (): Channel =>
    runtime.stdioClientChannel(command, { cwd: directory, env: variables, stderr: onStderr, ...grace });
  return new ProxiedSession({
    client: runtime.streamChannel(process.stdin, process.stdout, { backlog: Infinity }),
    start: () => record(start()),
    onLost: lost,
    onEnd: ended,
    heard: (from, text) => limits.heard(from, text),
  });
}

/** Creates a recorder if `--record` is given. The file holds the last connection. */
export async function recorder(args: Arguments, { directory }: CommandContext): Promise<Recorder> {
  const file = args.string("record");
  if (file === undefined) return (channel) => channel;
  const Recording = await loadRecording();
  const path = resolve(directory, file);
  const root = WriteRoot.ofFile(path, directory);
  return (channel) => recorded(channel, new Recording(), root, basename(path));
}

/** Keeps a server running that has no other client. Each start connects to it as a client would. */
class OwnSession {
  readonly #runtime: Runtime;
  readonly #source: string;
  readonly #options: ServerOptions;
  #link: ServerLink | undefined;
  #client: LiveClient | undefined;
  #over = false;

  constructor(runtime: Runtime, source: string, options: ServerOptions) {
    this.#runtime = runtime;
    this.#source = source;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  /** Ends a running server and connects to the next one. @throws CodedError if it does not answer */
  async restart(): Promise<void> {
    await this.#end();
    if (this.#over) return;
    const opened = await openServer(
      this.#runtime,
      this.#source,
      this.#options,
      (link) => (this.#link = link),
    );
    this.#client = opened.client;
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#link?.hurry();
    await this.#end();
  }

  async #end(): Promise<void> {
    const [link, client] = [this.#link, this.#client];
    this.#link = this.#client = undefined;
    await link?.close(client);
  }
}

/**
 * Records the channel to a server, and replaces the file when the channel closes. The file then holds the
 * whole session with the last server, including its handshake, which the proxy repeats after a restart. A
 * recording on the client's side could not be replayed, because it would mix responses of several servers.
 * Secrets known to mcpgen are hidden.
 */
function recorded(channel: Channel, recording: Recording, root: WriteRoot, name: string): Channel {
  const wrapped = recording.of(channel, "client");
  return replaced(wrapped, {
    close: async () => {
      await wrapped.close();
      // The file is private: messages hold data of users and servers.
      writeFiles(root, [{ path: name, content: secrets.hide(recording.toString()), isPrivate: true }]);
    },
  });
}
