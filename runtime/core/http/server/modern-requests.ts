import type { HeaderSource, IncomingRequest, ReceiveTable } from "@mcpgen/protocol/model";
import {
  type MessageKind,
  type NotificationMessage,
  type Problem,
  type RequestMessage,
  idOf,
  isObject,
} from "../../jsonrpc/message.js";
import { McpError } from "../../jsonrpc/errors.js";
import { decodeHeaderValue, keyword, valueAt } from "../../protocol/param-headers.js";
import type { RevisionView } from "../../protocol/revision-view.js";
import type { ServerConnection } from "../../server/connection.js";
import { RequestContext, errorOf } from "../../server/context.js";
import { modernProtocol, unsupportedVersion, type RequestProtocol } from "../../server/request-protocol.js";
import type { Server } from "../../server/server.js";
import type { Accepted } from "../shared/media.js";
import { type Principal, corsHeaders, replyBusy, replyError, replyInvalid } from "./access.js";
import type { Exchange } from "./exchange.js";
import type { ConcurrencyLimit, Quota } from "./limits.js";
import { argumentProblem } from "./param-mirrors.js";
import { PostChannel, type ResponseForm, statusOf } from "./post-channel.js";
import type { Streams } from "./streams.js";

/** This method is answered by an event stream that stays open (2026-07-28, Streamable HTTP, receiving messages). */
const listening = "subscriptions/listen";

/** Requests of modern revisions (2026-07-28, Streamable HTTP): one request per POST, without sessions. */
export class ModernRequests {
  private readonly server: Server;
  private readonly newest: RevisionView<"server">;
  private readonly form: ResponseForm;
  private readonly streams: Streams;
  private readonly concurrency: ConcurrencyLimit;
  private readonly bytes: Quota;
  private readonly mirrored = new WeakMap<object, boolean>();

  /**
   * @param bytes limit of the bytes reserved for listening streams
   */
  constructor(
    server: Server,
    newest: RevisionView<"server">,
    form: ResponseForm,
    streams: Streams,
    concurrency: ConcurrencyLimit,
    bytes: Quota,
  ) {
    this.server = server;
    this.newest = newest;
    this.form = form;
    this.streams = streams;
    this.concurrency = concurrency;
    this.bytes = bytes;
  }

  /**
   * @param kind of the message
   * @param stated whether the message states its revision in `_meta`
   */
  post(
    exchange: Exchange,
    message: unknown,
    kind: MessageKind | Problem,
    stated: boolean,
    accepted: Accepted,
    { auth, principal = "" }: Principal,
  ): void {
    const request = requestOf(exchange, message, kind);
    if (!request) return;
    let protocol: RequestProtocol;
    try {
      protocol = this.protocolOf(exchange, request, stated);
    } catch (error) {
      const refusal = errorOf(error);
      const status = statusOf(refusal.rpcCode ?? 0, this.newest.table);
      return replyError(exchange, status === 200 ? 400 : status, request.id, refusal);
    }
    const { table } = protocol.revision;
    const listens = request.method === listening;
    if (listens && !accepted.events)
      return replyInvalid(exchange, 406, "Accept must allow text/event-stream", request.id);
    if (listens && this.streams.isFull(principal)) return replyBusy(exchange, request.id);
    const form = listens ? "auto" : this.form;
    const schema = this.mirroredSchema(request);
    const wrong = schema && argumentProblem(exchange, schema, request.params?.["arguments"]);
    const channel = new PostChannel(exchange, accepted, form, table, this.streams);
    if (listens) channel.bytes = this.bytes;
    const connection = this.server.attach(channel, { auth, principal });
    if (wrong !== undefined && this.mayCall(connection, request, protocol)) {
      connection.closed();
      return replyError(exchange, 400, request.id, mismatch(protocol.revision, wrong));
    }
    channel.follow(connection, listens ? undefined : this.concurrency);
    connection.request(request, protocol);
    channel.watch();
  }

