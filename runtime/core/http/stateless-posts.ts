import { type Session, legacyServer } from "../era/legacy-server.js";
import type { Spoken } from "../era/spoken.js";
import { type RequestMessage, idOf, isObject, isRequestId } from "../peer/message.js";
import type { Server } from "../server/server.js";
import { corsHeaders } from "./cors.js";
import type { Exchange } from "./exchange.js";
import type { Principal } from "./http-options.js";
import { refuseVersion, versionOf } from "./legacy-version.js";
import type { Accepted } from "./media.js";
import { PostChannel, type ResponseForm } from "./post-channel.js";
import { refuseInvalid } from "./refuse.js";
import type { Streams } from "./streams.js";

/** Legacy clients without sessions: nothing is remembered, and so nothing can be asked of them. */
export class StatelessPosts {
  private readonly server: Server;
  private readonly legacy: readonly Spoken<"server">[];
  private readonly form: ResponseForm;
  private readonly streams: Streams;

  constructor(server: Server, legacy: readonly Spoken<"server">[], form: ResponseForm, streams: Streams) {
    this.server = server;
    this.legacy = legacy;
    this.form = form;
    this.streams = streams;
  }

  post(exchange: Exchange, message: unknown, accepted: Accepted, { auth, principal = "" }: Principal): void {
    if (!isObject(message) || message["jsonrpc"] !== "2.0")
      return refuseInvalid(exchange, 400, "expected one JSON-RPC message", idOf(message));
    const spoken = versionOf(exchange, this.legacy);
    if (!spoken) return refuseVersion(exchange, this.legacy, message);
    if (typeof message["method"] !== "string" || !("id" in message))
      return exchange.reply(202, corsHeaders(exchange));
    if (!isRequestId(message["id"]))
      return refuseInvalid(exchange, 400, "the id of a request is a string or an integer");
    const channel = new PostChannel(exchange, accepted, this.form, spoken.table, this.streams.opened);
    const connection = this.server.attach(channel, { auth, principal });
    const opens = message["method"] === "initialize";
    connection.request(message as unknown as RequestMessage, opens ? undefined : termsOf(spoken));
    if (channel.isDone) return connection.closed();
    channel.whenDone = () => connection.closed();
    exchange.onGone(() => connection.closed());
  }
}

function termsOf(spoken: Spoken<"server">): Session {
  return {
    era: legacyServer,
    spoken,
    clientCapabilities: {},
    clientInfo: undefined,
    logLevel: "debug",
    watched: undefined,
  };
}
