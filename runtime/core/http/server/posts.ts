import type { HeaderSource, ReceiveTable } from "@mcpgen/protocol/model";
import {
  afterTurn,
  type ErrorObject,
  errorText,
  idOf,
  isObject,
  isProduction,
  McpError,
  type MessageKind,
  type NotificationMessage,
  type Problem,
  rateLimitedCode,
  type RequestId,
  type RequestMessage,
  type ServerChannel,
  valueAt,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { fromBase64 } from "../../protocol/binary-content.js";
import {
  type ParamHeader,
  encodedEnd,
  encodedStart,
  keyword,
  paramHeadersOf,
} from "../../protocol/param-headers.js";
import { codeAt } from "../../protocol/error-table.js";
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
import type { EndpointQuotas } from "./limits.js";

/** What the requests of clients without sessions need of the endpoint. */
export interface PostSetup {
  readonly form: ResponseForm;
  readonly streams: Streams;
  readonly quotas: EndpointQuotas;
}

/** The responses of a POST, as its requests need them. */
interface ResponseSetup extends PostSetup {
  readonly table: ReceiveTable;
  /** It answers by an event stream that stays open: it is counted as a reader, not as work. */
  readonly listens: boolean;
}

/** Requests of modern revisions (2026-07-28, Streamable HTTP): one request per POST, without sessions. */
export class ModernRequests {
  readonly #server: Server;
  readonly #newest: RevisionView<"server">;
  readonly #setup: PostSetup;
  readonly #mirrored = new WeakMap<object, boolean>();

  constructor(server: Server, newest: RevisionView<"server">, setup: PostSetup) {
    this.#server = server;
    this.#newest = newest;
    this.#setup = setup;
  }

  /** @param stated whether the message states its revision in `_meta` */
  post(posted: Posted, stated: boolean): void {
    const { exchange, message, kind, accepted, principal: caller } = posted;
    const { form, streams, quotas } = this.#setup;
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
    const { table } = protocol.revision;
    const listens = table.incomingRequests.get(request.method)?.listening === true;
    if (listens && !accepted.events)
      return replyInvalid(exchange, 406, "Accept must allow text/event-stream", request.id);
    if (listens && streams.isFull(exchange.principal))
      return replyBusy(exchange, request.id, "limits.sessions");
    const setup = { form: listens ? ("auto" as const) : form, streams, quotas, table, listens };
    const channel = new PostChannel(posted, setup, [request.id]);
    const connection = new ServerConnection(this.#server.definition, channel, caller);
    connection.http = exchange;
    channel.follow(connection);
    const judged = this.#judged(exchange, connection, request, protocol);
    if (!judged) connection.requested(request, undefined, protocol);
    else {
      let isGone = false;
      connection.onEnd(() => (isGone = true));
      void judged.then((problem) => {
        if (isGone) return;
        if (problem) connection.refuse(request.id, problem);
        else connection.requested(request, undefined, protocol);
      });
    }
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

  /**
   * Judges the headers of a call that mirror its arguments. Returns nothing if they are right, or nothing describes the tool: most
   * calls go on in this turn.
   */
  #judged(
    exchange: Exchange,
    connection: ServerConnection,
    request: RequestMessage,
    protocol: RequestProtocol,
  ): Promise<McpError | undefined> | undefined {
    const { method, params = {} } = request;
    const { revision } = protocol;
    const { tools, describeTool } = this.#server.features;
    let called = params;
    try {
      if (revision.translates) called = revision.lift("incomingRequests", method, params, undefined, false);
    } catch {
      // A call that cannot be translated is answered by its own error.
      return undefined;
    }
    const name = called["name"] as string;
    const tool = tools.entries.get(name);
    if (tool ? !this.#mirrors(tool.definition.inputSchema) : !describeTool) return undefined;
    if (!runsTools(revision.table.incomingRequests.get(method))) return undefined;
    const problemBy = (schema: unknown): string | undefined =>
      this.#mirrors(schema)
        ? paramProblem(exchange, paramHeadersOf(schema).headers, called["arguments"])
        : undefined;
    const problem = tool && problemBy(tool.definition.inputSchema);
    if (tool && problem === undefined) return undefined;
    const context = new RequestContext(connection, request, protocol);
    const judge = async (): Promise<string | undefined> => {
      // If this client may not call the tool, the answer must not reveal its headers.
      if (tool) return tools.find(name, context) && problem;
      return problemBy((await describeTool!(name, context))?.inputSchema);
    };
    return judge().then(
      (found) => (found === undefined ? found : mismatch(revision, found)),
      // The call of a registered tool reports this error.
      (error: unknown) => (tool ? undefined : context.errorOf(error)),
    );
  }

  /** Whether a schema declares headers. Few do. */
  #mirrors(schema: unknown): boolean {
    if (!isObject(schema)) return false;
    let mirrors = this.#mirrored.get(schema);
    if (mirrors === undefined)
      this.#mirrored.set(schema, (mirrors = JSON.stringify(schema).includes(keyword)));
    return mirrors;
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
    rpcCode: codeAt(revision, "HEADER_MISMATCH"),
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

/** Decodes the value of a header; `undefined` if it is malformed. */
export function decodeHeaderValue(header: string): string | undefined {
  if (
    !header.startsWith(encodedStart) ||
    !header.endsWith(encodedEnd) ||
    header.length < encodedStart.length + encodedEnd.length
  )
    return /^[\t\x20-\x7e]*$/.test(header) ? header : undefined;
  const bytes = fromBase64(header.slice(encodedStart.length, -encodedEnd.length));
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The canonical spelling of a decimal number, without rounding; `undefined` if the text is not a number. */
function canonical(text: string): string | undefined {
  const [, sign, whole = "", fraction = "", power = 0] = decimal.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const all = whole + fraction;
  let end = all.length;
  while (all[end - 1] === "0") end--;
  const digits = all.slice(0, end).replace(/^0+/, "");
  return digits === "" ? "0" : `${sign}${digits}e${Number(power) + whole.length - end}`;
}

/** Whether a header holds this number: 42.0 equals 42. */
function isNumber(value: string, expected: number): boolean {
  const text = String(expected);
  return value === text || (canonical(value) ?? "none") === canonical(text);
}

/** Compares the headers that mirror arguments of a tool with them (2026-07-28, custom headers). Returns the first problem. */
export function paramProblem(
  exchange: Exchange,
  headers: readonly ParamHeader[],
  args: unknown,
): string | undefined {
  for (const { header, name, path, type } of headers) {
    const raw = exchange.header(header)?.trim();
    const expected = valueAt(args, path);
    if (expected === undefined) {
      if (raw !== undefined) return `${name} is there, and the body has no such argument`;
      continue;
    }
    if (raw === undefined) return `${name} is missing`;
    const value = decodeHeaderValue(raw);
    if (value === undefined) return `${name} is malformed`;
    const same =
      type === "integer" && typeof expected === "number"
        ? isNumber(value, expected)
        : value === String(expected);
    if (!same) return `${name} is ${JSON.stringify(value)}, and the body has ${JSON.stringify(expected)}`;
  }
  return undefined;
}

/** Form of responses: `auto` sends JSON unless another message precedes the response, or it takes long. */
export type ResponseForm = "auto" | "json" | "sse";

/** The channel of one POST without a session. */
export class PostChannel implements ServerChannel, Awaited {
  readonly isBrief = true;
  readonly #exchange: Exchange;
  readonly #accepted: Accepted;
  readonly #setup: ResponseSetup;
  /** The ids of its requests. */
  protected readonly ids: readonly RequestId[];
  /** Its responses are one list. */
  protected readonly isBatch: boolean = false;
  #sink: EventSink | undefined;
  #over = false;
  /** `Streams` may begin the response. Most are complete before. */
  #isAwaited = false;
  /** Set while the requests are counted. */
  #connection: ServerConnection | undefined;

  get hidesErrors(): boolean {
    return isProduction();
  }

  constructor({ exchange, accepted }: Posted, setup: ResponseSetup, ids: readonly RequestId[]) {
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#setup = setup;
    this.ids = ids;
  }

  /**
   * Registers the connection and counts the requests until the response is complete or the client disconnects. Call it
   * before the requests run: a handler may respond at once.
   */
  follow(connection: ServerConnection): void {
    this.#connection = connection;
    this.#count(1);
  }

  /** @param sign -1 ends the counting */
  #count(sign: 1 | -1): void {
    const { listens, quotas } = this.#setup;
    const { principal, size } = this.#exchange;
    if (listens) return;
    quotas.work.take(principal, 0, sign * this.ids.length);
    quotas.bodies.take(principal, sign * size, 0);
  }

  /**
   * Keeps the connection among the open ones, and watches for disconnection. Call it after the requests have begun: most
   * are complete by then.
   */
  watch(): void {
    if (!this.#connection) return;
    this.#setup.streams.connections.add(this.#connection);
    this.#exchange.onGone(() => this.#finish());
    if (!this.#mayStream) return;
    afterTurn(() => {
      if (this.#over || this.#sink) return;
      this.#isAwaited = true;
      this.#setup.streams.awaits(this);
    });
  }

  begin(): EventSink {
    return this.#stream();
  }

  #finish(): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    this.#count(-1);
    this.#setup.streams.connections.delete(connection);
    if (this.#isAwaited) this.#setup.streams.answered(this);
    this.#over = true;
    this.#drop();
    connection.closed();
  }

  reserve(more: number): boolean {
    const { listens, quotas } = this.#setup;
    const { principal, counts } = this.#exchange;
    const isTaken = !listens || quotas.sessions.admit(principal, more, 0) === undefined;
    if (!isTaken) counts.limitHit("limits.memory", principal);
    return isTaken;
  }

  abortedWork(more: number): void {
    if (!this.#setup.listens) this.#setup.quotas.work.take(this.#exchange.principal, 0, more);
  }

  flush(): void {}

  send(text: string): void {
    // A client that accepts no event stream misses messages before the response.
    if (!this.#over && this.#mayStream) this.#stream().write(eventText(text));
  }

  get #mayStream(): boolean {
    return this.#accepted.events && this.#setup.form !== "json";
  }

  #stream(): EventSink {
    if (!this.#sink) {
      this.#sink = this.#exchange.openStream(200, withCors(eventHeaders, this.#exchange));
      if (this.#isAwaited) this.#setup.streams.answered(this);
      this.#setup.streams.opened(this.#sink, this.#exchange.principal);
    }
    return this.#sink;
  }

  #drop(): EventSink | undefined {
    const sink = this.#sink;
    if (sink) this.#setup.streams.ended(sink);
    this.#sink = undefined;
    return sink;
  }

  answer(_id: RequestId | undefined, text: string, rpcCode?: number): void {
    if (this.#over) return;
    this.#over = true;
    this.#leave(text, rpcCode);
    this.#finish();
  }

  #leave(text: string, rpcCode: number | undefined): void {
    const sink = this.#drop();
    if (sink) {
      sink.write(eventText(text));
      return sink.end();
    }
    const { denial } = this.#exchange;
    if (denial && !this.isBatch) return replyDenial(this.#exchange, denial);
    const status = rpcCode === undefined ? 200 : statusOf(rpcCode, this.#setup.table);
    const json =
      this.#accepted.json && (this.#setup.form !== "sse" || !this.#accepted.events || status !== 200);
    const headers = status === tooManyRequests ? retryHeaders(text) : jsonHeaders;
    if (json) this.#exchange.reply(status, withCors(headers, this.#exchange), text);
    else this.#exchange.reply(status, withCors(eventHeaders, this.#exchange), eventText(text));
  }

  /** Replies with an error because the server is closing: with status 503, or in the event stream that is open. */
  async close(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    const text = this.unanswered(closingError);
    const sink = this.#drop();
    if (sink) {
      sink.write(eventText(text));
      sink.end();
    } else this.#exchange.reply(503, withCors(jsonHeaders, this.#exchange), text);
    this.#finish();
  }

  /** The response where requests end without one. */
  protected unanswered(error: ErrorObject): string {
    return errorText(this.ids[0], error);
  }
}

const closingError = { code: rpc.internalError, message: "the server is closing" };

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
