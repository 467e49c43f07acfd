import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import type { McpError, Params, RequestId } from "@mcpgen/runtime";
import { BoundedMap, isMcpError, isObject, longestText, shortened } from "@mcpgen/base";
import { isSuspended, type RevisionView } from "@mcpgen/runtime/extending";
import * as rpc from "@mcpgen/base/rpc-codes";

// The names are those of OpenTelemetry's semantic conventions for the Model Context Protocol (status: development).

/** Attributes of the methods whose requests name what they are about: it is also a part of the name of the span. */
const targets: { readonly [method: string]: { readonly name: string; readonly others?: Attributes } } = {
  "tools/call": { name: "gen_ai.tool.name", others: { "gen_ai.operation.name": "execute_tool" } },
  "prompts/get": { name: "gen_ai.prompt.name" },
};

/** The methods whose parameter `uri` is the URI of a resource. */
const ofResources: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/resources/updated",
]);

/** Codes that say that the request was wrong: they are no errors of the side that answers with them. */
const faultsOfCaller: ReadonlySet<number> = new Set([
  rpc.parseError,
  rpc.invalidRequest,
  rpc.methodNotFound,
  rpc.invalidParams,
]);

/** Stands for names that are no labels: labels with many values are costly. */
export const other = "_OTHER";

/** Characters of the longest method, name, URI or id in a span. */
const longestMethod = 256;

/** A request or a notification of either role. */
export interface Operation {
  readonly direction: "incoming" | "outgoing";
  readonly method: string;
  readonly params: object | undefined;
  readonly context: object;
}

/** What an operation may have in its context. */
interface OperationContext {
  readonly protocol?: { readonly revision: RevisionView | undefined };
  /** On servers: the address of the HTTP request. */
  readonly url?: string | undefined;
  readonly requestId?: RequestId | undefined;
  /** On clients: the id under which the request was sent. */
  readonly sentId?: RequestId | undefined;
  readonly connection?: {
    readonly sessionId?: string | undefined;
    /** On clients. */
    readonly endpoint?: string | undefined;
    /** On servers. */
    readonly http?: object | undefined;
  };
}

/** How an operation ended. */
export interface Outcome {
  readonly attributes: Attributes;
  /** The operation failed. */
  readonly isError: boolean;
  /** Of a JSON-RPC error: the other side gets it, too. */
  readonly message?: string | undefined;
}

/** What is known of an operation at its begin. */
export interface Begun {
  readonly spanName: string;
  /** Of its measurements: only attributes with few values. Most operations share the object. */
  readonly labels: Attributes;
  /** Name of the tool or prompt. */
  readonly target: string | undefined;
  /** A stream of notifications is open until the operation ends. */
  readonly isStream: boolean;
}

/** The attribute that names the tool or prompt of a method. */
export function targetOf(method: string): string | undefined {
  return Object.hasOwn(targets, method) ? targets[method]!.name : undefined;
}

export function begun(operation: Operation): Begun {
  const { direction, method, params, context } = operation;
  const revision = (context as OperationContext).protocol?.revision;
  const isIncoming = direction === "incoming";
  const known = isIncoming && !isDefined(operation) ? other : method;
  const name = Object.hasOwn(targets, method) ? (params as Params | undefined)?.["name"] : undefined;
  const target = typeof name === "string" ? shortened(name, longestMethod) : undefined;
  return {
    spanName: target === undefined ? known : `${method} ${target}`,
    labels: labelsOf(known, revision, transportOf(context)),
    target,
    isStream: isIncoming && revision?.table.incomingRequests.get(method)?.listening === true,
  };
}

/** The attributes that a sampler gets. The others are made only for a span that is recorded. */
export function sampled({ method }: Operation, { target }: Begun): Attributes {
  const attributes: Attributes = { "mcp.method.name": shortened(method, longestMethod) };
  if (target !== undefined) attributes[targets[method]!.name] = target;
  return attributes;
}

/** Sets the other attributes of a span that is recorded. @param sessions whether ids of sessions are attributes */
export function describe(span: Span, operation: Operation, { labels }: Begun, sessions: boolean): void {
  const { direction, context } = operation;
  for (const name in labels) if (name !== "mcp.method.name") span.setAttribute(name, labels[name]!);
  const uri = resourceOf(operation);
  if (uri !== undefined) span.setAttribute("mcp.resource.uri", shortened(withoutQuery(uri), longestMethod));
  // The context of an outgoing request of a server is that of the request that it belongs to.
  if (direction === "incoming") setId(span, context);
  const sessionId = sessions ? (context as OperationContext).connection?.sessionId : undefined;
  if (sessionId !== undefined) span.setAttribute("mcp.session.id", sessionId);
}

/** The URI of the resource that an operation is about. */
function resourceOf({ method, params }: Operation): string | undefined {
  const uri = isObject(params) && ofResources.has(method) ? params["uri"] : undefined;
  return typeof uri === "string" ? uri : undefined;
}

/** Most methods whose labels are kept for a revision and a transport: an application may invent the methods that it sends. */
const mostMethods = 200;

const unknownRevision = {};
/** Labels by revision, transport and method. */
const kept = new WeakMap<object, Map<Attributes, BoundedMap<string, Attributes>>>();

