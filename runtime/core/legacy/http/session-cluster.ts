import type { ClusterEndpoint } from "../../http/server/endpoint-options.js";
import type { EventSink, Exchange } from "../../http/server/exchange.js";
import type { EventStore } from "./event-store.js";
import type { ClusterSession, HttpSession } from "./session.js";

/** Connects the processes that serve the same clients and sessions: the value of the option `cluster`. */
export interface SessionCluster {
  /**
   * Called once for each endpoint.
   *
   * @param sessions absent if the endpoint has none
   */
  join(endpoint: ClusterEndpoint, sessions?: ClusterSessions): ClusterNode;
}

/** The sessions of an endpoint, as a cluster uses them. */
export interface ClusterSessions {
  /** Ends a session that another process has ended. */
  readonly end: (session: HttpSession) => void;
  /** Opens an event stream as the response to a request. */
  readonly openStream: (exchange: Exchange) => EventSink;
  /** Formats one event for an event stream. */
  readonly eventText: (data: string, id?: string) => string;
  /** The name that a node gave to a stream, without the calls that the endpoint added to it. */
  readonly nameOf: (stream: string) => string;
  /** Maximum lifetime of a session in milliseconds, if the store cannot remove it: see `lifeMs` of `SessionStore`. */
  readonly lifeMs?: number | undefined;
}

/** One of the endpoints that share sessions. */
export interface ClusterNode {
  /** Unique for each process, and new after each restart. */
  readonly name: string;
  /** Events that each process can read. */
  readonly events: EventStore;
  attach(session: HttpSession): ClusterSession;
  /** Returns `false` if a process has ended the session of this id. Does not fail. */
  isOpen(id: string): Promise<boolean>;
  /** Ends the session of this id in all processes. @throws {McpError} `store-failed` */
  end(id: string): Promise<void>;
  close(): Promise<void>;
}
