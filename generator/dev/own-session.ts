import type { LiveClient, Runtime } from "../capture/runtime.js";
import type { ServerLink } from "../capture/server-link.js";
import { type ServerOptions, openServer } from "../capture/with-server.js";

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
