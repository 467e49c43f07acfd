import type { RequestId } from "./message.js";
import type * as platform from "../platform/platform.js";

/**
 * A duplex stream of messages with one other party: a pipe, a pair in memory. What travels is the text
 * of one JSON-RPC message, so that neither side can reach into the other's objects and nothing is
 * serialised twice.
 */
export interface Channel {
  /**
   * Starts to read. Messages arrive in order, never before this is called, and never while the receiver
   * is still busy with the one before.
   */
  open(receiver: Receiver): void;
  /**
   * Queues the text of one message; texts of one turn leave in one write. After `close`, or once the
   * other side is gone, it does nothing.
   *
   * @param origin the incoming request the message belongs to, for channels that keep requests apart
   */
  send(text: string, origin?: RequestId): void;
  /**
   * Sends a client's answer to a request of the server's, for channels that read no more while too many of them wait
   * to be read.
   */
  reply?(text: string): void;
  /**
   * Sends the answer to an incoming request, for channels on which that differs from any other message.
   *
   * @param rpcCode of the error that the answer is, if it is one
   */
  answer?(id: RequestId | undefined, text: string, rpcCode?: number): void;
  /**
   * Sends an answer so late after what was sent at `since` (milliseconds, `performance.now()`) that its reader takes the
   * two one after the other, for channels on which they would be read at once.
   */
  sendApart?(text: string, since: number): void;
  /** Says that an incoming request, having been cancelled, is never answered. */
  forgo?(id: RequestId): void;
  /**
   * Says that requests were aborted while they were worked on, or that such work has ended.
   *
   * @param more how many more there are now; -1 if one has ended
   */
  late?(more: number): void;
  /**
   * Asks whether so many more bytes may be kept for the client, for channels that many clients share the memory of.
   *
   * @param bytes less than none where so many are given back
   * @returns `false` if there is no room: then none are kept
   */
  reserve?(bytes: number): boolean;
  /**
   * Ends the connection that an incoming request came on, for channels on which its answer can be fetched
   * later.
   *
   * @param retryMs milliseconds the client is to wait before it comes back
   */
  disconnect?(origin: RequestId, retryMs: number): void;
  /** Whether each request of a client is answered or fails, whatever the server makes of it. */
  readonly answersAll?: boolean;
  /** Sends a message of a client, for channels that need to know what it is. */
  post?(message: Outgoing): void;
  /** Gives up a request in the way of the channel, so that no message has to say so. */
  abandon?(id: RequestId): void;
  /**
   * What a client's requests are authorized with now, as a text to compare; for channels on which that may change.
   *
   * @throws {McpError} `authorize-failed`
   */
  authorization?(signal: platform.AbortSignal): string | Promise<string>;
  /** Headers that all messages carry from now on. */
  speak?(headers: Readonly<Record<string, string>>): void;
  /** Writes what is queued now, for callers that know that nothing more comes in this turn. */
  flush(): void;
  /** Resolves when all that was sent is out and the stream is closed. Further calls give the same. */
  close(): Promise<void>;
}

/** A message of a client, and what HTTP says of it. */
export interface Outgoing {
  readonly text: string;
  /** Of requests and notifications. */
  readonly method?: string;
  /** Of a request. */
  readonly id?: RequestId;
  /** The request that nobody waits for any more: once this is out, nothing is read for it. */
  readonly ends?: RequestId;
  readonly headers: Readonly<Record<string, string>>;
  /** Is given what authorizes the message, each time it is sent. */
  readonly authorized?: ((authorization: string) => void) | undefined;
}

/** Whoever reads a channel. */
export interface Receiver {
  /**
   * The text of one message, without a line end; it may hold anything.
   *
   * @param refusal the error of the transport that came with the message: an HTTP status, for example
   */
  message(text: string, refusal?: Error): void;
  /**
   * A message, or a batch, that the channel has parsed already. A channel calls `message` where this is absent.
   *
   * @param refusal as for `message`
   */
  parsed?(value: unknown, refusal?: Error): void;
  /** All that arrived together has been delivered. */
  turn(): void;
  /** A message was longer than the limit (bytes) and has been dropped. */
  tooLong(limit: number): void;
  /** One request cannot be answered any more, though others can. */
  failed?(id: RequestId, error: Error): void;
  /** Nothing can be sent any more, but what was sent may still be answered; `closed` may follow. */
  retired?(reason: Error): void;
  /** Whether a request has been answered. */
  isSettled?(id: RequestId): boolean;
  /** Nothing more will arrive, in order, but what is sent may still be read; `closed` follows. */
  ended?(): void;
  /** Nothing more will arrive; with a reason if that was not in order. Called once. */
  closed(reason?: Error): void;
}

/** A channel, which is there once, or what opens one each time it is called. */
export type Opener = Channel | (() => Channel | Promise<Channel>);
