import type { McpError } from "../../jsonrpc/errors.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { Clock } from "../../time/clock.js";
import type { EventStore, MissedEvents } from "./event-store.js";
import type { Exchange } from "../../http/server/exchange.js";
import type { HttpSession } from "./session.js";

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

/** Why a POST is refused. */
export interface ClusterRefusal {
  readonly status: 400 | 503;
  readonly error: McpError;
}

/** One session, as this process shares it with others. */
export interface ClusterSession {
  /** The id of a request to the client: it names this process. */
  requestId(number: number): RequestId;
  /** The name of a stream: it names this process. @param ids of the requests that the stream answers */
  streamName(name: string, ids: readonly RequestId[] | undefined): string;
  /** Clients may use the session from now on: other processes may name it. */
  opened(): void;
  /** Reads the log level and the subscriptions that other processes have stored. Does not fail. */
  read(): Promise<void>;
  /** The client listens here from now on: messages of all processes that belong to no request come here. */
  listens(): void;
  /** Sends a message to the process at which the client listens. Returns `false` if too many wait. */
  pass(text: string): boolean;
  /**
   * Passes messages on to the processes that wait for them.
   *
   * @param reply called when all are passed on, or with the reason why they are not
   * @returns `false` if there are none; `reply` is then not called
   */
  forward(messages: readonly unknown[], reply: (refusal?: ClusterRefusal) => void): boolean;
  /**
   * Continues a stream of requests that another process runs, or that has ended. The caller continues a GET stream itself
   * (`listens`).
   *
   * @param last the event that the client names
   */
  follow(exchange: Exchange, missed: MissedEvents, last: string): "followed" | "listens";
  /** The log level or the subscriptions have changed. @throws {McpError} `store-failed` */
  saved(): Promise<void>;
  /** The session has ended in this process. */
  left(): void;
}
