import { AsyncLocalStorage } from "node:async_hooks";
import {
  ROOT_CONTEXT,
  type Context,
  type ContextManager,
  SpanKind,
  SpanStatusCode,
  context,
  propagation,
  trace,
} from "@opentelemetry/api";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  BasicTracerProvider,
} from "@opentelemetry/sdk-trace-base";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, McpError, createServer } from "@mcpgen/runtime";
import { instrument, instrumentation } from "@mcpgen/runtime/otel";
import { createTestPair } from "@mcpgen/runtime/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revisions } from "../support/revisions.js";

/** Keeps the active context over promises. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...given) => storage.run(active, () => run.apply(self, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

beforeAll(() => {
  context.setGlobalContextManager(contextManager());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
});
afterAll(() => {
  context.disable();
  propagation.disable();
});

/** Where spans and measurements of a test go. */
function telemetry() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 30 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const points = async () => {
    await reader.forceFlush();
    const { scopeMetrics } = measured.getMetrics().at(-1)!;
    return scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({ name: descriptor.name, attributes, value })),
      ),
    );
  };
  return { options: { tracerProvider, meterProvider }, spans: () => exporter.getFinishedSpans(), points };
}

const form = {
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
} as const;

function shop(): CodeFirstServer {
  const server = createServer(
    { name: "shop", version: "1.0.0" },
    { revisions: serverRevisions, onError: () => {} },
  );
  server.tool("order", { inputSchema: { type: "object" } }, () => "ordered");
  server.tool("fail", {}, () => {
    throw new Error("out of stock");
  });
  server.tool("refuse", {}, () => {
    throw new McpError("limit-exceeded", "too many", { rpcCode: -32600 });
  });
  server.tool("ask", {}, async (_, { ask }) => (await ask.elicit("who", form)).action);
  server.tool("nest", {}, () => String(trace.getActiveSpan()?.spanContext().spanId));
  server.prompt("hello", {}, () => "hello");
  server.resource("note://one?key=secret", { name: "one" }, () => "one");
  return server;
}

async function pair(revision: string) {
  const at = telemetry();
  const server = shop();
  instrument(server, at.options);
  const { use, onEvent } = instrumentation(at.options);
  const { client, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    use,
    onEvent,
    elicit: () => ({ action: "accept", content: { name: "Ada" } }),
  });
  return { ...at, server, client, close };
}

/** What a test compares of a span. */
function shown({ name, kind, attributes, status }: ReadableSpan) {
  const { "error.type": error } = attributes;
  return [SpanKind[kind], name, SpanStatusCode[status.code], ...(error === undefined ? [] : [error])];
}

