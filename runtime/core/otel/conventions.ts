import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import { isMcpError } from "../jsonrpc/errors.js";
import { rpc } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { InternalContext, MiddlewareRequest } from "../protocol/hooks.js";
import { isSuspended } from "../server/rounds.js";

// The names are those of OpenTelemetry's semantic conventions for the Model Context Protocol (status: development).

/** Attributes of the methods whose requests name what they are about: it is also a part of the name of the span. */
const targets: { readonly [method: string]: { readonly name: string; readonly others?: Attributes } } = {
  "tools/call": { name: "gen_ai.tool.name", others: { "gen_ai.operation.name": "execute_tool" } },
  "prompts/get": { name: "gen_ai.prompt.name" },
};

/** How a request ended. */
export interface Outcome {
  readonly attributes: Attributes;
  /** The request failed. */
  readonly isError: boolean;
  /** Of a JSON-RPC error: the other side gets it, too. */
  readonly message?: string;
}

/** What is known of a request at its begin. */
export interface Begun {
  readonly spanName: string;
  /** Of its span. */
  readonly attributes: Attributes;
  /** Of its measurements: only attributes with few values. */
  readonly labels: Attributes;
  /** Attribute and name of the tool or prompt. */
  readonly target?: readonly [attribute: string, name: string];
}

/** @param sessions whether ids of sessions are attributes */
export function begun({ direction, method, params, context }: MiddlewareRequest, sessions: boolean): Begun {
  const { name, uri } = params as Params;
  const { connection, requestId, revision } = context as InternalContext;
  const kind = targets[method];
  const target = kind && typeof name === "string" ? ([kind.name, name] as const) : undefined;
  const labels = {
    "mcp.method.name": method,
    "mcp.protocol.version": revision,
    ...kind?.others,
    ...transportOf(direction, context),
  };
  const { sessionId } = connection ?? {};
  return {
    spanName: target ? `${method} ${target[1]}` : method,
    labels,
    attributes: {
      ...labels,
      ...(target && { [target[0]]: target[1] }),
      ...(typeof uri === "string" && { "mcp.resource.uri": withoutQuery(uri) }),
      // An outgoing request of a server has the context of the request that it belongs to.
      ...(direction === "incoming" && requestId !== undefined && { "jsonrpc.request.id": String(requestId) }),
      ...(sessions && sessionId !== undefined && { "mcp.session.id": sessionId }),
    },
    ...(target && { target }),
  };
}

/** The transport of a request that a server received. */
function transportOf(direction: string, context: object): Attributes {
  if (direction !== "incoming" || !("url" in context)) return {};
  if (context.url === undefined) return { "network.transport": "pipe" };
  return { "network.transport": "tcp", "network.protocol.name": "http" };
}

/** Query and fragment may hold secrets. */
function withoutQuery(uri: string): string {
  return uri.replace(/[?#].*$/s, "");
}

export function outcomeOfResult(result: object): Outcome {
  const isError = (result as Params)["isError"] === true;
  return { isError, attributes: isError ? { "error.type": "tool_error" } : {} };
}

export function outcomeOfError(direction: string, error: unknown): Outcome {
  // The client is asked, and sends the request again.
  if (isSuspended(error)) return { isError: false, attributes: { "mcpgen.input_required": true } };
  const found = isMcpError(error) ? error : undefined;
  const code = found ? found.rpcCode : direction === "incoming" ? rpc.internalError : undefined;
  if (code === undefined) return { isError: true, attributes: { "error.type": found?.code ?? "_OTHER" } };
  const text = String(code);
  const attributes = { "error.type": text, "rpc.response.status_code": text };
  return { isError: true, attributes, ...(found && { message: found.message }) };
}

export function endSpan(span: Span, { isError, attributes, message }: Outcome): void {
  span.setAttributes(attributes);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  span.end();
}