  /** @throws {McpError} the headers differ from the body, or required metadata is missing */
  private protocolOf(exchange: Exchange, request: RequestMessage, stated: boolean): RequestProtocol {
    const problem = isObject(request.params?._meta)
      ? standardProblem(exchange, this.newest.table, request)
      : undefined;
    if (problem !== undefined) throw mismatch(this.newest, problem);
    const { definition } = this.server;
    // Without legacy revisions, `initialize` gets the error that lists the supported ones (2026-07-28, versioning,
    // compatibility).
    if (request.method === "initialize" && definition.legacy.length === 0 && !stated)
      throw unsupportedVersion(definition, request.params?.["protocolVersion"]);
    const protocol = modernProtocol(definition, request);
    const entry = protocol.revision.table.incomingRequests.get(request.method);
    const wrong = entry && methodProblem(exchange, entry, request);
    if (wrong !== undefined) throw mismatch(protocol.revision, wrong);
    return protocol;
  }

  /** Whether this client may call the tool. If not, the answer must not reveal the tool's headers. */
  private mayCall(connection: ServerConnection, request: RequestMessage, protocol: RequestProtocol): boolean {
    const entry = protocol.revision.table.incomingRequests.get(request.method);
    if (!entry?.accepts(request)) return false;
    const context = new RequestContext(connection, request, protocol, entry);
    try {
      return this.server.features.tools.find(request.params?.["name"] as string, context) !== undefined;
    } catch {
      // The call itself reports this error.
      return false;
    }
  }

  /** The input schema of the called tool, if it mirrors parameters in headers. */
  private mirroredSchema({ method, params }: RequestMessage): object | undefined {
    if (method !== "tools/call") return undefined;
    const schema = this.server.features.tools.entries.get(params?.["name"] as string)?.definition.inputSchema;
    if (!isObject(schema)) return undefined;
    let mirrored = this.mirrored.get(schema);
    if (mirrored === undefined)
      this.mirrored.set(schema, (mirrored = JSON.stringify(schema).includes(keyword)));
    return mirrored ? schema : undefined;
  }
}

/** The request that was posted. Any other body is answered here. */
function requestOf(
  exchange: Exchange,
  message: unknown,
  kind: MessageKind | Problem,
): RequestMessage | undefined {
  if (kind === "request") return message as RequestMessage;
  if (typeof kind === "object") return void replyInvalid(exchange, 400, kind.problem, idOf(message));
  if (kind !== "notification")
    return void replyInvalid(exchange, 400, "expected one JSON-RPC request or notification", idOf(message));
  if (!isObject((message as NotificationMessage).params ?? {}))
    return void replyInvalid(exchange, 400, "the params of a notification are an object");
  return void exchange.reply(202, corsHeaders(exchange));
}

function mismatch(revision: RevisionView, problem: string): McpError {
  return new McpError("invalid-request", `header mismatch: ${problem}`, {
    rpcCode: revision.errorCode("HEADER_MISMATCH"),
  });
}

/**
 * Compares the headers that every request has with the body (2026-07-28, Streamable HTTP, server validation). Returns
 * the first problem.
 */
function standardProblem(
  exchange: Exchange,
  { headers }: ReceiveTable,
  request: RequestMessage,
): string | undefined {
  for (const source of headers) {
    const problem = mirrorProblem(exchange, source, request, false);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Compares the headers that mirror parameters of the method with the body. Returns the first problem. */
function methodProblem(
  exchange: Exchange,
  { headers = [] }: IncomingRequest,
  request: RequestMessage,
): string | undefined {
  for (const source of headers) {
    const problem = mirrorProblem(exchange, source, request, true);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function mirrorProblem(
  exchange: Exchange,
  { header, from }: HeaderSource,
  request: RequestMessage,
  encoded: boolean,
): string | undefined {
  const expected = from && valueAt(request, from);
  if (typeof expected !== "string") return undefined;
  const raw = exchange.header(header.toLowerCase())?.trim();
  if (raw === undefined) return `${header} is missing`;
  const value = encoded ? decodeHeaderValue(raw) : raw;
  if (value === undefined) return `${header} is malformed`;
  return value === expected
    ? undefined
    : `${header} is ${JSON.stringify(value)}, and the body has ${JSON.stringify(expected)}`;
}
