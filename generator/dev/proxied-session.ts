import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { withMessages } from "../capture/messages.js";
import type { Channel } from "../capture/runtime.js";
import { SessionMemory } from "../capture/session-memory.js";
import type { Side } from "../page/browser/dev/messages.js";

interface ProxyOptions {
  /** The channel to the client. */
  readonly client: Channel;
  /** Starts a server. */
  readonly start: () => Channel;
  /** Called when the server ended without being asked to. */
  readonly onLost: (reason: Error | undefined) => void;
  /** Called when the client closed its connection. */
  readonly onEnd: () => void;
  /** Gets each message from and to the client. */
  readonly heard: (from: Side, text: string) => void;
}

/** Time in milliseconds for which a restart waits for responses to open requests. */
const drainTime = 1_000;

/** JSON-RPC error code for an internal error. */
const internalError = -32603;

/** Prefix of the ids of the proxy's own requests. */
const ownIds = "mcpgen-dev:";

/** A request of the server, forwarded to the client under another id. */
interface Asked {
  readonly id: JsonValue;
  readonly server: Channel;
}

/**
 * A proxy between a client and a server that is restarted, so that the client keeps one session. Messages
 * wait during a restart. The next server receives the client's handshake and state, and the client is
 * notified that lists may have changed.
 */
export class ProxiedSession {
  readonly #options: ProxyOptions;
  readonly #memory = new SessionMemory();
  /** Methods of the client's open requests, by id. */
  readonly #open = new Map<string | number, string>();
  readonly #asked = new Map<number, Asked>();
  readonly #answers = new Map<string, (message: JsonObject) => void>();
  #waiting: string[] = [];
  #server: Channel | undefined;
  /** Whether messages wait for a server. */
  #holds = true;
  #count = 0;
  #drained: (() => void) | undefined;
  #over = false;
  /** Resolves when a server that ended by itself is completely gone; its descendants may run longer. */
  #lastEnd: Promise<void> | undefined;

