import type { Clock } from "@mcpgen/base";
import type { EventSink, Exchange } from "../../http/server/exchange.js";
import type { EventStore } from "./event-store.js";
import type { ClusterSession, HttpSession } from "./session.js";

/** Connects the sessions of several processes: the value of the option `cluster`. */
export interface SessionCluster {
  /** Called once for each endpoint. */
  join(endpoint: ClusterEndpoint): ClusterNode;
}

/** What a cluster uses of an endpoint. */
export interface ClusterEndpoint {
  readonly clock: Clock;
  /** Reports a failure that no response carries. */
  readonly warn: (error: unknown) => void;
  /** Ends a session that another process has ended. */
  readonly end: (session: HttpSession) => void;
  /** Opens an event stream as the response to a request. */
  readonly openStream: (exchange: Exchange) => EventSink;
  /** One event, as event streams have it. */
  readonly eventText: (data: string, id?: string) => string;
  /** The name that a stream was given by its node, without the rights that the endpoint added to it. */
  readonly nameOf: (stream: string) => string;
  /** Calls a function of a store. @throws {McpError} `store-failed`: it threw or rejected */
  readonly stored: <T>(call: () => T | Promise<T>, what: string) => Promise<T>;
  /** Milliseconds that a session lives at most, where no store can remove it: see `lifeMs` of `SessionStore`. */
  readonly lifeMs?: number | undefined;
}

/** One endpoint among those that share sessions. */
export interface ClusterNode {
  /** Differs for each process, and after each restart. */
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
