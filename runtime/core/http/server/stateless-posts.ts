import { beforeHandshake } from "../../server/legacy.js";
import type { RevisionView } from "../../protocol/revision-view.js";
import { initializeInBatch, isRequest } from "../../jsonrpc/classify.js";
import { idOf } from "../../jsonrpc/message.js";
import type { Server } from "../../server/server.js";
import type { RequestProtocol } from "../../server/request-protocol.js";
import { type Principal, corsHeaders } from "./access.js";
import type { Exchange } from "./exchange.js";
import { replyUnsupportedVersion, versionOf } from "./legacy-version.js";
import type { ConcurrencyLimit } from "./limits.js";
import type { Accepted } from "../shared/media.js";
import { messageProblem, wholeBatchProblem } from "./message-problem.js";
import { PostChannel, type ResponseForm } from "./post-channel.js";
import { replyInvalid } from "./http-error.js";
import type { Streams } from "./streams.js";

/** Legacy clients without sessions: nothing is remembered, and so nothing can be asked of them. */
export class StatelessPosts {
  private readonly server: Server;
  private readonly legacy: readonly RevisionView<"server">[];
  private readonly form: ResponseForm;
  private readonly streams: Streams;
  private readonly concurrency: ConcurrencyLimit;

  constructor(
    server: Server,
    legacy: readonly RevisionView<"server">[],
    form: ResponseForm,
    streams: Streams,
    concurrency: ConcurrencyLimit,
  ) {
    this.server = server;
    this.legacy = legacy;
    this.form = form;
    this.streams = streams;
    this.concurrency = concurrency;
  }

  post(exchange: Exchange, message: unknown, accepted: Accepted, { auth, principal = "" }: Principal): void {
    // A handshake settles the revision, whatever its headers say.
    const opens = isRequest(message) && message.method === "initialize";
    const spoken = versionOf(exchange, this.legacy) ?? (opens ? this.legacy[0] : undefined);
    if (!spoken) return replyUnsupportedVersion(exchange, this.server.definition, message);
    const problem = problemOf(message, spoken);
    if (problem !== undefined) return replyInvalid(exchange, 400, problem, idOf(message));
    const requests = (Array.isArray(message) ? message : [message]).filter(isRequest);
    if (requests.length === 0) return exchange.reply(202, corsHeaders(exchange));
    const count = Array.isArray(message) ? requests.length : undefined;
    const channel = new PostChannel(exchange, accepted, this.form, spoken.table, this.streams, count);
    const connection = this.server.attach(channel, { auth, principal });
    const terms = termsOf(spoken);
    channel.follow(connection, this.concurrency);
    for (const request of requests)
      connection.request(request, request.method === "initialize" ? undefined : terms);
    channel.watch();
  }
}

/** Why what was posted cannot be taken. */
function problemOf(message: unknown, { table }: RevisionView): string | undefined {
  if (!Array.isArray(message)) return messageProblem(message);
  const opens = message.some((each) => isRequest(each) && each.method === "initialize");
  return wholeBatchProblem(message, table.batches) ?? (opens ? initializeInBatch : undefined);
}

const unasked = "requests of the server's own need a session, and it keeps none";

/** What is known of a client without a handshake: the revision alone. */
function termsOf(spoken: RevisionView<"server">): RequestProtocol {
  return { ...beforeHandshake(spoken), logLevel: "debug", unasked };
}
