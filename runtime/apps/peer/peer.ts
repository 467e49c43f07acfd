import type { Caller, ChannelHandlers, ChannelMessages, RequestOptions } from "@mcpgen/protocol/model";
import type { ClientResults, Open } from "@mcpgen/protocol/open";
import type { Clock, HandlerContext, Params, RequestId, Timeouts } from "@mcpgen/runtime";

/** One side of a channel of an extension: it sends to the other side. The generated functions of the role take it. */
export interface ChannelPeer<Messages extends ChannelMessages = ChannelMessages> extends Caller {
  /**
   * Resolves when the handshake of the channel is over: at once if the role takes no part in it. Rejects with
   * `connection-closed` if the channel ends before.
   */
  readonly ready: Promise<void>;
  /** Resolves when the channel has ended, with the reason if it did not end in order. */
  readonly closed: Promise<Error | undefined>;
  /**
   * Sends a request. After the result of the request that opens the channel, the confirmation is sent.
   *
   * @throws {McpError} `remote-error` or `method-not-found`: the other side refused it; `invalid-result`, `timeout`,
   *   `cancelled`, `connection-closed`; `invalid-message`: the role does not send it, or not so
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
   * @throws {McpError} `invalid-message`: the role does not send it, or not so
   */
  notify<Method extends keyof Messages["outgoingNotifications"] & string>(
    method: Method,
    ...given: ParamsOf<Messages["outgoingNotifications"][Method], Open<"CallToolResult">>
  ): Promise<void>;
  notify<Method extends string = string>(method: Unlisted<Method>, params?: object): Promise<void>;
  /** Ends the channel: requests fail with `connection-closed`, and the signals of handlers abort. */
  close(): Promise<void>;
}

/** A method that is known at run time alone. */
type Unlisted<Method extends string> = string extends Method ? Method : never;

/** @typeParam Result what a `Client` returns: it may be sent where the params are the result of a tool */
type ParamsOf<Message, Result = never> = Message extends { readonly params: infer Params }
  ? undefined extends Params
    ? [params?: Params]
    : [params: Params extends { readonly content: readonly unknown[] } ? Params | Result : Params]
  : never;

type Arguments<Message> = [...ParamsOf<Message>, options?: RequestOptions];

type ResultOf<Request> = Request extends { readonly result: infer Result } ? Result : never;

/** What a handler knows of a message beside its params. */
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
 * handler of a method of the protocol may return what a `Client` returns for it.
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
  /** Limits of each request in milliseconds; options of the request replace them. Default: 60,000 without an answer or progress, 3,600,000 in all. */
  readonly timeouts?: Partial<Timeouts>;
  /** Requests that are answered at a time; more are refused with `limit-exceeded`. Default: 1,000. */
  readonly maxRequests?: number;
  /**
   * Receives what handlers throw, and notifications that the table refuses. Default: prints to the console.
   *
   * @param method of the message; absent for what is no message
   */
  readonly onError?: (error: unknown, method?: string) => void;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
}
