import { McpError } from "./errors.js";
import { type RequestId, isObject } from "./message.js";
import type * as platform from "../platform/platform.js";

/**
 * A duplex stream of messages between two sides: a pipe, or a pair in memory. It carries the text of one JSON-RPC
 * message at a time. So the sides share no objects, and a message is serialised once.
 */
export interface Channel {
  /**
   * Starts to read. Messages arrive in order, never before this call, and never while the receiver handles another.
   */
  open(receiver: Receiver): void;
  /**
   * Queues the text of one message. Messages of one turn are written together. Does nothing after `close`, or after the
   * other side has disconnected.
   *
   * @param origin the incoming request that the message belongs to, for channels with one stream per request
   */
  send(text: string, origin?: RequestId): void;
  /**
   * Sends a client's answer to a request of the server, instead of `send`. The channel stops reading while too many of
   * these answers wait for the other side.
   */
  reply?(text: string): void;
  /**
   * Sends an answer a moment after the message that was sent at `since` (milliseconds, `performance.now()`), so that the
   * other side does not read both in one chunk.
   */
  sendApart?(text: string, since: number): void;
  /** Writes the queue now, when no more messages follow in this turn. */
  flush(): void;
  /** Resolves when all messages are written and the stream is closed. Further calls return the same promise. */
  close(): Promise<void>;
}

/**
 * The server's end of a transport. A transport that separates requests, such as HTTP, implements it. The server wraps
 * any other `Channel`.
 */
export interface ServerChannel extends Pick<Channel, "flush" | "close"> {
  /**
   * Whether the channel ends with the answers to one POST. Most POSTs are answered at once, so the server does not
   * register their connections as open.
   */
  readonly isBrief?: boolean;
  /** Id of the HTTP session, if there is one. */
  readonly id?: string | undefined;
  /** Whether the texts of handlers' exceptions are hidden from clients by default. */
  readonly hidesErrors?: boolean;
  /**
   * Sends a message that is not an answer. Does nothing after `close`, or after the client has disconnected.
   *
   * @param origin the request of the client that the message belongs to
   * @returns `false` if it was not sent, because the client has no stream for messages outside of requests
   */
  send(text: string, origin?: RequestId): boolean | void;
  /**
   * Sends the answer to a message of the client.
   *
   * @param id the id of the request; absent if it could not be read
   * @param rpcCode the code of an error
   * @param reported the time of the request's last progress (milliseconds, `performance.now()`)
   */
  answer(id: RequestId | undefined, text: string, rpcCode?: number, reported?: number): void;
  /** Sends the answers to a batch as one text. Absent if `answer` collects them. */
  sendBatch?(text: string): void;
  /**
   * A request was cancelled and will not be answered. Channels that do not need to know omit this function and the
   * following ones.
   */
  dropAnswer?(id: RequestId): void;
  /**
   * Counts requests that were aborted while their handlers still run.
   *
   * @param more the number of requests that were aborted; -1 when a handler has ended
   */
  abortedWork?(more: number): void;
  /**
   * Reserves memory for the client.
   *
   * @param bytes a negative number releases bytes
   * @returns `false` if the bytes are not available
   */
  reserve?(bytes: number): boolean;
  /**
   * Ends the connection of a request if the client can fetch the answer later.
   *
   * @param retryMs milliseconds before the client connects again
   */
  disconnect?(origin: RequestId, retryMs: number): void;
}

/** Receives the messages of a channel. */
export interface Receiver {
  /** The text of one message, without a line end. It may be any text. */
  message(text: string): void;
  /** All messages that arrived together were delivered. */
  turn(): void;
  /** A message was longer than `limit` bytes and was dropped. */
  tooLong(limit: number): void;
  /** The input ended in order; the other side may still read messages. `closed` follows. */
  ended?(): void;
  /** The channel is closed; `reason` is given if the end was not in order. Called once. */
  closed(reason?: Error): void;
}

/**
 * The client's end of a transport. A transport with an exchange for each request, such as HTTP, implements it. The
 * client wraps any other `Channel`.
 */
