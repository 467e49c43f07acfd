import type { Caller, ChannelHandlers, ChannelMessages, RequestOptions } from "@mcpgen/protocol/model";
import type { ClientResults, Open } from "@mcpgen/protocol/open";
import type { Clock, HandlerContext, Params, RequestId, Timeouts } from "@mcpgen/runtime";

/**
 * One side of a channel of an extension. Sends messages to the other side; the generated functions of the role take it
 * as an argument.
 */
export interface ChannelPeer<Messages extends ChannelMessages = ChannelMessages> extends Caller {
  /**
   * Resolves when the handshake of the channel is complete; at once if the role takes no part in it. Rejects with
   * `connection-closed` if the channel ends earlier.
   */
  readonly ready: Promise<void>;
  /** Resolves when the channel has ended; with an error if it did not end normally. */
  readonly closed: Promise<Error | undefined>;
  /**
   * Sends a request. If it opens the channel, also sends the confirmation after the result.
   *
   * @throws {McpError} `remote-error` or `method-not-found`: the other side refused it; `invalid-result`, `timeout`,
   *   `cancelled`, `connection-closed`; `invalid-message`: the role does not send this method, or the message is
   *   invalid
   */
  request<Method extends keyof Messages["outgoingRequests"] & string>(
    method: Method,
    ...given: Arguments<Messages["outgoingRequests"][Method]>
  ): Promise<ResultOf<Messages["outgoingRequests"][Method]>>;
  request<Result, Method extends string = string>(
    method: Unlisted<Method>,
    params: object | undefined,
    options?: RequestOptions,
  ): Promise<Result>;
  /**
   * Sends a notification; does nothing after the end of the channel.
   *
   * @throws {McpError} `invalid-message`: the role does not send this method, or the message is invalid
   */
  notify<Method extends keyof Messages["outgoingNotifications"] & string>(
    method: Method,
    ...given: ParamsOf<Messages["outgoingNotifications"][Method], Open<"CallToolResult">>
  ): Promise<void>;
  notify<Method extends string = string>(method: Unlisted<Method>, params?: object): Promise<void>;
  /** Ends the channel: requests fail with `connection-closed`, and the signals of handlers abort. */
  close(): Promise<void>;
}

/** A method name that is known only at run time. */
type Unlisted<Method extends string> = string extends Method ? Method : never;

/**
 * @typeParam Result the type of tool results that a `Client` returns. It is also accepted if the params of the message
 *   are a tool result
 */
type ParamsOf<Message, Result = never> = Message extends { readonly params: infer Params }
  ? undefined extends Params
    ? [params?: Params]
    : [params: Params extends { readonly content: readonly unknown[] } ? Params | Result : Params]
  : never;

type Arguments<Message> = [...ParamsOf<Message>, options?: RequestOptions];

type ResultOf<Request> = Request extends { readonly result: infer Result } ? Result : never;

/** The context of a message, which its handler gets in addition to the params. */
export interface PeerContext {
  readonly method: string;
  /** Absent for a notification. */
  readonly requestId?: RequestId;
  /** `_meta` of the message. */
  readonly meta: Params;
  /** Aborts when the request is cancelled or the channel ends. */
  readonly signal: HandlerContext["signal"];
  /** Reports progress, if the other side asked for it. */
  progress(progress: number, total?: number, message?: string): void;
}

/**
 * Handlers of requests and listeners of notifications, by method. A request without a handler is refused with −32601. A
 * handler of a protocol method may return the result that a `Client` returns for that method.
 */
export type PeerHandlers<Messages extends ChannelMessages> = ChannelHandlers<
  Omit<Messages, "incomingRequests"> & { readonly incomingRequests: Relayed<Messages["incomingRequests"]> },
  PeerContext
>;

type Relayed<Requests> = {
  readonly [Method in keyof Requests]: Requests[Method] extends {
    readonly params: infer Params;
    readonly result: infer Result;
  }
    ? { readonly params: Params; readonly result: Result | RelayedResult<Method> }
    : never;
};

type RelayedResult<Method> = Method extends keyof ClientResults ? ClientResults[Method] : never;

export interface PeerOptions {
  /**
   * Time limits of each request in milliseconds; options of a request override them. Default: 60,000 without an answer
   * or progress, 3,600,000 in all.
   */
  readonly timeouts?: Partial<Timeouts>;
  /**
   * Receives errors that handlers throw, and errors about invalid notifications. Default: prints to the console.
   *
   * @param method of the message; absent if the received value is not a message
   */
  readonly onError?: (error: unknown, method?: string) => void;
  /** Default: the system clock. */
  readonly clock?: Clock;
}
