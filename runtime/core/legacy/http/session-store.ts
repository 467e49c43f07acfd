import type { ClientCapabilities, Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import { type Clock, malformedMember, type Members, mostReserved, systemClock, weightOf } from "@mcpgen/base";
import { type LogLevel, isLogLevel } from "../../protocol/meta.js";
import type { RevisionView } from "../../protocol/revision-view.js";
import type { ServerConnection } from "../../server/connection.js";
import { beforeHandshake } from "../../server/request.js";

/** The JSON from which another process, or the same one after a restart, can continue a session. */
export interface StoredSession {
  readonly id: string;
  /** The owner: requests of other principals get 404. */
  readonly principal: string;
  /** Id of the revision that the handshake negotiated. */
  readonly revision: string;
  readonly clientInfo: Implementation;
  readonly clientCapabilities: ClientCapabilities;
  /** Capabilities that the server declared in the handshake. */
  readonly declared: ServerCapabilities;
  readonly logLevel: LogLevel;
  /** URIs of the resources that the client subscribed to. */
  readonly subscriptions: readonly string[];
  /** Data of the application (`setData` of the session), as JSON of at most 16,384 bytes. */
  readonly data?: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** A session before it has an id. */
export type NewSession = Omit<StoredSession, "id">;

/**
 * Keeps sessions for other processes and for restarts. The endpoint asks it only for unknown ids, not for each request
 * of a session in use. Each function may return a promise. If one throws or rejects, the dependent request fails with
 * 503. The endpoint waits for a promise without limit: give the connection to the store a timeout.
 */
export interface SessionStore {
  /**
   * For stores whose ids contain the session: milliseconds after its handshake at which the endpoint ends a session, even
   * in use. Such a store cannot delete a session, so `cluster` records an earlier end for this time. Default: `delete` removes
   * the session itself.
   */
  readonly lifeMs?: number;
  /** Finds a session. Called before a request with an unknown id gets 404: the id may be any visible ASCII text. */
  get(id: string): StoredSession | undefined | Promise<StoredSession | undefined>;
  /**
   * Adds or replaces a session. The client gets the response that depends on it (`initialize`, `logging/setLevel`,
   * `resources/subscribe`, `resources/unsubscribe`) afterwards; the application, the end of `setData`.
   *
   * @param ttlMs milliseconds after which the session may be dropped, unless `set` or `touch` follows
   */
  set(session: StoredSession, ttlMs: number): void | Promise<void>;
  /**
   * Keeps a session for another `ttlMs`. Called every 30 s, or every half `idleMs` if that is less, for each session that
   * was in use. Returns `false` if the session is gone: the endpoint then ends it, too.
   */
  touch(id: string, ttlMs: number): boolean | Promise<boolean>;
  /** Removes a session that its client, the application or a limit ended; it may be unknown. */
  delete(id: string): void | Promise<void>;
}

/** Characters of the longest session id: Node accepts 16 KiB of headers in all. */
const longestId = 4096;

/** Whether a text can be a session id: visible ASCII (2025-11-25, session management). */
export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && id.length <= longestId && /^[\x21-\x7e]+$/.test(id);
}

const members: Members = {
  ...{ principal: "string", revision: "text", created: "time", logLevel: "text", data: "text" },
  ...{ clientInfo: "object", clientCapabilities: "object", declared: "object", subscriptions: "texts" },
};
const required = [
  "principal",
  "revision",
  "clientCapabilities",
  "declared",
  "subscriptions",
  "created",
] as const;

/**
 * Checks what a store returned. A session with a wrong id would be opened again by each request.
 *
 * @throws {Error} it is neither `undefined` nor a session of this id
 */
export function checkedRecord(found: unknown, id: string): StoredSession | undefined {
  if (found === undefined || found === null) return undefined;
  const record = Object(found) as Partial<StoredSession>;
  const isWhole =
    record.id === id &&
    required.every((name) => record[name] !== undefined) &&
    malformedMember(record, members) === undefined &&
    (record.logLevel === undefined || isLogLevel(record.logLevel));
  if (isWhole) return found as StoredSession;
  throw new Error("get returned something else than the session of this id");
}

/** Describes a session for the store. @param created in milliseconds since 1970 */
export function recordOf({ principal, session }: ServerConnection, created: number): NewSession {
  const { revision, clientInfo, clientCapabilities, declared, logLevel, watched, data } = session!;
  return {
    principal,
    revision: revision.id,
    clientInfo: clientInfo!,
    clientCapabilities,
    declared,
    logLevel: logLevel!,
    subscriptions: [...(watched ?? [])],
    ...(data !== undefined && { data }),
    created,
  };
}

/**
 * Opens the session of a connection from its record. It counts as initialized: only `notifications/initialized` can be
 * outstanding.
 *
 * @throws {McpError} `invalid-params`, `limit-exceeded`: the memory limits do not allow it
 */
export function restore(
  connection: ServerConnection,
  revision: RevisionView<"server">,
  { clientInfo, clientCapabilities, declared, logLevel, subscriptions, data }: StoredSession,
): void {
  const weights = [[clientCapabilities, clientInfo], ...subscriptions, ...(data ? [data] : [])].map((each) =>
    weightOf(each, mostReserved),
  );
  const weight = weights.reduce((sum, each) => sum + each, 0);
  connection.definition.followChanges();
  connection.reserve(weight);
  connection.session = {
    clientInfo,
    logLevel,
    declared,
    weight,
    ready: true,
    watched: subscriptions.length > 0 ? new Set(subscriptions) : undefined,
    ...(data !== undefined && { data }),
    ...beforeHandshake(connection.definition, revision),
    clientCapabilities,
  };
}

/** A store in the memory of one process: for several endpoints of that process, and for tests. */
export class MemorySessionStore implements SessionStore {
  /**
   * Records as JSON, like a store of another process would return them. The least recently used session comes first.
   */
  readonly #sessions = new Map<string, { readonly text: string; readonly due: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get(id: string): StoredSession | undefined {
    const text = this.#find(id);
    return text === undefined ? undefined : (JSON.parse(text) as StoredSession);
  }

  set(session: StoredSession, ttlMs: number): void {
    this.#put(session.id, JSON.stringify(session), ttlMs);
    for (const [id, { due }] of this.#sessions) {
      if (due > this.#clock.now()) return;
      this.#sessions.delete(id);
    }
  }

  touch(id: string, ttlMs: number): boolean {
    const text = this.#find(id);
    if (text !== undefined) this.#put(id, text, ttlMs);
    return text !== undefined;
  }

  delete(id: string): void {
    this.#sessions.delete(id);
  }

  #find(id: string): string | undefined {
    const found = this.#sessions.get(id);
    return found && found.due > this.#clock.now() ? found.text : undefined;
  }

  #put(id: string, text: string, ttlMs: number): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, { text, due: this.#clock.now() + ttlMs });
  }
}
