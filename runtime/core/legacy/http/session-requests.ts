import type { Batches } from "@mcpgen/protocol/model";
import {
  batchesUnsupported,
  classify,
  type ErrorObject,
  errorText,
  idOf,
  internalError,
  invalidRequest,
  isObject,
  isPromise,
  isRequest,
  McpError,
  type NotificationMessage,
  type RequestId,
  stored,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { RevisionView } from "../../protocol/revision-view.js";
import { ServerConnection } from "../../server/connection.js";
import { beforeHandshake, unsupportedVersion } from "../../server/request.js";
import type { RequestProtocol, ServerDefinition } from "../../server/server-definition.js";
import type { Server } from "../../server/server.js";
import {
  type Accepted,
  type Posted,
  acceptedBy,
  corsHeaders,
  replyBusy,
  replyClosing,
  replyError,
  replyInvalid,
} from "../../http/server/access.js";
import { eventHeaders, eventText } from "../../http/server/event-streams.js";
import type { Principal, Exchange } from "../../http/server/exchange.js";
import { countWork } from "../../http/server/limits.js";
import { PostChannel, type PostSetup, type ResponseForm, silent } from "../../http/server/posts.js";
import type { EventStore, MissedEvents } from "./event-store.js";
import { type ClusterRefusal, type HttpSession, SessionStream } from "./session.js";
import { restore } from "./session-store.js";
import { StoredConnection } from "./stored-connection.js";
import type { Sessions } from "./sessions.js";
import { mayResume, withCalls } from "./stream-rights.js";

type Headers = Readonly<Record<string, string>>;

/** The parts of the endpoint that requests with sessions use. */
interface SessionSetup {
  readonly sessions: Sessions;
  readonly events: EventStore;
  readonly form: ResponseForm;
  /** Replies with the error of a request that failed. */
  readonly fail: (exchange: Exchange, message: unknown, error: unknown) => void;
}

/** Requests of legacy clients with sessions (2025-11-25, Streamable HTTP, session management). */
export class SessionRequests {
  readonly #server: Server;
  readonly #legacy: readonly RevisionView<"server">[];
  readonly #sessions: Sessions;
  readonly #events: EventStore;
  readonly #form: ResponseForm;
  readonly #fail: SessionSetup["fail"];

  constructor(
    server: Server,
    legacy: readonly RevisionView<"server">[],
    { sessions, events, form, fail }: SessionSetup,
  ) {
    this.#server = server;
    this.#legacy = legacy;
    this.#sessions = sessions;
    this.#events = events;
    this.#form = form;
    this.#fail = fail;
  }

  post(posted: Posted): void {
    const { exchange, message, principal } = posted;
    if (isObject(message) && message["method"] === "initialize") return this.#open(posted);
    const session = this.#find(exchange, principal);
    if (session) return this.#post(posted, session);
    this.#restore(exchange, principal, message, (restored) => this.#post(posted, restored));
  }

  #post(posted: Posted, session: HttpSession): void {
    const { exchange, message, principal } = posted;
    if (!this.#isServed(exchange, message)) return;
    session.connection.auth = principal.auth;
    this.#serve(posted, () => corsHeaders(exchange), session);
  }

  get(exchange: Exchange, principal: Principal): void {
    const accepted = acceptedBy(exchange.header("accept"));
    if (!accepted.events) return replyInvalid(exchange, 406, "Accept must allow text/event-stream");
    const session = this.#find(exchange, principal);
    if (session) return this.#get(exchange, accepted, session);
    this.#restore(exchange, principal, undefined, (restored) => this.#get(exchange, accepted, restored));
  }

  #get(exchange: Exchange, accepted: Accepted, session: HttpSession): void {
    if (!this.#isServed(exchange, undefined)) return;
    if (session.streamLimitReached) return replyBusy(exchange, undefined, "limits.sessions");
    const last = exchange.header("last-event-id");
    if (last !== undefined) return this.#resume(exchange, accepted, session, last);
    const headers = (): Headers => corsHeaders(exchange);
    const stream = new SessionStream(session, session.nextStream(), {
      ...{ exchange, accepted, form: this.#form, headers },
    });
    session.listen(stream);
    stream.start();
    session.connection.sendHeld();
  }

  delete(exchange: Exchange, principal: Principal): void {
    const session = this.#find(exchange, principal);
    if (session) return this.#delete(exchange, session);
    this.#restore(exchange, principal, undefined, (restored) => this.#delete(exchange, restored));
  }

  #delete(exchange: Exchange, session: HttpSession): void {
    if (!this.#isServed(exchange, undefined)) return;
    const removed = this.#sessions.remove(session, "deleted");
    const reply = (): void => exchange.reply(204, corsHeaders(exchange));
    if (!removed) return reply();
    removed.then(reply).catch((error: unknown) => this.#fail(exchange, undefined, error));
  }

  /** Finds the session that a request names in this process. */
  #find(exchange: Exchange, { principal = "" }: Principal): HttpSession | undefined {
    const id = exchange.header("mcp-session-id");
    return id === undefined ? undefined : this.#sessions.find(id, principal);
  }

  /** Whether the revision in the header is served. If not, replies with an error. */
  #isServed(exchange: Exchange, message: unknown): boolean {
    if (versionOf(exchange, this.#legacy)) return true;
    replyUnsupportedVersion(exchange, this.#server.definition, message);
    return false;
  }

  /**
   * Reads the session of a request from the store and continues with it. Replies with an error if there is none.
   *
   * @param message the posted message
   */
  #restore(
    exchange: Exchange,
    principal: Principal,
    message: unknown,
    use: (session: HttpSession) => void,
  ): void {
    const id = exchange.header("mcp-session-id");
    if (id !== undefined && this.#sessions.mayBeStored(id))
      return void this.#restored(exchange, id, principal, message)
        .then((session) => session && use(session))
        .catch((error: unknown) => this.#fail(exchange, message, error));
    if (id !== undefined) replyNoSession(exchange, message);
    else if (this.#isServed(exchange, message))
      replyInvalid(exchange, 400, "Mcp-Session-Id is missing: send initialize first", idOf(message));
  }

  /** The session in the store, if it belongs to the principal. Replies with an error if there is none. */
  async #restored(
    exchange: Exchange,
    id: string,
    { auth, principal = "" }: Principal,
    message: unknown,
  ): Promise<HttpSession | undefined> {
    const { quotas } = this.#sessions;
    const { size } = exchange;
    countWork(quotas, principal, 1, size);
    const record = await this.#sessions
      .lookUp(id, principal)
      .finally(() => countWork(quotas, principal, -1, -size));
    if (this.#sessions.isClosed) return void replyClosing(exchange);
    // Another request may have restored it.
    const known = this.#sessions.find(id, principal);
    if (known) return known;
    const revision = record && this.#legacy.find((each) => each.id === record.revision);
    if (!revision) return void replyNoSession(exchange, message);
    const session = this.#sessions.restore(record, (found) => {
      found.connection = this.#connect(found, auth, exchange);
      restore(found.connection, revision, record);
    });
    if (!session) replyBusy(exchange, idOf(message), "limits.sessions");
    await session?.peer?.read();
    return session;
  }

  #open(posted: Posted): void {
    const { exchange, message } = posted;
    const { auth, principal = "" } = posted.principal;
    const session = this.#sessions.create(principal);
    if (!session) {
      const error = internalError("there are too many sessions");
      exchange.counts.limitHit("limits.sessions", principal);
      return replyError(exchange, 503, idOf(message), error);
    }
    session.connection = this.#connect(session, auth, exchange);
    // A failed `initialize` does not open a session, and it may fail late.
    const named = (): Headers => (session.isOpen ? { "mcp-session-id": session.id } : {});
    session.whenOpening = (send) => this.#opening(exchange, message, session, send);
    session.whenAnswered = () => {
      session.whenAnswered = undefined;
      if (!session.isOpen) this.#sessions.end(session, "ended");
    };
    this.#serve(posted, () => ({ ...corsHeaders(exchange), ...named() }), session);
    if (!session.isAnswering) session.whenAnswered?.();
  }

  #connect(session: HttpSession, auth: unknown, { permits }: Exchange): ServerConnection {
    const { principal, node } = session;
    session.peer = this.#sessions.cluster?.attach(session);
    const { definition } = this.#server;
    const options = { auth, principal };
    return node === undefined && !permits
      ? new ServerConnection(definition, session, options, "legacy")
      : new StoredConnection(definition, session, options);
  }

  /** Opens the session of a handshake that succeeded, then sends its response. */
  #opening(exchange: Exchange, message: unknown, session: HttpSession, send: () => void): void {
    if (!session.connection.session) return send();
    const opening = this.#sessions.open(session);
    if (!opening) return send();
    opening.then(send).catch((error: unknown) => {
      this.#fail(exchange, message, error);
      this.#sessions.end(session, "ended");
    });
  }

  #serve({ exchange, message, accepted }: Posted, headers: () => Headers, session: HttpSession): void {
    const isBatch = Array.isArray(message);
    const messages: readonly unknown[] = isBatch ? (message as unknown[]) : [message];
    const problem = postProblem(messages, isBatch, session);
    if (problem !== undefined)
      return replyInvalid(exchange, 400, problem, isBatch ? undefined : idOf(message));
    const ids = idsOfRequests(messages);
    const { peer } = session;
    const passed = (refusal?: ClusterRefusal): void => {
      if (ids.length === 0) replyPassed(exchange, headers(), refusal);
    };
    const isPassed = peer && (ids.length === 0 || isBatch) && peer.forward(messages, passed);
    if (ids.length === 0) {
      if (!peer && messages.some((each) => isAnswerForOther(each, session.node)))
        return replyElsewhere(exchange);
      receive(session.connection, message, exchange);
      return isPassed ? undefined : exchange.reply(202, headers());
    }
    const one = isBatch ? undefined : ids[0];
    if (!session.takes(ids.length)) return replyBusy(exchange, one, "limits.work");
    const { lost } = session.quotas;
    if (lost.refusal(session.principal, 0) && !this.#sessions.endOrphaned(session))
      return replyBusy(exchange, one, "limits.work");
    const name = withCalls(session.nextStream(ids), exchange.calls);
    const stream = new SessionStream(session, name, {
      exchange,
      accepted,
      form: this.#form,
      headers,
      ids,
      isBatch,
    });
    session.expect(stream);
    stream.follow(exchange.size);
    receive(session.connection, message, exchange);
    stream.watch();
  }

  /** Sends the missed events of a stream and continues it. */
  #resume(exchange: Exchange, accepted: Accepted, session: HttpSession, last: string): void {
    const fail = (error: unknown): void => this.#fail(exchange, undefined, error);
    const read = (): ReturnType<EventStore["after"]> => this.#events.after(session.id, last);
    const readLater = (): Promise<MissedEvents | undefined> => stored(read, "event store");
    let missed: ReturnType<EventStore["after"]>;
    try {
      missed = read();
    } catch (cause) {
      return void stored(() => Promise.reject(cause as Error), "event store").catch(fail);
    }
    const resume = (found: MissedEvents | undefined): void =>
      this.#resumed(exchange, session, found, { accepted, last });
    if (!isPromise(missed)) {
      if (!missed || !exchange.permits) return resume(missed);
      // Read again, because events may arrive while the application decides.
      return void mayResume(exchange, missed.stream)
        .then((may) => may && resume(read() as MissedEvents | undefined))
        .catch(fail);
    }
    stored(() => missed, "event store")
      .then(async (found) => {
        if (found && exchange.permits && !(await mayResume(exchange, found.stream))) return;
        const stream = found && session.named(found.stream);
        if (stream) stream.resumeLater(exchange, readLater, fail);
        else resume(found);
      })
      .catch(fail);
  }

  #resumed(
    exchange: Exchange,
    session: HttpSession,
    missed: MissedEvents | undefined,
    { accepted, last }: { readonly accepted: Accepted; readonly last: string },
  ): void {
    if (!missed) return replyInvalid(exchange, 400, "there is no such event in this session");
    const stream = session.named(missed.stream);
    if (stream) return stream.resume(exchange, missed);
    const followed = session.peer?.follow(exchange, missed, last);
    if (followed === "followed") return;
    if (followed === "listens") {
      const taken = new SessionStream(session, missed.stream, {
        ...{ exchange, accepted, form: this.#form, headers: () => ({}) },
      });
      session.listen(taken);
      taken.resume(exchange, missed);
      return session.connection.sendHeld();
    }
    const sink = exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) });
    for (const { id, data } of missed.events) sink.write(eventText(data, id));
    sink.end();
  }
}