describe.each(revisions)("spans at %s", (revision) => {
  test("have the names, kinds and outcomes of the conventions, in pairs of client and server", async () => {
    const { client, spans, close } = await pair(revision);
    await client.callTool("order");
    await client.callTool("fail");
    await client.callTool("refuse").catch(() => undefined);
    await client.getPrompt("hello");
    await client.readResource("note://one?key=secret");
    await close();
    const seen = spans().map(shown);
    const both = (name: string, status: string, ...error: string[]) => [
      ["SERVER", name, status, ...error],
      ["CLIENT", name, status, ...error],
    ];
    for (const expected of [
      ...both("tools/call order", "UNSET"),
      ...both("tools/call fail", "ERROR", "tool_error"),
      ...both("tools/call refuse", "ERROR", "-32600"),
      ...both("prompts/get hello", "UNSET"),
      ...both("resources/read", "UNSET"),
    ])
      expect(seen).toContainEqual(expected);
  });

  test("have the attributes of the conventions, and no secrets", async () => {
    const { client, spans, close } = await pair(revision);
    await client.callTool("order", { card: "secret" });
    await client.readResource("note://one?key=secret");
    await close();
    const of = (kind: SpanKind, method: string) =>
      spans().find((span) => span.kind === kind && span.attributes["mcp.method.name"] === method)!.attributes;
    const common = {
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": revision,
      "gen_ai.tool.name": "order",
      "gen_ai.operation.name": "execute_tool",
    };
    expect(of(SpanKind.CLIENT, "tools/call")).toEqual(common);
    expect(of(SpanKind.SERVER, "tools/call")).toEqual({
      ...common,
      "network.transport": "pipe",
      "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
    });
    expect(of(SpanKind.SERVER, "resources/read")).toMatchObject({ "mcp.resource.uri": "note://one" });
    expect(JSON.stringify(spans().map(({ name, attributes }) => [name, attributes]))).not.toContain("secret");
  });

  test("of a call with an ask, its rounds and its answers are one trace", async () => {
    const { client, spans, close, options } = await pair(revision);
    const tracer = options.tracerProvider.getTracer("application");
    const outer = tracer.startSpan("work");
    await context.with(trace.setSpan(context.active(), outer), () => client.callTool("ask"));
    outer.end();
    await close();
    const { traceId, spanId } = outer.spanContext();
    const inside = spans().filter((span) => span.spanContext().traceId === traceId);
    const calls = inside.filter(({ name }) => name === "tools/call ask");
    const sent = calls.filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(sent.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([spanId]);
    for (const { kind, parentSpanContext } of calls)
      if (kind === SpanKind.SERVER) expect(parentSpanContext?.spanId).toBe(sent[0]!.spanContext().spanId);
    const rounds = revision === "2026-07-28" ? 2 : 1;
    expect(calls).toHaveLength(1 + rounds);
    if (revision < "2025-06-18") return;
    const answered = inside.filter(
      ({ name, kind }) => name === "elicitation/create" && kind === SpanKind.SERVER,
    );
    expect(answered).toHaveLength(1);
  });

  test("are active in handlers", async () => {
    const { client, spans, close } = await pair(revision);
    const { content } = await client.callTool("nest");
    await close();
    const span = spans().find(({ kind, name }) => kind === SpanKind.SERVER && name === "tools/call nest")!;
    expect(content).toMatchObject([{ text: span.spanContext().spanId }]);
  });

  test("measure each request, and give names that do not exist one label", async () => {
    const { client, points, close } = await pair(revision);
    await client.callTool("order");
    for (const name of ["x1", "x2", "x3"]) await client.callTool(name).catch(() => undefined);
    await close();
    const tools = (await points())
      .filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call")
      .map(({ name, attributes, value }) => [
        name,
        attributes["gen_ai.tool.name"],
        (value as { readonly count: number }).count,
      ]);
    expect(tools).toContainEqual(["mcp.server.operation.duration", "order", 1]);
    expect(tools).toContainEqual(["mcp.client.operation.duration", "order", 1]);
    expect(tools.map(([, tool]) => tool).sort()).not.toContain("x1");
    expect((await points()).filter(({ name }) => name === "mcp.client.session.duration")).toHaveLength(1);
  });
});

test.each([
  ["not-a-traceparent"],
  ["00-00000000000000000000000000000000-0000000000000000-01"],
  [`00-${"a".repeat(32)}-${"b".repeat(16)}-01`.padEnd(20_000, "x")],
  [42],
  [{ toString: "x" }],
])("a wrong traceparent of a client begins a new trace (%#)", async (traceparent) => {
  const { client, spans, close } = await pair("2025-11-25");
  await client.request("tools/call", {
    name: "order",
    _meta: { traceparent, tracestate: "x".repeat(20_000), baggage: 7 },
  } as never);
  await close();
  const span = spans().find(({ kind, name }) => kind === SpanKind.SERVER && name === "tools/call order")!;
  expect(span.spanContext().traceId).toMatch(/^[\da-f]{32}$/);
  expect(span.spanContext().traceId).not.toBe("a".repeat(32));
});

test("an instrumentation without a provider records nothing, and sends nothing", async () => {
  const server = shop();
  const remove = instrument(server);
  const { client, wire, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    ...instrumentation(),
  });
  await client.callTool("order");
  remove();
  await client.callTool("order");
  await close();
  expect(wire.toString()).not.toContain("traceparent");
});

test("a span that is active where a traced request arrives is linked, and is not the parent", async () => {
  const { options, spans } = telemetry();
  const server = shop();
  instrument(server, options);
  const { client, close } = await createTestPair({ server, revisions: clientRevisions });
  const tracer = options.tracerProvider.getTracer("application");
  const [caller, ambient] = [tracer.startSpan("caller"), tracer.startSpan("POST /mcp")];
  const { traceId, spanId } = caller.spanContext();
  const params = { name: "order", _meta: { traceparent: `00-${traceId}-${spanId}-01` } };
  await context.with(trace.setSpan(context.active(), ambient), () =>
    client.request("tools/call", params as never),
  );
  await close();
  const span = spans().find(({ kind, name }) => kind === SpanKind.SERVER && name === "tools/call order")!;
  expect(span.parentSpanContext?.spanId).toBe(spanId);
  expect(span.links.map((link) => link.context.spanId)).toEqual([ambient.spanContext().spanId]);
});