export interface ClientChannel {
  /** Whether each request gets an answer or an error, even if the server does not answer it. */
  readonly guaranteesReply: boolean;
  /** Whether the transport carries the headers of messages. */
  readonly carriesHeaders: boolean;
  /** See `Channel`. */
  open(receiver: ClientReceiver): void;
  /** Sends a request or notification. Does nothing after `close`. */
  post(message: Outgoing): void;
  /** Sends requests and notifications as one JSON-RPC batch (2025-03-26); absent if the transport has no batches. */
  postBatch?(messages: readonly Outgoing[]): void;
  /** Sends the answer to a request of the server. */
  reply(text: string): void;
  /** Cancels a request without a message. Returns whether the transport can do that. */
  abandon(id: RequestId): boolean;
  /**
   * The current authorization of requests, as a text to compare: empty without authorization, `undefined` if it cannot
   * be compared.
   *
   * @throws {McpError} `authorize-failed`
   */
  authorization(signal: platform.AbortSignal): string | undefined | Promise<string | undefined>;
  /** Sets the headers of all later messages, after the revision is negotiated. */
  setProtocolHeaders(headers: Headers): void;
  /** See `Channel`. */
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

/** A request or notification of a client. */
export interface Outgoing {
  readonly text: string;
  readonly method: string;
  /** The id of a request. */
  readonly id?: RequestId;
  /** The request that this message cancels: after this message, its response is not read. */
  readonly ends?: RequestId | undefined;
  readonly headers: Headers;
  /** Called with the authorization of the message for each attempt. */
  readonly authorized?: ((authorization: string | undefined) => void) | undefined;
}

/** The text of a JSON-RPC batch. */
export function batchText(messages: readonly Outgoing[]): string {
  return `[${messages.map(({ text }) => text).join(",")}]`;
}

/** Receives the messages of a client's channel. */
export interface ClientReceiver extends Receiver {
  /** @param origin the request whose exchange brings the message, if the exchange has no other */
  message(text: string, origin?: RequestId): void;
  /**
   * A message, or a batch, that the channel has parsed.
   *
   * @param refusal the error of the transport for the message, such as an HTTP status
   * @param exchange the request that the transport assigns to the response, whatever its id
   */
  parsed(value: unknown, refusal?: Error, exchange?: RequestId): void;
  /** One request failed; others continue. */
  failed(id: RequestId, error: Error): void;
  /** The server has ended the stream of a request before its answer; the transport fetches the rest. */
  disconnected?(id: RequestId, retryMs: number | undefined): void;
  /** No more messages can be sent, but sent requests may still be answered. `closed` may follow. */
  draining(reason: Error): void;
  /** Whether a request was answered or aborted. */
  isSettled(id: RequestId): boolean;
}

/** A channel that a client can connect over. */
export type AnyChannel = Channel | ClientChannel;

/** A channel, or a function that opens one at each call. */
export type Opener = AnyChannel | (() => AnyChannel | Promise<AnyChannel>);

const channelMembers: { readonly [name: string]: string } = {
  open: "function",
  send: "function",
  flush: "function",
  close: "function",
} satisfies { [K in RequiredMember<Channel>]: string };

const clientChannelMembers: { readonly [name: string]: string } = {
  guaranteesReply: "boolean",
  carriesHeaders: "boolean",
  open: "function",
  post: "function",
  reply: "function",
  abandon: "function",
  authorization: "function",
  setProtocolHeaders: "function",
  close: "function",
} satisfies { [K in RequiredMember<ClientChannel>]: string };

type RequiredMember<T> = keyof { [K in keyof T as undefined extends T[K] ? never : K]: never };

/**
 * Checks that a value has all members of a channel. A channel with `post` is a `ClientChannel`.
 *
 * @param place the name of the parameter in errors
 * @throws {McpError} `invalid-definition`: members are missing
 */
export function checkChannel(value: unknown, place: string): asserts value is AnyChannel {
  if (!isObject(value) || !("send" in value || "post" in value))
    throw new McpError("invalid-definition", `${place}: expected a channel, with open and send or post`);
  const own = "post" in value;
  const members = Object.entries(own ? clientChannelMembers : channelMembers);
  const wrong = members.filter(([name, type]) => typeof value[name] !== type);
  if (wrong.length === 0) return;
  const expected = wrong.map(([name, type]) => `${name} (a ${type})`).join(", ");
  const type = own ? "ClientChannel" : "Channel";
  throw new McpError("invalid-definition", `${place}: the channel lacks members of ${type}: ${expected}`);
}

export function isClientChannel(channel: AnyChannel): channel is ClientChannel {
  return "post" in channel;
}

/** Adapts a channel to the client. */
export function clientChannelOf(channel: AnyChannel): ClientChannel {
  return isClientChannel(channel) ? channel : new StreamOfMessages(channel);
}

/** A plain channel, without exchanges, headers and authorization. */
class StreamOfMessages implements ClientChannel {
  readonly guaranteesReply = false;
  readonly carriesHeaders = false;
  readonly reply: (text: string) => void;
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.reply = (channel.reply ?? channel.send).bind(channel);
  }

  open(receiver: ClientReceiver): void {
    this.#channel.open(receiver);
  }

  post({ text }: Outgoing): void {
    this.#channel.send(text);
  }

  postBatch(messages: readonly Outgoing[]): void {
    this.#channel.send(batchText(messages));
  }

  abandon(): boolean {
    return false;
  }

  authorization(): string {
    return "";
  }

  setProtocolHeaders(): void {}

  close(): Promise<void> {
    return this.#channel.close();
  }
}
