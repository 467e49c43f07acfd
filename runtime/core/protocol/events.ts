import type { OpenDefinition } from "@mcpgen/protocol/model";
import { longestText, printError, printWarning, type RequestId, shortened } from "@mcpgen/base";
import { withoutWrongNulls } from "@mcpgen/engine/explain";
import type { Loss } from "./revision-view.js";

/** A request by its method, and by the tool, prompt or resource that it names. */
interface Place {
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource or template. */
  readonly name?: string | undefined;
}

/** A client, as the server knows it. */
interface Peer {
  /** Name of the authenticated client, on servers; empty without authentication. */
  readonly principal?: string | undefined;
  /** Id of the HTTP session, if there is one. */
  readonly sessionId?: string | undefined;
}

/** A connection has opened: of a server on a pipe or in memory; of a client in every transport, after the negotiation. */
export interface ConnectionOpened extends Peer {
  readonly type: "connection-opened";
  /** The negotiated revision; absent on a server, which learns it from the first request. */
  readonly revision?: string | undefined;
}

/** A connection has ended, for which `connection-opened` was reported. */
export interface ConnectionClosed extends Peer {
  readonly type: "connection-closed";
  /** Why, in words. */
  readonly reason: string;
}

/** A client begins to connect, for the first time or again. */
export interface ConnectionOpening {
  readonly type: "connection-opening";
  /** 0 for the first connection of a client, 1 for the second. */
  readonly earlier: number;
}

/** A request was answered with an error before any handler ran. */
export interface RequestRefused extends Partial<Place>, Peer {
  readonly type: "request-refused";
  /**
   * `host`, `origin`, `credentials`: over HTTP, before the body was read. `permission`: over HTTP, `permit` denied it. `method`: no revision or no handler has it.
   * `params`: they are not what the method takes.
   */
  readonly reason: "host" | "origin" | "credentials" | "permission" | "method" | "params";
  /** The message of the error; for credentials and permission the text that the application gave. */
  readonly message: string;
  /** Status of the response, over HTTP before a handler was found. */
  readonly status?: number;
  readonly requestId?: RequestId;
}

/** A session over HTTP has begun: its handshake succeeded. */
export interface SessionCreated extends Peer {
  readonly type: "session-created";
  /** Whether it was read from the `store` of sessions. */
  readonly restored: boolean;
}

/**
 * A session has ended: it was idle for `sessions.idleMs` (`session-expired`), another one needed its place
 * (`session-evicted`), or in another way (`session-ended`).
 */
export interface SessionEnded extends Peer {
  readonly type: "session-expired" | "session-evicted" | "session-ended";
  /** As `onSession` reports it: `deleted`, `disconnected`, `expired`, `evicted`, `ended`, `closed`. */
  readonly reason: string;
}

/** A limit refused a request, dropped a message or closed a connection. */
export interface LimitHit extends Partial<Place>, Peer {
  readonly type: "limit-hit";
  /** Name of the option, such as `limits.work`, `limits.maxQuestions`, `rateLimit.calls`; or of a limit that no option sets. */
  readonly limit: string;
}

/** A handler waits for answers of its client (2026-07-28): a round has gone out. */
export interface CallParked extends Place, Peer {
  readonly type: "call-parked";
  /** 1 for the first round of the call. */
  readonly round: number;
  /** Number of calls that wait. */
  readonly parked: number;
}

/** A call that waited for answers of its client has ended without them, and its handler is aborted. */
export interface CallLost extends Place, Peer {
  readonly type: "call-lost";
  /** `expired`: the client did not answer in time. `cancelled`: the client or the server ended it. */
  readonly cause: "expired" | "cancelled" | "not-here";
  /** Number of calls that still wait. */
  readonly parked: number;
}

/** A problem that no response reports, such as an item of a list that is left out. */
export interface Warning extends Peer {
  readonly type: "warning";
  readonly message: string;
}

/**
 * A part of a message was lost on the way: of this side's own, what the revision of the other side cannot express; of the
 * other side's, what the vocabulary cannot express. It was left out, or a text or another value stands in its place. A page of a
 * list is reported once for a revision.
 */
export interface PartLost extends Loss, Peer {
  readonly type: "loss";
}

/**
 * A handler or listener of the application threw, or a handler gave an unusable result. What is meant for the other side is not
 * reported (an `McpError` with an `rpcCode`, or with the code `missing-capability`), nor are errors after a cancellation.
 */
export interface HandlerError extends Place, Peer {
  readonly type: "handler-error";
  /** The thrown value, with its stack if it is an error. */
  readonly error: unknown;
  readonly requestId?: RequestId | undefined;
}

/**
 * Optional members were null, which their schemas do not take: they counted as absent. Some languages write absent members so, and
 * hosts in the strict mode of OpenAI make each argument of a tool required and nullable.
 */
export interface NullsIgnored extends Place, Peer {
  readonly type: "nulls-ignored";
  /** JSON Pointers into the arguments of a tool, or into the message or the result. */
  readonly members: readonly string[];
  readonly requestId?: RequestId | undefined;
}

/** A request was not answered in time. */
export interface RequestTimedOut extends Place, Peer {
  readonly type: "request-timed-out";
  /** `incoming`: the handler exceeded `timeLimit`. `outgoing`: the other side did not answer. */
  readonly direction: "incoming" | "outgoing";
  /** The error with the code `timeout`; its `data` has the limit. */
  readonly error: unknown;
}