function labelsOf(method: string, revision: RevisionView | undefined, transport: Attributes): Attributes {
  const place = revision ?? unknownRevision;
  let byTransport = kept.get(place);
  if (!byTransport) kept.set(place, (byTransport = new Map()));
  let byMethod = byTransport.get(transport);
  if (!byMethod)
    byTransport.set(transport, (byMethod = new BoundedMap({ count: mostMethods, full: "refuse" })));
  let labels = byMethod.get(method);
  if (!labels) {
    const others = Object.hasOwn(targets, method) ? targets[method]!.others : undefined;
    labels = {
      "mcp.method.name": method,
      ...(revision && { "mcp.protocol.version": revision.id }),
      ...others,
      ...transport,
    };
    byMethod.set(method, labels);
  }
  return labels;
}

/** Whether the revision has the method of an operation: another one may be invented. */
export function isDefined({ direction, method, context }: Operation): boolean {
  const table = (context as OperationContext).protocol?.revision?.table;
  if (!table) return false;
  return direction === "incoming"
    ? table.incomingRequests.has(method) || table.incomingNotifications.has(method)
    : table.outgoingRequests.has(method) || table.outgoingNotifications.has(method);
}

/** Sets what is known of an operation only when it has been sent: the id of a client's request. */
export function describeSent(span: Span, { direction, context }: Operation): void {
  if (direction === "outgoing" && !("url" in context)) setId(span, context);
}

function setId(span: Span, context: object): void {
  const { sentId, requestId = sentId } = context as OperationContext;
  if (requestId !== undefined)
    span.setAttribute("jsonrpc.request.id", shortened(String(requestId), longestMethod));
}

/** The transport, and on a client the server's address. */
function transportOf(context: object): Attributes {
  const { connection, url } = context as OperationContext;
  if (!connection) return url === undefined ? overPipe : overHttp;
  const { endpoint, http, sessionId } = connection;
  if (endpoint !== undefined) return addressOf(endpoint);
  if (url !== undefined || http !== undefined || sessionId !== undefined) return overHttp;
  return overPipe;
}

export const overPipe: Attributes = { "network.transport": "pipe" };
export const overHttp: Attributes = { "network.transport": "tcp", "network.protocol.name": "http" };

const defaultPorts: { readonly [scheme: string]: number } = { "http:": 80, "https:": 443 };

/** By endpoint: a program has few. */
const addresses = new Map<string, Attributes>();

function addressOf(endpoint: string): Attributes {
  let address = addresses.get(endpoint);
  if (!address) {
    const { hostname, port, protocol } = new URL(endpoint);
    const server = { "server.address": hostname, "server.port": Number(port || defaultPorts[protocol]) };
    address = { ...overHttp, ...server };
    addresses.set(endpoint, address);
  }
  return address;
}

/** Query and fragment may hold secrets. */
function withoutQuery(uri: string): string {
  return uri.replace(/[?#].*$/s, "");
}

export function outcomeOfResult(result: unknown): Outcome {
  const isError = isObject(result) && (result as Params)["isError"] === true;
  return isError ? { isError, attributes: { "error.type": "tool_error" } } : succeeded;
}

const nothing: Attributes = {};
const succeeded: Outcome = { isError: false, attributes: nothing };

export function outcomeOfError(operation: Operation, error: unknown): Outcome {
  // The client is asked, and sends the request again.
  if (isSuspended(error)) return { isError: false, attributes: { "mcpgen.input_required": true } };
  const found = isMcpError(error) ? error : undefined;
  const isIncoming = operation.direction === "incoming";
  const code = isIncoming ? (found?.rpcCode ?? rpc.internalError) : found && codeOfAnswer(found);
  if (code === undefined) return { isError: true, attributes: { "error.type": found?.code ?? other } };
  const text = String(code);
  const status = { "rpc.response.status_code": text };
  if (isIncoming && faultsOfCaller.has(code)) return { isError: false, attributes: status };
  const attributes = { "error.type": text, ...status };
  // What is wrong with parameters or with a result quotes it, and it may hold secrets.
  if (!found || code === rpc.invalidParams || code === rpc.internalError)
    return { isError: true, attributes };
  return { isError: true, attributes, message: messageOf(operation, found) };
}

/** The message of a JSON-RPC error, without the query of the resource that it is about; none if that may be cut off in it. */
function messageOf(operation: Operation, { message }: McpError): string | undefined {
  // The errors of a client name the method.
  const prefix = operation.direction === "incoming" ? "" : `${operation.method}: `;
  const text = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  const uri = resourceOf(operation);
  if (!uri) return shortened(text, longestText);
  return uri.length > longestText
    ? undefined
    : shortened(
        text.replaceAll(uri, () => withoutQuery(uri)),
        longestText,
      );
}

/** The code with which the other side answered. A server keeps it in the error that the client sent. */
function codeOfAnswer({ code, rpcCode, data }: McpError): number | undefined {
  if (rpcCode !== undefined || code !== "remote-error" || !isObject(data)) return rpcCode;
  return typeof data["code"] === "number" ? data["code"] : undefined;
}

/** An operation that was aborted: nothing is sent for it. @param reason of the abort */
export function outcomeOfAbort(reason: unknown): Outcome {
  return { isError: true, attributes: { "error.type": isMcpError(reason) ? reason.code : "cancelled" } };
}

export function endSpan(span: Span, { isError, attributes, message }: Outcome): void {
  if (attributes !== nothing) span.setAttributes(attributes);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  span.end();
}