  constructor(options: ProxyOptions) {
    this.#options = options;
    options.client.open({
      message: (text) => {
        options.heard("client", text);
        this.#fromClient(text);
      },
      turn: () => this.#server?.flush(),
      tooLong: () => {},
      closed: () => options.onEnd(),
    });
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  /** Ends a running server and starts the next one. @throws Error if the next one ends before it responds */
  async restart(): Promise<void> {
    this.#holds = true;
    await this.#lastEnd;
    await this.#endServer();
    if (this.#over) return;
    const server = this.#options.start();
    this.#server = server;
    const ended = new Promise<never>((_, reject) => {
      server.open({
        message: (text) => this.#fromServer(text, server),
        turn: () => this.#options.client.flush(),
        tooLong: () => {},
        closed: (reason) => {
          reject(reason ?? new Error("the server has closed its output"));
          this.#lost(server, reason);
        },
      });
    });
    ended.catch(() => {});
    await Promise.race([this.#handOver(), ended]);
    for (const message of this.#memory.listChanges()) this.#toClient(message);
    this.#release();
  }

  /** Ends the server and the client's connection. */
  async close(): Promise<void> {
    this.#over = true;
    const server = this.#server;
    this.#server = undefined;
    await Promise.all([this.#lastEnd, server?.close(), this.#options.client.close()]);
  }

  async #endServer(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    await this.#drain();
    this.#server = undefined;
    await server.close();
    this.#abandon(server, "the server restarted before it answered; send the request again");
  }

  /** Waits for the old server's pending responses. */
  async #drain(): Promise<void> {
    if (!this.#owes()) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
      timer = setTimeout(resolve, drainTime);
    });
    clearTimeout(timer);
    this.#drained = undefined;
  }

  #owes(): boolean {
    return [...this.#open.keys()].some((id) => !this.#memory.isListening(id));
  }

  /** Answers requests that an ended server will not answer, and cancels its own requests. */
  #abandon(server: Channel, why: string): void {
    for (const id of [...this.#open.keys()]) {
      if (this.#memory.isListening(id)) continue;
      this.#open.delete(id);
      this.#toClient({ jsonrpc: "2.0", id, error: { code: internalError, message: why } });
    }
    for (const [id, asked] of [...this.#asked]) {
      if (asked.server !== server) continue;
      this.#asked.delete(id);
      this.#toClient({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: id, reason: "the server restarted" },
      });
    }
    this.#options.client.flush();
  }

  /** Transfers the client's session to the new server. */
  async #handOver(): Promise<void> {
    const { handshake } = this.#memory;
    if (handshake) {
      const { result, error } = await this.#request(handshake.initialize);
      if (error !== undefined)
        throw new Error(`the server refused the client's handshake: ${JSON.stringify(error)}`);
      if (isJsonObject(result!) && result["protocolVersion"] !== this.#memory.revision)
        throw new Error(
          `the server no longer uses revision ${String(this.#memory.revision)}; connect the client again`,
        );
      if (handshake.initialized) {
        this.#toServer({ jsonrpc: "2.0", method: "notifications/initialized" });
        for (const message of this.#memory.state) await this.#request(message);
      }
    }
    for (const message of this.#memory.reopen()) this.#toServer(message);
    this.#server?.flush();
  }

  /** Sends a message of the client again as the proxy's own request. */
  #request(message: JsonObject): Promise<JsonObject> {
    const id = `${ownIds}${++this.#count}`;
    const answered = new Promise<JsonObject>((resolve) => this.#answers.set(id, resolve));
    this.#toServer({ ...message, id });
    this.#server?.flush();
    return answered;
  }

  #release(): void {
    this.#holds = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const text of waiting) this.#fromClient(text);
    this.#server?.flush();
    this.#options.client.flush();
  }

  /**
   * Handles a server that ended by itself: open requests fail, and later messages wait for the next server.
   */
  #lost(server: Channel, reason: Error | undefined): void {
    if (this.#server !== server) return;
    this.#server = undefined;
    this.#lastEnd = server.close();
    this.#holds = true;
    this.#answers.clear();
    this.#abandon(server, `the server ended: ${reason?.message ?? "it closed its output"}`);
    if (!this.#over) this.#options.onLost(reason);
  }

  #fromClient(text: string): void {
    const isResponse = ({ method }: JsonObject): boolean => method === undefined;
    if (!this.#holds) return this.#pass(text);
    if (this.#drained === undefined) return void this.#waiting.push(text);
    // Open requests may need responses of the client to complete, so these pass while the others wait.
    const waiting = withMessages(text, (message) => (isResponse(message) ? undefined : message));
    if (waiting !== undefined) this.#waiting.push(waiting);
    const now = withMessages(text, (message) => (isResponse(message) ? message : undefined));
    if (now !== undefined) this.#pass(now);
  }

  #pass(text: string): void {
    const changed = withMessages(text, (message) => this.#outgoing(message));
    if (changed !== undefined) this.#server?.send(changed);
  }

  /**
   * A client's message in the form for the server; undefined for a response that no running server expects.
   */
  #outgoing(message: JsonObject): JsonObject | undefined {
    const { id, method, params } = message;
    if (method === undefined) {
      const asked = this.#asked.get(id as number);
      if (!asked) return message;
      this.#asked.delete(id as number);
      return asked.server === this.#server ? { ...message, id: asked.id } : undefined;
    }
    this.#memory.sent(message);
    if (isId(id)) this.#open.set(id, String(method));
    else if (method === "notifications/cancelled" && isJsonObject(params!))
      this.#answered(params["requestId"]);
    return message;
  }

  #fromServer(text: string, server: Channel): void {
    if (server !== this.#server) return;
    const changed = withMessages(text, (message) => this.#incoming(message, server));
    if (changed !== undefined) this.#send(changed);
  }

  /** A server's message in the form for the client; undefined if it is not meant for the client. */
  #incoming(message: JsonObject, server: Channel): JsonObject | undefined {
    const { id, method, params } = message;
    if (typeof method === "string" && id !== undefined) {
      // Consecutive servers may use the same id.
      const other = ++this.#count;
      this.#asked.set(other, { id, server });
      return { ...message, id: other };
    }
    if (method === "notifications/cancelled" && isJsonObject(params!))
      return this.#cancelled(message, params);
    if (method !== undefined) return this.#memory.received(message, undefined);
    const own = typeof id === "string" ? this.#answers.get(id) : undefined;
    if (own) {
      this.#answers.delete(id as string);
      own(message);
      return undefined;
    }
    const answered = isId(id) ? this.#open.get(id) : undefined;
    const seen = this.#memory.received(message, answered);
    this.#answered(id);
    return seen;
  }

  #cancelled(message: JsonObject, params: JsonObject): JsonObject {
    const [other] = [...this.#asked].find(([, { id }]) => id === params["requestId"]) ?? [];
    if (other === undefined) return message;
    this.#asked.delete(other);
    return { ...message, params: { ...params, requestId: other } };
  }

  #answered(id: JsonValue | undefined): void {
    if (isId(id)) this.#open.delete(id);
    if (!this.#owes()) this.#drained?.();
  }

  #toClient(message: JsonObject): void {
    this.#send(JSON.stringify(message));
  }

  #send(text: string): void {
    this.#options.heard("server", text);
    this.#options.client.send(text);
  }

  #toServer(message: JsonObject): void {
    this.#server?.send(JSON.stringify(message));
  }
}

function isId(id: JsonValue | undefined): id is string | number {
  return typeof id === "string" || typeof id === "number";
}