/** A client sends a request again. */
export interface RequestRetried extends Place {
  readonly type: "request-retried";
  /** The row of the [retry table](../../../docs/http.md#when-a-request-is-sent-again). */
  readonly reason: string;
  /** The failure. */
  readonly error: unknown;
  /** Milliseconds until the request is sent again. */
  readonly pauseMs: number;
}

/** A server has ended the stream of a request before its answer: the client polls (2025-11-25, Streamable HTTP). */
export interface StreamDisconnected extends Place {
  readonly type: "stream-disconnected";
  readonly requestId: RequestId;
  /** Milliseconds after which the client reconnects, if the server says them. */
  readonly retryMs: number | undefined;
}

/** The other side broke a rule of the protocol, and its message was taken all the same, or dropped without an answer. */
export interface ProtocolWarning extends Peer {
  readonly type: "protocol-warning";
  /**
   * `response-id`: a response has the id of its request in another type, or an
   * id that no request has. `stray-output`: a server on stdio printed a line that is not a message. `missing-content`: a result has
   * structured content alone.
   */
  readonly reason: "response-id" | "stray-output" | "missing-content";
  readonly method?: string | undefined;
  /** The id, or the text; from the other side, shortened. */
  readonly detail: string;
}

/** The lists of a server that a contract pins. */
export type PinnedList = "tools" | "prompts" | "resources" | "resourceTemplates";

/**
 * How a server differs from the contract of its client. `added`: the contract lacks it; `renamed`: the same schema and description
 * under another name; `text`: title or description, which instruct a model; `schema`: of input or output; `list-unavailable`: the
 * list cannot be read.
 */
export type DriftClass =
  "added" | "removed" | "renamed" | "text" | "schema" | "annotations" | "instructions" | "list-unavailable";

/** A difference between a server and the contract of its client; the `data` of the error `contract-drift`. */
export interface Drift {
  readonly drift: readonly DriftClass[];
  /** Absent for instructions. */
  readonly list?: PinnedList | undefined;
  /** Name of the tool or prompt, URI of the resource or template; absent for instructions and for a whole list. */
  readonly name?: string | undefined;
  /** The other name of a renamed entry. */
  readonly counterpart?: string | undefined;
}

/**
 * A server differs from the contract of its client. Each drift is reported once, and again after it was gone. A drift that only
 * another client gets (`onBehalfOf`) is reported each time its list is read.
 */
export interface ContractDrift extends Drift {
  readonly type: "contract-drift";
  /** Whether it is not usable (`onDrift: "refuse"`). */
  readonly refused: boolean;
  /** Says why it matters. */
  readonly message: string;
}

/** What a server reports beside requests. */
export type ServerEvent =
  | ConnectionOpened
  | ConnectionClosed
  | RequestRefused
  | SessionCreated
  | SessionEnded
  | LimitHit
  | HandlerError
  | NullsIgnored
  | RequestTimedOut
  | CallParked
  | CallLost
  | Warning
  | PartLost
  | ProtocolWarning;

/** What a client reports beside requests. */
export type ClientEvent =
  | ConnectionOpening
  | ConnectionOpened
  | ConnectionClosed
  | ContractDrift
  | RequestRefused
  | LimitHit
  | HandlerError
  | RequestTimedOut
  | RequestRetried
  | StreamDisconnected
  | NullsIgnored
  | Warning
  | PartLost
  | ProtocolWarning;

/** What both roles report. */
export type CommonEvent = Extract<ServerEvent, ClientEvent>;

/**
 * The first listener of a server or a client: it writes warnings and errors of the application to standard error.
 *
 * @param listener the option `onEvent`, which keeps an event from being written by returning `true`
 */
export function withPrinting<Event extends ServerEvent | ClientEvent>(
  listener: ((event: Event) => unknown) | undefined,
): (event: Event) => unknown {
  return (event) => {
    const result = listener?.(event);
    if (result === true) return result;
    if (event.type === "warning" || event.type === "contract-drift") printWarning(event.message);
    if (event.type === "handler-error") {
      const { method, name, error } = event;
      printError(name === undefined ? method : `${method} ${JSON.stringify(name)}`, error);
    }
    // It may be a promise that rejects.
    return result;
  };
}

/**
 * Reads a message or a part of it: without the members that are null instead of absent, as some languages write them, if its
 * definition refuses them. It may refuse the remaining value, too: a member that is required stays.
 *
 * @param method of the message, for the event
 */
export type NullReader = <Value>(definition: OpenDefinition, value: Value, method: string) => Promise<Value>;

/**
 * @param nulls `reject`: null stays where it is, and the definition refuses it
 * @param emit receives an event for each message that is changed
 */
export function nullReader(
  nulls: "absent" | "reject" | undefined,
  emit: (event: NullsIgnored) => void,
): NullReader {
  return async <Value>({ accepts }: OpenDefinition, given: Value, method: string): Promise<Value> => {
    if (nulls === "reject" || accepts(given)) return given;
    const { value, places: members } = withoutWrongNulls(accepts, given);
    if (members.length > 0) emit({ type: "nulls-ignored", method, members });
    return value as Value;
  };
}

/** @param detail is shortened */
export function warning(reason: ProtocolWarning["reason"], detail: string, method?: string): ProtocolWarning {
  return { type: "protocol-warning", reason, method, detail: shortened(detail, longestText) };
}
