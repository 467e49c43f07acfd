import { type Context, SpanKind, type TextMapGetter, context, propagation, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { clientRevisions } from "@mcpgen/protocol";
import { instrument } from "@mcpgen/observe/otel";
import { createTestPair } from "@mcpgen/testing";
import { afterEach, expect, test } from "vitest";
import { useContextManager } from "../../support/open-telemetry.mjs";
import { shop } from "./shop.js";
import { telemetry } from "./telemetry.js";

afterEach(() => [propagation, context].forEach((api) => api.disable()));

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const parts = `${traceId}-${spanId}-01`;

/** The span of a call with such `_meta`, and how often the propagator was asked for its context. */
async function spanOf(_meta: object, fields: readonly string[], more = new W3CTraceContextPropagator()) {
  let asked = 0;
  useContextManager();
  propagation.setGlobalPropagator({
    inject: () => {},
    extract: (from: Context, carrier: unknown, getter: TextMapGetter) => {
      asked++;
      return more.extract(from, carrier, getter);
    },
    fields: () => [...fields],
  });
  const { options, spans } = telemetry();
  const server = shop();
  instrument(server, options);
  const { client, close } = await createTestPair({ server, revisions: clientRevisions });
  await client.request("tools/call", { name: "order", _meta } as never);
  await close();
  const found = spans().find(({ kind, name }) => kind === SpanKind.SERVER && name === "tools/call order")!;
  return { asked, traceId: found.spanContext().traceId, parent: found.parentSpanContext?.spanId };
}

const w3c = ["traceparent", "tracestate", "baggage"];

test.each([`00-${parts}`, `cc-${parts}`, `cc-${parts}-later`, ` 00-${parts} `])(
  "the traceparent %j is the parent",
  async (traceparent) => {
    expect(await spanOf({ traceparent }, w3c)).toEqual({ asked: 1, traceId, parent: spanId });
  },
);

test.each([
  `00-${parts}-later`,
  `00-${parts}x`,
  `ff-${parts}`,
  `00-${parts.toUpperCase()}`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId}-${spanId}`,
  `00_${parts}`,
  `00-${"g".repeat(32)}-${spanId}-01`,
  "",
  7,
])("the traceparent %j is not used as a parent", async (traceparent) => {
  const found = await spanOf({ traceparent, tracestate: "=,=,", baggage: "=;=,%%%" }, w3c);
  expect(found.parent).toBeUndefined();
  expect(found.traceId).toMatch(/^[\da-f]{32}$/);
  // Only version 00 forbids a trailing part, and only the propagator may decide that.
  expect(found.asked).toBe(traceparent === `00-${parts}-later` ? 1 : 0);
});

test.each([[["x-trace"]], [["tracestate"]], [[]]])(
  "a propagator with the fields %j decides itself what it reads",
  async (fields) => {
    const own = new W3CTraceContextPropagator();
    own.extract = (from, carrier, getter) => {
      const text = String(getter.get(carrier, fields[0] ?? "x-trace"));
      const [id, span] = text.split("/") as [string, string];
      return trace.setSpanContext(from, { traceId: id, spanId: span, traceFlags: 1, isRemote: true });
    };
    const _meta = { [fields[0] ?? "x-trace"]: `${traceId}/${spanId}`, traceparent: "malformed" };
    expect(await spanOf(_meta, fields, own)).toMatchObject({ traceId, parent: spanId });
  },
);
