// JSON-RPC messages over a WebSocket, one in each text frame: the channel of both sides.
import { type Channel, McpError, type Receiver } from "@mcpgen/runtime";
import { type RawData, WebSocket } from "ws";

/** What clients offer and servers choose (RFC 6455, 1.9). */
export const subprotocol = "mcp";

/** Bytes of one incoming message. */
export const defaultLimit = 10 * 1024 * 1024;

/** Bytes of answers to the other side's requests that may wait, whatever the backlog. */
const mostReplies = 1024 * 1024;

/** Milliseconds that `close` waits for the other side to have read everything, and to close, too. */
const closeMs = 2000;

/** Close codes of an end that is in order: done, going away, none given (RFC 6455, 7.4.1). */
const orderly: ReadonlySet<number> = new Set([1000, 1001, 1005]);
const unsupportedData = 1003;
const tooBig = 1009;

export interface WebSocketChannelOptions {
  /** The `maxPayload` of the socket, in bytes. A longer message ends the connection: `ws` cannot skip one. */
  readonly limit: number;
  /** Bytes that may wait to be read by the other side before this side stops reading. */
  readonly backlog: number;
  /** Bytes that may wait when another message is sent; beyond it the connection is cut. */
  readonly waitingLimit: number;
  /** Milliseconds in which the other side has to show that it is there; it is asked with a ping. */
  readonly keepAliveMs: number;
}

/** A socket that is open, as a channel. */
export class WebSocketChannel implements Channel {
  /** Resolves when the connection is over, with the reason if that was not in order. */
  readonly closed: Promise<Error | undefined>;
  readonly #socket: WebSocket;
  readonly #options: WebSocketChannelOptions;
  readonly #announce: (reason: Error | undefined) => void;
  readonly #keepAlive: NodeJS.Timeout;
  #receiver: Receiver | undefined;
  /** Bytes of answers since nothing waited. */
  #replies = 0;
  #halted = false;
  #alive = true;
  /** Why the connection is about to end. */
  #problem: Error | undefined;
  #closing: Promise<void> | undefined;
  #over: { readonly reason: Error | undefined } | undefined;

  /** Call it in the very turn in which the socket opened: messages that come before are lost. */
  constructor(socket: WebSocket, options: WebSocketChannelOptions) {
    let announce!: (reason: Error | undefined) => void;
    this.closed = new Promise((resolve) => (announce = resolve));
    this.#announce = announce;
    this.#socket = socket;
    this.#options = options;
    socket.pause();
    socket.on("message", (data, isBinary) => this.#message(data, isBinary));
    socket.on("pong", () => (this.#alive = true));
    socket.on("error", (error) => this.#failed(error));
    socket.on("close", (code, text) => this.#ended(code, String(text)));
    this.#keepAlive = setInterval(() => this.#ask(), options.keepAliveMs).unref();
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#over === undefined) return this.#socket.resume();
    const { reason } = this.#over;
    queueMicrotask(() => receiver.closed(reason));
  }

  send(text: string): void {
    const socket = this.#socket;
    if (this.#closing || this.#problem || socket.readyState !== WebSocket.OPEN) return;
    const { backlog, waitingLimit } = this.#options;
    // Before the message is queued: a single long one may pass.
    if (socket.bufferedAmount > waitingLimit)
      return this.#cut(`the other side left more than ${waitingLimit} bytes unread`);
    socket.send(text, this.#written);
    if (socket.bufferedAmount <= backlog && this.#replies <= mostReplies) return;
    this.#halted = true;
    socket.pause();
  }

  /** The answer of a client: a server must not cause more of them than it reads. */
  reply(text: string): void {
    this.#replies += Buffer.byteLength(text);
    this.send(text);
  }

  flush(): void {} // each message was written when it was sent

  close(): Promise<void> {
    return (this.#closing ??= new Promise((resolve) => {
      if (this.#over !== undefined) return resolve();
      const timer = setTimeout(() => this.#socket.terminate(), closeMs);
      this.#socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      // A socket that is paused does not see the other side close.
      this.#socket.resume();
      // The other side answers the close frame when it has read everything before it.
      this.#socket.close(1000);
    }));
  }

  #message(data: RawData, isBinary: boolean): void {
    if (this.#closing || this.#problem) return;
    this.#alive = true;
    if (isBinary) {
      this.#problem = interrupted("the other side sent a binary message; messages are text");
      return this.#socket.close(unsupportedData);
    }
    this.#receiver?.message(String(data));
    this.#receiver?.turn();
  }

  /** Called for each message that was sent, when the system has taken it. */
  readonly #written = (): void => {
    // While this side does not read, it hears no pong: that the other side reads is the sign of life.
    if (this.#halted) this.#alive = true;
    if (this.#socket.bufferedAmount > 0) return;
    this.#replies = 0;
    if (!this.#halted) return;
    this.#halted = false;
    this.#socket.resume();
  };

  #ask(): void {
    if (!this.#alive) return this.#cut(`the other side was silent for ${this.#options.keepAliveMs} ms`);
    this.#alive = false;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  #cut(why: string): void {
    this.#problem ??= interrupted(why);
    this.#socket.terminate();
  }

  /** What was read breaks the rules of WebSocket, or the limit; the socket is closing already. */
  #failed(error: Error & { readonly code?: string }): void {
    if (this.#problem) return;
    const { limit } = this.#options;
    if (error.code !== "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") {
      this.#problem = interrupted(`the other side sent what is no WebSocket: ${error.message}`, {}, error);
      return;
    }
    const text = `a message of the other side was longer than ${limit} bytes`;
    this.#problem = new McpError("message-too-long", text);
    if (!this.#closing) this.#receiver?.tooLong(limit);
  }

  #ended(code: number, text: string): void {
    clearInterval(this.#keepAlive);
    const reason = this.#closing ? undefined : (this.#problem ?? reasonOf(code, text));
    this.#over = { reason };
    this.#receiver?.closed(reason);
    this.#announce(reason);
  }
}

/** Why the other side ended the connection, unless that was in order. */
function reasonOf(code: number, text: string): Error | undefined {
  if (orderly.has(code)) return undefined;
  // Not `interrupted`: sent again, the message would be as long.
  if (code === tooBig)
    return new McpError("message-too-long", "the other side takes no message as long as one that was sent");
  const said = text === "" ? "" : `: ${text}`;
  return interrupted(code === 1006 ? "the socket was cut" : `the WebSocket was closed with ${code}${said}`, {
    closeCode: code,
  });
}

/**
 * An end that is not in order. By `data.interrupted` the client knows that requests under way may have been run: where
 * it can connect again, it repeats those that may run twice.
 */
function interrupted(why: string, data: Readonly<Record<string, unknown>> = {}, cause?: Error): McpError {
  return new McpError("connection-closed", why, { data: { interrupted: true, ...data }, cause });
}
