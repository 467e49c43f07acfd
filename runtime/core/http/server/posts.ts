import type { HeaderSource, ReceiveTable } from "@mcpgen/protocol/model";
import type { ServerChannel } from "../../jsonrpc/channel.js";
import { McpError, rateLimitedCode } from "../../jsonrpc/errors.js";
import * as rpc from "../../jsonrpc/rpc-codes.js";
import {
  valueAt,
  type MessageKind,
  type NotificationMessage,
  type Params,
  type Problem,
  type RequestId,
  type RequestMessage,
  errorText,
  idOf,
  isObject,
} from "../../jsonrpc/message.js";
import { decodeHeaderValue, keyword } from "../../protocol/param-headers.js";
import { type RevisionView, runsTools } from "../../protocol/revision-view.js";
import { ServerConnection } from "../../server/connection.js";
import {
  RequestContext,
  errorOf,
  modernProtocol,
  statedRevision,
  unsupportedVersion,
} from "../../server/request.js";
import type { RequestProtocol } from "../../server/server-definition.js";
import type { Server } from "../../server/server.js";
import {
  type Accepted,
  type Posted,
  corsHeaders,
  replyBusy,
  replyDenial,
  replyError,
  replyInvalid,
  withCors,
} from "./access.js";
import { type Awaited, type Streams, eventHeaders, eventText } from "./event-streams.js";
import {
  type Principal,
  type EventSink,
  type Exchange,
  jsonHeaders,
  retryHeaders,
  tooManyRequests,
} from "./exchange.js";
import type { ConcurrencyLimit, Quota } from "./limits.js";
import { argumentProblem } from "./param-mirrors.js";
import { isProduction } from "./production.js";

/** What the requests of clients without sessions need of the endpoint. */
export interface PostSetup {
  readonly form: ResponseForm;
  readonly streams: Streams;
  readonly concurrency: ConcurrencyLimit;
}

/** Requests of modern revisions (2026-07-28, Streamable HTTP): one request per POST, without sessions. */
export class ModernRequests {
  readonly #server: Server;
  readonly #newest: RevisionView<"server">;
  readonly #setup: PostSetup & { readonly bytes: Quota };
  readonly #mirrored = new WeakMap<object, boolean>();

  /** @param setup with the limit of the bytes reserved for listening streams */
  constructor(server: Server, newest: RevisionView<"server">, setup: PostSetup & { readonly bytes: Quota }) {
    this.#server = server;
    this.#newest = newest;
    this.#setup = setup;
  }

