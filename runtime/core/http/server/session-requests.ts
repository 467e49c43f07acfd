import type { RevisionView } from "../../protocol/revision-view.js";
import { McpError, rpc } from "../../jsonrpc/errors.js";
import { idOf, isObject } from "../../jsonrpc/message.js";
import type { Server } from "../../server/server.js";
import { type Principal, corsHeaders } from "./access.js";
import { type EventStore, eventHeaders, eventText } from "./events.js";
import type { Exchange } from "./exchange.js";
import { replyUnsupportedVersion, versionOf } from "./legacy-version.js";
import { type Accepted, acceptedBy } from "../shared/media.js";
import { idsOfRequests, postProblem } from "./message-problem.js";
import type { ResponseForm } from "./post-channel.js";
import { replyError, replyBusy, replyInvalid } from "./http-error.js";
import { type HttpSession, SessionStream } from "./session.js";
import type { Sessions } from "./sessions.js";

type Headers = Readonly<Record<string, string>>;

/** Requests of legacy clients with sessions (2025-11-25, Streamable HTTP, session management). */
export class SessionRequests {
  private readonly server: Server;
  private readonly legacy: readonly RevisionView<"server">[];
  private readonly sessions: Sessions;
  private readonly events: EventStore;
  private readonly form: ResponseForm;

  constructor(
    server: Server,
    legacy: readonly RevisionView<"server">[],
    sessions: Sessions,
    events: EventStore,
    form: ResponseForm,
  ) {
    this.server = server;
    this.legacy = legacy;
    this.sessions = sessions;
    this.events = events;
    this.form = form;
  }

  post(exchange: Exchange, message: unknown, accepted: Accepted, principal: Principal): void {
    if (isObject(message) && message["method"] === "initialize")
      return this.open(exchange, message, accepted, principal);
    const session = this.find(exchange, principal, message);
    if (!session) return;
    session.connection.auth = principal.auth;
    this.serve(exchange, message, accepted, () => corsHeaders(exchange), session);
  }

  get(exchange: Exchange, principal: Principal): void {
    const accepted = acceptedBy(exchange.header("accept"));
    if (!accepted.events) return replyInvalid(exchange, 406, "Accept must allow text/event-stream");
    const session = this.find(exchange, principal, undefined);
    if (!session) return;
    if (session.streamLimitReached) return replyBusy(exchange, undefined);
    const last = exchange.header("last-event-id");
    if (last !== undefined) return this.resume(exchange, session, last);
    const stream = new SessionStream(session, session.nextStream(), exchange, accepted, this.form, () =>
      corsHeaders(exchange),
    );
    session.listen(stream);
    stream.start();
  }

  delete(exchange: Exchange, principal: Principal): void {
    const session = this.find(exchange, principal, undefined);
    if (!session) return;
    this.sessions.end(session);
    exchange.reply(204, corsHeaders(exchange));
  }

  /** Finds the session of a request. Replies with an error if there is none. */
  private find(exchange: Exchange, { principal = "" }: Principal, message: unknown): HttpSession | undefined {
    const given = exchange.header("mcp-session-id");
    const id = idOf(message);
    const session = given === undefined ? undefined : this.sessions.find(given, principal);
    if (given !== undefined && !session)
      return void replyInvalid(exchange, 404, "there is no such session: send initialize again", id);
    if (!versionOf(exchange, this.legacy))
      return void replyUnsupportedVersion(exchange, this.server.definition, message);
    if (!session) replyInvalid(exchange, 400, "Mcp-Session-Id is missing: send initialize first", id);
    return session;
  }

  private open(
    exchange: Exchange,
    message: unknown,
    accepted: Accepted,
    { auth, principal = "" }: Principal,
  ): void {
    const session = this.sessions.create(principal);
    if (!session) {
      const error = new McpError("internal-error", "there are too many sessions", {
        rpcCode: rpc.internalError,
      });
      return replyError(exchange, 503, idOf(message), error);
    }
    session.connection = this.server.attach(session, { auth, principal });
    // A failed initialize opens no session, and it may fail late.
    const isOpen = (): boolean => session.connection.session !== undefined;
    const named = (): Headers => (isOpen() ? { "mcp-session-id": session.id } : {});
    session.whenAnswered = () => {
      session.whenAnswered = undefined;
      if (!isOpen()) this.sessions.end(session);
    };
    this.serve(exchange, message, accepted, () => ({ ...corsHeaders(exchange), ...named() }), session);
    if (!session.isAnswering) session.whenAnswered?.();
  }

  private serve(
    exchange: Exchange,
    message: unknown,
    accepted: Accepted,
    headers: () => Headers,
    session: HttpSession,
  ): void {
    const isBatch = Array.isArray(message);
    const messages: readonly unknown[] = isBatch ? (message as unknown[]) : [message];
    const problem = postProblem(messages, isBatch, session);
    if (problem !== undefined)
      return replyInvalid(exchange, 400, problem, isBatch ? undefined : idOf(message));
    const ids = idsOfRequests(messages);
    const { connection } = session;
    if (ids.length === 0) {
      connection.receive(message);
      return exchange.reply(202, headers());
    }
    const isTaken =
      session.takes(ids.length) &&
      (session.concurrency.lost.allows(session.principal, 1) || this.sessions.endOrphaned(session));
    if (!isTaken) return replyBusy(exchange, isBatch ? undefined : ids[0]);
    const name = session.nextStream();
    const stream = new SessionStream(session, name, exchange, accepted, this.form, headers, ids, isBatch);
    session.expect(ids, stream);
    stream.follow(exchange.size);
    connection.receive(message);
    stream.watch();
  }

  /** Sends the missed events of a stream and continues it. */
  private resume(exchange: Exchange, session: HttpSession, last: string): void {
    const missed = this.events.after(session.id, last);
    if (!missed) return replyInvalid(exchange, 400, "there is no such event in this session");
    const stream = session.named(missed.stream);
    if (stream) return stream.resume(exchange, missed.events);
    const sink = exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) });
    for (const { id, data } of missed.events) sink.write(eventText(data, id));
    sink.end();
  }
}
