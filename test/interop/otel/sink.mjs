// A collector that keeps what it gets: OTLP over HTTP, decoded by the definitions of opentelemetry-proto that it needs.
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";

/** Of opentelemetry/proto/collector, trace, metrics and common, version 1. */
const { root } = protobuf.parse(`
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message KeyValue { string key = 1; AnyValue value = 2; }
message Scope { string name = 1; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Status { string message = 2; int32 code = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
}
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
message Traces { repeated ResourceSpans resource_spans = 1; }
message NumberDataPoint { double as_double = 4; sfixed64 as_int = 6; repeated KeyValue attributes = 7; }
message Sum { repeated NumberDataPoint data_points = 1; bool is_monotonic = 3; }
message HistogramDataPoint {
  fixed64 count = 4; double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
  repeated KeyValue attributes = 9;
}
message Histogram { repeated HistogramDataPoint data_points = 1; }
message Metric { string name = 1; string unit = 3; oneof data { Sum sum = 7; Histogram histogram = 9; } }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message ResourceMetrics { repeated ScopeMetrics scope_metrics = 2; }
message Metrics { repeated ResourceMetrics resource_metrics = 1; }
`);

/** OTLP/HTTP: the message of each path. */
const messages = { "/v1/traces": "Traces", "/v1/metrics": "Metrics" };

const decoded = (path, bytes) => {
  const type = root.lookupType(messages[path]);
  return type.toObject(type.decode(bytes), { longs: Number, bytes: String, defaults: true, oneofs: false });
};

const hex = (base64) => Buffer.from(base64, "base64").toString("hex");
const attributesOf = (pairs) =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue || value.intValue || value.doubleValue || value.boolValue,
    ]),
  );

/** Starts a collector. @returns `url`, `spans()`, `metrics()`, `texts` (all bodies), `close()` */
export async function startSink() {
  const received = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      received.push({ path: request.url, type: request.headers["content-type"], bytes });
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const of = (path) => received.filter((each) => each.path === path).map(({ bytes }) => decoded(path, bytes));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    types: () => new Set(received.map(({ type }) => type)),
    text: () => Buffer.concat(received.map(({ bytes }) => bytes)).toString("latin1"),
    spans: () =>
      of("/v1/traces")
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ scope, spans }) =>
          spans.map((span) => ({
            ...span,
            scope: scope.name,
            traceId: hex(span.traceId),
            spanId: hex(span.spanId),
            parentId: hex(span.parentSpanId),
            attributes: attributesOf(span.attributes),
          })),
        ),
    metrics: () =>
      of("/v1/metrics")
        .flatMap(({ resourceMetrics }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .flatMap(({ name, unit, histogram, sum }) =>
          (histogram ?? sum).dataPoints.map((point) => ({
            ...point,
            name,
            unit,
            attributes: attributesOf(point.attributes),
          })),
        ),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