  /** @param stated whether the message states its revision in `_meta` */
  post(posted: Posted, stated: boolean): void {
    const { exchange, message, kind, accepted, principal: caller } = posted;
    const { form, streams, concurrency, bytes } = this.#setup;
    if (kind === "notification") return this.#notified(exchange, message as NotificationMessage, caller);
    const request = requestOf(exchange, message, kind);
    if (!request) return;
    const revision = statedRevision(this.#server.definition, request.params) ?? this.#newest;
    let protocol: RequestProtocol;
    try {
      protocol = this.#protocolOf(exchange, request, stated, revision);
    } catch (error) {
      const refusal = errorOf(error);
      const status = statusOf(refusal.rpcCode ?? 0, revision.table);
      return replyError(exchange, status === 200 ? 400 : status, request.id, refusal);
    }
    // Answered by an event stream that stays open (2026-07-28, Streamable HTTP, receiving messages).
    const listens = protocol.revision.table.incomingRequests.get(request.method)?.listening;
    if (listens && !accepted.events)
      return replyInvalid(exchange, 406, "Accept must allow text/event-stream", request.id);
    if (listens && streams.isFull(exchange.principal)) return replyBusy(exchange, request.id, "maxStreams");
    const called = toolCallOf(request, protocol.revision);
    const wrong = called && this.#mirrorProblem(exchange, called);
    const { table } = protocol.revision;
    const channel = new PostChannel(posted, { form: listens ? "auto" : form, table, streams }, [request.id]);
    if (listens) channel.bytes = bytes;
    const connection = new ServerConnection(this.#server.definition, channel, caller);
    connection.http = exchange;
    if (wrong !== undefined && this.#mayCall(connection, request, protocol, called!)) {
      connection.closed();
      return replyError(exchange, 400, request.id, mismatch(protocol.revision, wrong));
    }
    channel.follow(connection, listens ? undefined : concurrency);
    connection.requested(request, undefined, protocol);
    channel.watch();
  }

  /**
   * A notification gets no answer. The revision defines none, and no headers for one (2026-07-28, Streamable HTTP,
   * sending messages): only vendors have some.
   */
  #notified(exchange: Exchange, message: NotificationMessage, caller: Principal): void {
    if (!isObject(message.params ?? {}))
      return replyInvalid(exchange, 400, "the params of a notification are an object");
    exchange.reply(202, corsHeaders(exchange));
    const connection = new ServerConnection(this.#server.definition, silent, caller);
    connection.notified(message);
    connection.closed();
  }

  /** @throws {McpError} the headers differ from the body, or required metadata is missing */
  #protocolOf(
    exchange: Exchange,
    request: RequestMessage,
    stated: boolean,
    revision: RevisionView<"server">,
  ): RequestProtocol {
    const problem = isObject(request.params?._meta)
      ? headerProblem(exchange, revision.table.headers, request, false)
      : undefined;
    if (problem !== undefined) throw mismatch(revision, problem);
    const { definition } = this.#server;
    // Without legacy revisions, `initialize` gets the error that lists the supported ones (2026-07-28, versioning,
    // compatibility).
    if (request.method === "initialize" && definition.legacy.length === 0 && !stated)
      throw unsupportedVersion(definition, request.params?.["protocolVersion"]);
    const protocol = modernProtocol(definition, request);
    const entry = protocol.revision.table.incomingRequests.get(request.method);
    const wrong = entry?.headers && headerProblem(exchange, entry.headers, request, true);
    if (wrong !== undefined) throw mismatch(protocol.revision, wrong);
    return protocol;
  }

  /** Whether this client may call the tool. If not, the answer must not reveal the tool's headers. */
  #mayCall(
    connection: ServerConnection,
    request: RequestMessage,
    protocol: RequestProtocol,
    { name }: Params,
  ): boolean {
    const entry = protocol.revision.table.incomingRequests.get(request.method);
    if (!entry) return false;
    const context = new RequestContext(connection, request, protocol);
    try {
      return this.#server.features.tools.find(name as string, context) !== undefined;
    } catch {
      // The call itself reports this error.
      return false;
    }
  }

  /** Why the headers that mirror arguments of the called tool reject the call. Few tools mirror arguments. */
  #mirrorProblem(exchange: Exchange, { name, arguments: args }: Params): string | undefined {
    const schema = this.#server.features.tools.entries.get(name as string)?.definition.inputSchema;
    if (!isObject(schema)) return undefined;
    let mirrored = this.#mirrored.get(schema);
    if (mirrored === undefined)
      this.#mirrored.set(schema, (mirrored = JSON.stringify(schema).includes(keyword)));
    return mirrored ? argumentProblem(exchange, schema, args) : undefined;
  }
}

/**
 * The parameters of a tool call, in the words of the tools; `undefined` for any other request, and for a call that cannot
 * be translated: its own error answers it.
 */
function toolCallOf(
  { method, params = {} }: RequestMessage,
  revision: RevisionView<"server">,
): Params | undefined {
  if (!runsTools(revision.table.incomingRequests.get(method))) return undefined;
  try {
    return revision.lift("incomingRequests", method, params, undefined, false);
  } catch {
    return undefined;
  }
}

/** The request that was posted. A body that is neither a request nor a notification is answered here. */
function requestOf(
  exchange: Exchange,
  message: unknown,
  kind: MessageKind | Problem,
): RequestMessage | undefined {
  if (kind === "request") return message as RequestMessage;
  if (typeof kind === "object") return void replyInvalid(exchange, 400, kind.problem, idOf(message));
  return void replyInvalid(exchange, 400, "expected one JSON-RPC request or notification", idOf(message));
}

