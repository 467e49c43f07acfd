import type { LiveClient, Runtime, Channel, Recording } from "../capture/runtime.js";
import type { ServerLink } from "../capture/server-link.js";
import { type ServerOptions, openServer } from "../capture/with-server.js";
import { secrets } from "../secrets/secrets.js";
import type { WriteRoot } from "../files/write-root.js";
import { writeFiles } from "../files/writer.js";

/** Keeps a server running that no other client has: each start connects to it, as a client would. */
export class OwnSession {
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

  /** The connection to the running server. */
  get client(): LiveClient | undefined {
    return this.#client;
  }

  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  /** Ends the server, if one runs, and connects to the next. @throws CodedError the server does not answer */
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
 * The channel to a server, recorded. The file is replaced when the channel closes, so that it holds the whole session with
 * the last server: its handshake, too, which the proxy repeats after a restart. A recording at the client's end could not
 * be replayed, because it has answers of several servers. The file holds no secret that mcpgen knows.
 */
export function recorded(channel: Channel, recording: Recording, root: WriteRoot, name: string): Channel {
  const wrapped = recording.of(channel, "client");
  return {
    open: (receiver) => wrapped.open(receiver),
    send: (text) => wrapped.send(text),
    flush: () => wrapped.flush(),
    close: async () => {
      await wrapped.close();
      // Messages hold what users and servers tell each other.
      writeFiles(root, [{ path: name, content: secrets.hide(recording.toString()), isPrivate: true }]);
    },
  };
}
