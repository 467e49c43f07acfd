import { SpanKind } from "@opentelemetry/api";

/** The facts about an ended span that tests compare, as JSON. */
export function factsOf(span) {
  const { name, kind, attributes, parentSpanContext } = span;
  const { traceId, spanId } = span.spanContext();
  return {
    name,
    kind: SpanKind[kind],
    traceId,
    spanId,
    parentId: parentSpanContext?.spanId,
    attributes,
    process: process.pid,
  };
}