function mismatch(revision: RevisionView, problem: string): McpError {
  return new McpError("invalid-request", `header mismatch: ${problem}`, {
    rpcCode: revision.errorCode("HEADER_MISMATCH"),
  });
}

/**
 * Compares headers with the parts of the body that they mirror (2026-07-28, Streamable HTTP, server validation). Returns
 * the first problem.
 *
 * @param encoded whether the values may be encoded
 */
function headerProblem(
  exchange: Exchange,
  sources: readonly HeaderSource[],
  request: RequestMessage,
  encoded: boolean,
): string | undefined {
  for (const source of sources) {
    const problem = mirrorProblem(exchange, source, request, encoded);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Header names of the tables in lower case. */
const lowerCase = new Map<string, string>();

function lowerCaseOf(header: string): string {
  let name = lowerCase.get(header);
  if (name === undefined) lowerCase.set(header, (name = header.toLowerCase()));
  return name;
}

function mirrorProblem(
  exchange: Exchange,
  { header, from }: HeaderSource,
  request: RequestMessage,
  encoded: boolean,
): string | undefined {
  const expected = from && valueAt(request, from);
  if (typeof expected !== "string") return undefined;
  const raw = exchange.header(lowerCaseOf(header))?.trim();
  if (raw === undefined) return `${header} is missing`;
  const value = encoded ? decodeHeaderValue(raw) : raw;
  if (value === undefined) return `${header} is malformed`;
  return value === expected
    ? undefined
    : `${header} is ${JSON.stringify(value)}, and the body has ${JSON.stringify(expected)}`;
}

/** Form of responses: `auto` sends JSON unless another message precedes the response, or it takes long. */
export type ResponseForm = "auto" | "json" | "sse";

/** Calls a function after this turn of the event loop. Most handlers that return a promise are done by then. */
export function afterTurn(work: () => void): void {
  const { setImmediate: soon = setTimeout } = globalThis as {
    readonly setImmediate?: (work: () => void) => unknown;
  };
  soon(work);
}

/** The channel of one POST without a session. */
export class PostChannel implements ServerChannel, Awaited {
  readonly isBrief = true;
  readonly #exchange: Exchange;
  readonly #accepted: Accepted;
  readonly #form: ResponseForm;
  readonly #table: ReceiveTable;
  readonly #streams: Streams;
  /** Responses to a batch. */
  readonly #batch: string[] | undefined;
  /** Requests without an answer. */
  #open: readonly RequestId[];
  readonly #requests: number;
  #sink: EventSink | undefined;
  #over = false;
  /** `Streams` may begin the response. Most are complete before. */
  #isAwaited = false;
  /** Memory limit, for a listening stream. */
  bytes: Quota | undefined;
  /** Counts the running requests. */
  #concurrency: ConcurrencyLimit | undefined;
  /** Set while the requests are counted. */
  #connection: ServerConnection | undefined;

  get hidesErrors(): boolean {
    return isProduction();
  }

  constructor(
    { exchange, accepted }: Posted,
    { form, table, streams }: Omit<PostSetup, "concurrency"> & { readonly table: ReceiveTable },
    ids: readonly RequestId[],
    isBatch = false,
  ) {
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#form = form;
    this.#table = table;
    this.#streams = streams;
    this.#batch = isBatch ? [] : undefined;
    this.#open = ids;
    this.#requests = ids.length;
  }

  /**
   * Registers the connection and counts the requests until the response is complete or the client disconnects. Call it
   * before the requests run: a handler may respond at once.
   *
   * @param concurrency counts the requests; absent for a listening stream
   */
  follow(connection: ServerConnection, concurrency: ConcurrencyLimit | undefined): void {
    this.#connection = connection;
    this.#concurrency = concurrency;
    concurrency?.begin(this.#exchange.principal, this.#requests, this.#exchange.size);
  }

  /**
   * Keeps the connection among the open ones, and watches for disconnection. Call it after the requests have begun: most
   * are complete by then.
   */
  watch(): void {
    if (!this.#connection) return;
    this.#streams.connections.add(this.#connection);
    this.#exchange.onGone(() => this.#finish());
    if (!this.#mayStream) return;
    afterTurn(() => {
      if (this.#over || this.#sink) return;
      this.#isAwaited = true;
      this.#streams.awaits(this);
    });
  }

  begin(): EventSink {
    return this.#stream();
  }

  #finish(): void {
    const connection = this.#connection;
    const concurrency = this.#concurrency;
    if (!connection) return;
    this.#connection = undefined;
    concurrency?.end(this.#exchange.principal, this.#requests, this.#exchange.size);
    this.#streams.connections.delete(connection);
    if (this.#isAwaited) this.#streams.answered(this);
    this.#over = true;
    this.#drop();
    connection.closed();
  }

  reserve(more: number): boolean {
    const isTaken = this.bytes?.take(this.#exchange.principal, more) ?? true;
    if (!isTaken) this.#exchange.counts.limitHit("keptLimit", this.#exchange.principal);
    return isTaken;
  }

  abortedWork(more: number): void {
    this.#concurrency?.running.add(this.#exchange.principal, more);
  }

  flush(): void {}

  send(text: string): void {
    // A client that accepts no event stream misses messages before the response.
    if (!this.#over && this.#mayStream) this.#stream().write(eventText(text));
  }

  get #mayStream(): boolean {
    return this.#accepted.events && this.#form !== "json";
  }

  #stream(): EventSink {
    if (!this.#sink) {
      this.#sink = this.#exchange.openStream(200, withCors(eventHeaders, this.#exchange));
      if (this.#isAwaited) this.#streams.answered(this);
      this.#streams.opened(this.#sink, this.#exchange.principal);
    }
    return this.#sink;
  }

  #drop(): EventSink | undefined {
    const sink = this.#sink;
    if (sink) this.#streams.ended(sink);
    this.#sink = undefined;
    return sink;
  }

  answer(id: RequestId | undefined, text: string, rpcCode?: number): void {
    if (this.#over) return;
    if (this.#batch) {
      this.#batch.push(text);
      this.#open = this.#open.filter((each) => each !== id);
      if (this.#open.length > 0) return;
    }
    this.#over = true;
    // An error inside a batch does not set the status of the whole.
    if (this.#batch) this.#leave(batchText(this.#batch), undefined);
    else this.#leave(text, rpcCode);
    this.#finish();
  }

  #leave(text: string, rpcCode: number | undefined): void {
    const sink = this.#drop();
    if (sink) {
      sink.write(eventText(text));
      return sink.end();
    }
    const { denial } = this.#exchange;
    if (denial && !this.#batch) return replyDenial(this.#exchange, denial);
    const status = rpcCode === undefined ? 200 : statusOf(rpcCode, this.#table);
    const json = this.#accepted.json && (this.#form !== "sse" || !this.#accepted.events || status !== 200);
    const headers = status === tooManyRequests ? retryHeaders(text) : jsonHeaders;
    if (json) this.#exchange.reply(status, withCors(headers, this.#exchange), text);
    else this.#exchange.reply(status, withCors(eventHeaders, this.#exchange), eventText(text));
  }

  /** Replies with an error because the server is closing: with status 503, or in the event stream that is open. */
  async close(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    const error = { code: rpc.internalError, message: "the server is closing" };
    const texts = this.#open.map((id) => errorText(id, error));
    const text = this.#batch ? batchText([...this.#batch, ...texts]) : texts[0]!;
    const sink = this.#drop();
    if (sink) {
      sink.write(eventText(text));
      sink.end();
    } else this.#exchange.reply(503, withCors(jsonHeaders, this.#exchange), text);
    this.#finish();
  }
}

function batchText(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}

/** The channel of a notification, to which nothing is sent. */
export const silent: ServerChannel = {
  send() {},
  answer() {},
  flush() {},
  async close() {},
};

/** The HTTP status of an error code, by the table. */
function statusOf(rpcCode: number, { errors }: ReceiveTable): number {
  if (rpcCode === rateLimitedCode) return tooManyRequests;
  for (const name in errors) {
    const { code, http } = errors[name]!;
    if (code === rpcCode) return http ?? 200;
  }
  return 200;
}
