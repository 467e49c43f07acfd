import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import { type McpError, isMcpError, rpc } from "../jsonrpc/errors.js";
import { type Params, type RequestId, isObject } from "../jsonrpc/message.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { isSuspended } from "../server/rounds.js";

// The names are those of OpenTelemetry's semantic conventions for the Model Context Protocol (status: development).

/** Attributes of the methods whose requests name what they are about: it is also a part of the name of the span. */
const targets: { readonly [method: string]: { readonly name: string; readonly others?: Attributes } } = {
  "tools/call": { name: "gen_ai.tool.name", others: { "gen_ai.operation.name": "execute_tool" } },
  "prompts/get": { name: "gen_ai.prompt.name" },
};

/** Codes that say that the request was wrong: they are no errors of the side that answers with them. */
const faultsOfCaller: ReadonlySet<number> = new Set([
  rpc.parseError,
  rpc.invalidRequest,
  rpc.methodNotFound,
  rpc.invalidParams,
]);

/** Stands for names that are no labels: labels with many values are costly. */
export const other = "_OTHER";

/** Characters of the longest method in a span. */
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
  readonly message?: string;
}

/** What is known of an operation at its begin. */
export interface Begun {
  readonly spanName: string;
  /** Of its span. */
  readonly attributes: Attributes;
  /** Of its measurements: only attributes with few values. */
  readonly labels: Attributes;
  /** Attribute and name of the tool or prompt. */
  readonly target?: readonly [attribute: string, name: string];
  /** A stream of notifications is open until the operation ends. */
  readonly isStream: boolean;
}

/** @param sessions whether ids of sessions are attributes */
export function begun({ direction, method, params, context }: Operation, sessions: boolean): Begun {
  const { name, uri } = isObject(params) ? params : {};
  const { connection, protocol } = context as OperationContext;
  const revision = protocol?.revision;
  const isKnown = direction === "outgoing" || isDefined(revision, method);
  const kind = Object.hasOwn(targets, method) ? targets[method] : undefined;
  const target = kind && typeof name === "string" ? ([kind.name, name] as const) : undefined;
  const labels = {
    "mcp.method.name": isKnown ? method : other,
    ...(revision && { "mcp.protocol.version": revision.id }),
    ...kind?.others,
    ...transportOf(context),
  };
  const sessionId = sessions ? connection?.sessionId : undefined;
  return {
    spanName: target ? `${method} ${target[1]}` : labels["mcp.method.name"],
    labels,
    attributes: {
      ...labels,
      "mcp.method.name": method.slice(0, longestMethod),
      ...(target && { [target[0]]: target[1] }),
      ...(typeof uri === "string" && { "mcp.resource.uri": withoutQuery(uri) }),
      // The context of an outgoing request of a server is that of the request that it belongs to.
      ...(direction === "incoming" && idOf(context)),
      ...(sessionId !== undefined && { "mcp.session.id": sessionId }),
    },
    ...(target && { target }),
    isStream: direction === "incoming" && revision?.table.incomingRequests.get(method)?.listening === true,
  };
}

/** Whether the revision has a method: another one may be invented by the other side. */
function isDefined(revision: RevisionView | undefined, method: string): boolean {
  if (!revision) return false;
  const { incomingRequests, incomingNotifications } = revision.table;
  return incomingRequests.has(method) || incomingNotifications.has(method);
}

/** What is known of an operation only when it has been sent: the id of a client's request. */
export function sentAs({ direction, context }: Operation): Attributes {
  return direction === "outgoing" && !("url" in context) ? idOf(context) : {};
}

function idOf(context: object): Attributes {
  const { sentId, requestId = sentId } = context as OperationContext;
  return requestId === undefined ? {} : { "jsonrpc.request.id": String(requestId) };
}

/** The transport, and on a client the server's address. */
function transportOf(context: object): Attributes {
  const { connection = {}, url } = context as OperationContext;
  const { endpoint, http, sessionId } = connection;
  if (endpoint !== undefined) return { ...overHttp, ...addressOf(endpoint) };
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
    address = { "server.address": hostname, "server.port": Number(port || defaultPorts[protocol]) };
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

const succeeded: Outcome = { isError: false, attributes: {} };

export function outcomeOfError({ direction, method }: Operation, error: unknown): Outcome {
  // The client is asked, and sends the request again.
  if (isSuspended(error)) return { isError: false, attributes: { "mcpgen.input_required": true } };
  const found = isMcpError(error) ? error : undefined;
  const isIncoming = direction === "incoming";
  const code = isIncoming ? (found?.rpcCode ?? rpc.internalError) : found && codeOfAnswer(found);
  if (code === undefined) return { isError: true, attributes: { "error.type": found?.code ?? other } };
  const text = String(code);
  const status = { "rpc.response.status_code": text };
  if (isIncoming && faultsOfCaller.has(code)) return { isError: false, attributes: status };
  const attributes = { "error.type": text, ...status };
  if (!found) return { isError: true, attributes };
  // The errors of a client name the method.
  const prefix = isIncoming ? "" : `${method}: `;
  const message = found.message.startsWith(prefix) ? found.message.slice(prefix.length) : found.message;
  return { isError: true, attributes, message };
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
  span.setAttributes(attributes);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  span.end();
}