/** Requests of legacy clients without sessions. The server keeps no state and cannot send requests to them. */
export class StatelessRequests {
  readonly #server: Server;
  readonly #legacy: readonly RevisionView<"server">[];
  /** The protocol of all requests, by revision. */
  readonly #protocols: ReadonlyMap<RevisionView<"server">, RequestProtocol>;
  readonly #setup: PostSetup;

  constructor(server: Server, legacy: readonly RevisionView<"server">[], setup: PostSetup) {
    this.#server = server;
    this.#legacy = legacy;
    this.#protocols = new Map(legacy.map((revision) => [revision, protocolOf(server.definition, revision)]));
    this.#setup = setup;
  }

  post(posted: Posted): void {
    const { exchange, message } = posted;
    const { auth, principal = "" } = posted.principal;
    // The handshake negotiates the revision; its header does not matter.
    const opens = isRequest(message) && message.method === "initialize";
    const revision = versionOf(exchange, this.#legacy) ?? (opens ? this.#legacy[0] : undefined);
    if (!revision) return replyUnsupportedVersion(exchange, this.#server.definition, message);
    const problem = problemOf(message, revision);
    if (problem !== undefined) return replyInvalid(exchange, 400, problem, idOf(message));
    const messages: unknown[] = Array.isArray(message) ? message : [message];
    const requests = messages.filter(isRequest);
    const caller = { auth, principal };
    if (requests.length < messages.length) this.#notified(messages, caller, revision);
    if (requests.length === 0) return exchange.reply(202, corsHeaders(exchange));
    const ids = requests.map(({ id }) => id);
    const { form, streams, quotas } = this.#setup;
    const setup = { form, streams, quotas, table: revision.table, listens: false };
    const channel = new (Array.isArray(message) ? BatchChannel : PostChannel)(posted, setup, ids);
    const connection = new ServerConnection(this.#server.definition, channel, caller, "legacy");
    connection.http = exchange;
    const protocol = this.#protocols.get(revision);
    channel.follow(connection);
    for (const request of requests)
      connection.requested(request, undefined, request.method === "initialize" ? undefined : protocol);
    channel.watch();
  }

  /** Delivers the notifications among the messages of a POST. */
  #notified(messages: readonly unknown[], caller: Principal, revision: RevisionView<"server">): void {
    const connection = new ServerConnection(this.#server.definition, silent, caller, "legacy");
    for (const each of messages)
      if (classify(each) === "notification")
        connection.notified(each as NotificationMessage, undefined, revision);
    connection.closed();
  }
}

/** The channel of a batch, whose responses are one list. */
class BatchChannel extends PostChannel {
  protected override readonly isBatch = true;
  readonly #texts: string[] = [];
  /** Requests without an answer. */
  #open = this.ids;

  override answer(id: RequestId | undefined, text: string): void {
    this.#texts.push(text);
    this.#open = this.#open.filter((each) => each !== id);
    // An error inside a batch does not set the status of the whole.
    if (this.#open.length === 0) super.answer(undefined, batchText(this.#texts));
  }

  protected override unanswered(error: ErrorObject): string {
    return batchText([...this.#texts, ...this.#open.map((id) => errorText(id, error))]);
  }
}

function batchText(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}

/** Dispatches a message. The session does not keep its HTTP request. */
export function receive(connection: ServerConnection, message: unknown, exchange: Exchange): void {
  connection.http = exchange;
  connection.receive(message);
  connection.http = undefined;
}

/** The reason why a body is rejected; `undefined` if it is accepted. */
function problemOf(message: unknown, { revision: { batches } }: RevisionView): string | undefined {
  if (!Array.isArray(message)) return messageProblem(message);
  const opens = message.some((each) => isRequest(each) && each.method === "initialize");
  return wholeBatchProblem(message, batches) ?? (opens ? batches?.initialize : undefined);
}

/** Whether a message answers a request that another process sent. @param node name of this process */
function isAnswerForOther(message: unknown, node: string | undefined): boolean {
  if (node === undefined || classify(message) !== "response") return false;
  const { id } = message as { readonly id?: unknown };
  return typeof id === "string" && !id.startsWith(`${node}.`);
}

/** Replies that the waiting process cannot get the answer, because processes are connected only by a store. */
function replyElsewhere(exchange: Exchange): void {
  const message =
    "the answer belongs to a request of another process: such requests need a store, or a client that stays with one process";
  const details = { rpcCode: rpc.invalidRequest, data: { code: "needs-store" } };
  replyError(exchange, 400, undefined, new McpError("invalid-request", message, details));
}

/** Replies to messages that other processes wait for. */
function replyPassed(exchange: Exchange, headers: Headers, refusal: ClusterRefusal | undefined): void {
  if (!refusal) return exchange.reply(202, headers);
  const { status, error } = refusal;
  const retry: Headers = status === 503 ? { "retry-after": "1" } : {};
  replyError(exchange, status, undefined, error, { ...corsHeaders(exchange), ...retry });
}

function replyNoSession(exchange: Exchange, message: unknown): void {
  replyInvalid(exchange, 404, "there is no such session: send initialize again", idOf(message));
}

const unasked = "requests to the client need a session, and this server keeps none";

/** The protocol of a client without a handshake: only the revision is known. */
function protocolOf(definition: ServerDefinition, revision: RevisionView<"server">): RequestProtocol {
  const protocol = beforeHandshake(definition, revision);
  // All clients share the object.
  Object.freeze(protocol.clientCapabilities);
  return { ...protocol, logLevel: "debug", unasked };
}

/**
 * The revision in the header; `undefined` if it is not served. Without the header, the revision that the tables name
 * for such requests, or else the oldest (2025-11-25, protocol version header).
 */
function versionOf(
  exchange: Exchange,
  legacy: readonly RevisionView<"server">[],
): RevisionView<"server"> | undefined {
  const version = exchange.header("mcp-protocol-version");
  if (version !== undefined) return legacy.find(({ id }) => id === version);
  return legacy.find(({ table }) => table.assumed) ?? legacy.at(-1);
}

const date = /^\d{4}-\d\d-\d\d$/;

/**
 * Rejects a revision that is not served. If the header looks like a revision, the error lists the supported ones
 * (2026-07-28, versioning, negotiation).
 */
function replyUnsupportedVersion(exchange: Exchange, definition: ServerDefinition, message: unknown): void {
  const version = exchange.header("mcp-protocol-version") ?? "";
  const error = unsupportedVersion(definition, version);
  replyError(exchange, 400, idOf(message), date.test(version) ? error : invalidRequest(error.message));
}

/** The session of a POST. */
interface Conversation {
  readonly connection: ServerConnection;
  /** Defined if a request of that id is running. */
  streamOf(id: RequestId): unknown;
}

/** The reason why the messages of one POST are rejected; `undefined` if they are accepted. */
export function postProblem(
  messages: readonly unknown[],
  isBatch: boolean,
  session: Conversation,
): string | undefined {
  const batches = session.connection.session?.revision.revision.batches;
  const problem = isBatch ? wholeBatchProblem(messages, batches) : messageProblem(messages[0]);
  if (problem !== undefined) return problem;
  for (const message of messages)
    if (isRequest(message) && session.streamOf(message.id)) return "a request of this id is being answered";
  return undefined;
}

/** The reason why a value is not a message; `undefined` if it is one. */
function messageProblem(message: unknown): string | undefined {
  const kind = classify(message);
  return typeof kind === "object" ? kind.problem : undefined;
}

/**
 * The reason why a batch is rejected. Over HTTP, one invalid message rejects the whole body.
 *
 * @param batches absent if the revision has no batches
 */
function wholeBatchProblem(messages: readonly unknown[], batches: Batches | undefined): string | undefined {
  if (!batches) return batchesUnsupported;
  for (const message of messages) {
    const problem = Array.isArray(message) ? batches.nested : messageProblem(message);
    if (problem !== undefined) return problem;
  }
  return batches.problem(messages, classify);
}

/** The ids of the requests among the messages. */
export function idsOfRequests(messages: readonly unknown[]): RequestId[] {
  const ids: RequestId[] = [];
  for (const message of messages) if (isRequest(message)) ids.push(message.id);
  return ids;
}
