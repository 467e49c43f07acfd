import { SpanKind } from "@opentelemetry/api";

/** What tests compare of a span that has ended, as JSON holds it. */
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
