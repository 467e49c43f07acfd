import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import type { McpError, Params, RequestId } from "@mcpgen/runtime";
import { BoundedMap, isMcpError, isObject, longestText, shortened } from "@mcpgen/base";
import { isSuspended, type RevisionView } from "@mcpgen/runtime/extending";
import * as rpc from "@mcpgen/base/rpc-codes";

// Names follow OpenTelemetry's semantic conventions for the Model Context Protocol (status: development).

/** Attributes of methods whose params have a `name`, of a tool or a prompt. The name is also part of the span's name. */
const targets: { readonly [method: string]: { readonly name: string; readonly others?: Attributes } } = {
  "tools/call": { name: "gen_ai.tool.name", others: { "gen_ai.operation.name": "execute_tool" } },
  "prompts/get": { name: "gen_ai.prompt.name" },
};

/** Methods whose param `uri` is the URI of a resource. */
const ofResources: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/resources/updated",
]);

/** Codes for a wrong request. They are not errors of the side that answers with them. */
const faultsOfCaller: ReadonlySet<number> = new Set([
  rpc.parseError,
  rpc.invalidRequest,
  rpc.methodNotFound,
  rpc.invalidParams,
]);

/** Replaces names that must not become labels, because labels with many values are costly. */
export const other = "_OTHER";

/** Maximum length in characters of a method, name, URI or id in a span. */
const longestMethod = 256;

/** A request or notification, incoming or outgoing. */
export interface Operation {
  readonly direction: "incoming" | "outgoing";
  readonly method: string;
  readonly params: object | undefined;
  readonly context: object;
}

/** The members of an operation's context that are read here. */
interface OperationContext {
  readonly protocol?: { readonly revision: RevisionView | undefined };
  /** On servers: the address of the HTTP request. */
  readonly url?: string | undefined;
  readonly requestId?: RequestId | undefined;
  /** On clients: the id under which the request was sent. */
  readonly sentId?: RequestId | undefined;
  readonly connection?: {
    readonly sessionId?: string | undefined;
    /** On clients: the URL of the server. */
    readonly endpoint?: string | undefined;
    /** On servers: present for HTTP. */
    readonly http?: object | undefined;
  };
}

/** The outcome of an operation. */
export interface Outcome {
  readonly attributes: Attributes;
  /** Whether the operation failed. */
  readonly isError: boolean;
  /** The message of a JSON-RPC error. The other side also gets it. */
  readonly message?: string | undefined;
}

/** The facts about an operation that are known when it starts. */
export interface Begun {
  readonly spanName: string;
  /** The labels of its measurements: only attributes with few values. Operations of one kind share the object. */
  readonly labels: Attributes;
  /** Name of the tool or prompt. */
  readonly target: string | undefined;
  /** Whether the operation is a stream of notifications. */
  readonly isStream: boolean;
}

/** Returns the attribute for the name of a tool or prompt; `undefined` for other methods. */
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

/** Returns the attributes for the sampler. The other attributes are made only for recorded spans. */
export function sampled({ method }: Operation, { target }: Begun): Attributes {
  const attributes: Attributes = { "mcp.method.name": shortened(method, longestMethod) };
  if (target !== undefined) attributes[targets[method]!.name] = target;
  return attributes;
}

/** Sets the other attributes of a recorded span. @param sessions whether to set the id of the session */
export function describe(span: Span, operation: Operation, { labels }: Begun, sessions: boolean): void {
  const { direction, context } = operation;
  for (const name in labels) if (name !== "mcp.method.name") span.setAttribute(name, labels[name]!);
  const uri = resourceOf(operation);
  if (uri !== undefined) span.setAttribute("mcp.resource.uri", shortened(withoutQuery(uri), longestMethod));
  // An outgoing request of a server has the context, and so the id, of the request during which it was sent.
  if (direction === "incoming") setId(span, context);
  const sessionId = sessions ? (context as OperationContext).connection?.sessionId : undefined;
  if (sessionId !== undefined) span.setAttribute("mcp.session.id", sessionId);
}

/** The URI of the resource that an operation is about. */
function resourceOf({ method, params }: Operation): string | undefined {
  const uri = isObject(params) && ofResources.has(method) ? params["uri"] : undefined;
  return typeof uri === "string" ? uri : undefined;
}

/**
 * Maximum number of methods whose labels are cached for a revision and a transport. An application may send any number of its
 * own methods.
 */
const mostMethods = 200;

const unknownRevision = {};
/** Cached labels by revision, transport and method. */
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

/** Whether the revision defines the operation's method. The other side may invent other methods. */
export function isDefined({ direction, method, context }: Operation): boolean {
  const table = (context as OperationContext).protocol?.revision?.table;
  if (!table) return false;
  return direction === "incoming"
    ? table.incomingRequests.has(method) || table.incomingNotifications.has(method)
    : table.outgoingRequests.has(method) || table.outgoingNotifications.has(method);
}

/** Sets the id of a client's request, which is known only after it was sent. */
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

/** Cached by endpoint, since a program has few. */
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

/** Removes query and fragment, which may contain secrets. */
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
  // The result asks the client for input; the client sends the request again.
  if (isSuspended(error)) return { isError: false, attributes: { "mcpgen.input_required": true } };
  const found = isMcpError(error) ? error : undefined;
  const isIncoming = operation.direction === "incoming";
  const code = found?.remote?.code ?? found?.rpcCode ?? (isIncoming ? rpc.internalError : undefined);
  if (code === undefined) return { isError: true, attributes: { "error.type": found?.code ?? other } };
  const text = String(code);
  const status = { "rpc.response.status_code": text };
  if (isIncoming && faultsOfCaller.has(code)) return { isError: false, attributes: status };
  const attributes = { "error.type": text, ...status };
  // Messages about invalid parameters or results quote them, and they may contain secrets.
  if (!found || code === rpc.invalidParams || code === rpc.internalError)
    return { isError: true, attributes };
  return { isError: true, attributes, message: messageOf(operation, found) };
}

/**
 * Returns the message of a JSON-RPC error, without the query of the resource's URI. Returns `undefined` for a very long URI,
 * because the message may contain only a part of it.
 */
function messageOf(operation: Operation, { message }: McpError): string | undefined {
  // On clients, messages begin with the method.
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

/** Returns the outcome of an aborted operation, which sends no answer. @param reason of the abort */
export function outcomeOfAbort(reason: unknown): Outcome {
  return { isError: true, attributes: { "error.type": isMcpError(reason) ? reason.code : "cancelled" } };
}

export function endSpan(span: Span, { isError, attributes, message }: Outcome): void {
  if (attributes !== nothing) span.setAttributes(attributes);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  span.end();
}
