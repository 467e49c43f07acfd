import type { Clock } from "@mcpgen/base";
import type { EventSink, Exchange } from "../../http/server/exchange.js";
import type { EventStore } from "./event-store.js";
import type { ClusterSession, HttpSession } from "./session.js";

/** Connects the sessions of several processes: the value of the option `cluster`. */
export interface SessionCluster {
  /** Called once for each endpoint. */
  join(endpoint: ClusterEndpoint): ClusterNode;
}

/** The parts of an endpoint that a cluster uses. */
export interface ClusterEndpoint {
  readonly clock: Clock;
  /** Reports a failure that no response carries. */
  readonly warn: (error: unknown) => void;
  /** Ends a session that another process has ended. */
  readonly end: (session: HttpSession) => void;
  /** Opens an event stream as the response to a request. */
  readonly openStream: (exchange: Exchange) => EventSink;
  /** Formats one event for an event stream. */
  readonly eventText: (data: string, id?: string) => string;
  /** The name that a node gave to a stream, without the calls that the endpoint added to it. */
  readonly nameOf: (stream: string) => string;
  /** Calls a function of a store. @throws {McpError} `store-failed`: it threw or rejected */
  readonly stored: <T>(call: () => T | Promise<T>, what: string) => Promise<T>;
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
