import { type Context, type Span, context as contexts, createContextKey } from "@opentelemetry/api";
import type { RequestId } from "@mcpgen/runtime";

/** The connection of a server: it chooses the id of each request to the client. */
interface Numbering {
  requestId?(number: number): RequestId;
}

const key = createContextKey("mcpgen span of a request to the client");
const numbered = new WeakSet<object>();

/**
 * Lets a request that a server sends give its id to its span: the id is chosen only when the request is sent. The active context
 * leads from there to the span, so an application without a context manager gets no ids.
 *
 * @returns the context to send the request in
 */
export function expectId(connection: object, span: Span, context: Context): Context {
  if (!numbered.has(connection)) {
    numbered.add(connection);
    const numbering = connection as Numbering;
    const requestId = numbering.requestId?.bind(numbering);
    numbering.requestId = (number) => {
      const id = requestId?.(number) ?? number;
      (contexts.active().getValue(key) as Span | undefined)?.setAttribute("jsonrpc.request.id", String(id));
      return id;
    };
  }
  return context.setValue(key, span);
}
