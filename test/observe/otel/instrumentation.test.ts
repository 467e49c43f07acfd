import { SpanKind, SpanStatusCode, context, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { createTestPair } from "@mcpgen/testing";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { revisions } from "../../support/revisions.js";
import { shop } from "./shop.js";
import { telemetry, useOpenTelemetry } from "./telemetry.js";

useOpenTelemetry();

async function pair(revision: string, replay = false) {
  const at = telemetry();
  const places: string[] = [];
  const server = shop((place) => places.push(place), replay);
  /** Waits until handlers were there. */
  const opened = (place: string, times = 1) =>
    expect.poll(() => places.filter((each) => each === place).length).toBeGreaterThanOrEqual(times);
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
  return { ...at, opened, server, client, close };
}

/** One operation of a test, and how it ended on each side. */
interface Operation {
  readonly method: string;
  readonly params?: { readonly [name: string]: unknown };
  /** Of a JSON-RPC error. */
  readonly code?: number;
  /** `error.type` on both sides, if the operation ended without a response, or with `isError`. */
  readonly error?: { readonly CLIENT: string; readonly SERVER: string };
}

/** The text of the conventions as data: the parts of an operation's span, on each side. */
function conventional(
  { method, params = {}, code, error }: Operation,
  kind: "CLIENT" | "SERVER",
  revision: string,
) {
  const target = { "tools/call": "gen_ai.tool.name", "prompts/get": "gen_ai.prompt.name" }[method];
  // The codes that the conventions exempt on the side that answers.
  const isFault = kind === "SERVER" && [-32700, -32600, -32601, -32602, -32002].includes(code ?? 0);
  const type = code === undefined ? error?.[kind] : isFault ? undefined : String(code);
  return {
    name: target ? `${method} ${String(params["name"])}` : method,
    kind,
    status: type === undefined ? "UNSET" : "ERROR",
    attributes: {
      "mcp.method.name": method,
      "mcp.protocol.version": revision,
      "network.transport": "pipe",
      ...(target && { [target]: params["name"] }),
      ...(method === "tools/call" && { "gen_ai.operation.name": "execute_tool" }),
      ...(params["uri"] !== undefined && { "mcp.resource.uri": String(params["uri"]).replace(/[?#].*/, "") }),
      ...(code !== undefined && { "rpc.response.status_code": String(code) }),
      ...(type !== undefined && { "error.type": type }),
    },
  };
}

/** The parts of a span that a test compares. */
function shown({ name, kind, attributes: all, status }: ReadableSpan) {
  const attributes = Object.fromEntries(
    Object.entries(all).filter(([each]) => each !== "jsonrpc.request.id"),
  );
  return { name, kind: SpanKind[kind], status: SpanStatusCode[status.code], attributes };
}

const both = (error: string) => ({ CLIENT: error, SERVER: error });

describe.each(revisions)("spans at %s", (revision) => {
  const isModern = revision === "2026-07-28";

  test("equal the conventions, for each method and outcome, on both sides", async () => {
    const { client, spans, close, opened } = await pair(revision);
    const call = (name: string, more: object = {}): Operation => ({
      method: "tools/call",
      params: { name, ...more },
    });
    const operations: Operation[] = [
      ...(isModern ? [] : [{ method: "ping" }, { method: "logging/setLevel", params: { level: "error" } }]),
      ...(isModern ? [] : [{ method: "resources/subscribe", params: { uri: "note://one?key=secret" } }]),
      ...(isModern ? [] : [{ method: "resources/unsubscribe", params: { uri: "note://one?key=secret" } }]),
      { method: "tools/list" },
      { method: "prompts/list" },
      { method: "resources/list" },
      { method: "resources/templates/list" },
      call("order", { arguments: { card: "secret" } }),
      { ...call("fail"), error: both("tool_error") },
      { ...call("refuse"), code: -32600 },
      { ...call("overload"), code: -32050 },
      { ...call("absent"), code: -32602 },
      { method: "prompts/get", params: { name: "hello" } },
      { method: "resources/read", params: { uri: "note://one?key=secret" } },
    ];
    for (const { method, params } of operations)
      await client.request(method as never, (params ?? {}) as never).catch(() => undefined);
    const stop = new AbortController();
    const cancelled = client.callTool("wait", {}, { signal: stop.signal });
    await opened("wait");
    stop.abort();
    await cancelled.catch(() => undefined);
    await client.callTool("wait", {}, { timeout: 1 }).catch(() => undefined);
    await opened("cancelled", 2);
    const interrupted = client.callTool("wait").catch(() => undefined);
    await opened("wait", 3);
    await close();
    await interrupted;
    await opened("cancelled", 3);
    operations.push(
      { ...call("wait"), error: both("cancelled") },
      { ...call("wait"), error: { CLIENT: "timeout", SERVER: "cancelled" } },
      { ...call("wait"), error: both("connection-closed") },
    );
    const requests = spans()
      .map(shown)
      .filter(({ attributes: { "mcp.method.name": name } }) => !/^notif|^init|discover/.test(String(name)));
    const order = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    const expected = operations.flatMap((each) => [
      conventional(each, "CLIENT", revision),
      conventional(each, "SERVER", revision),
    ]);
    expect(requests.sort(order)).toEqual(expected.sort(order));
    // Each request has the same id on both sides.
    for (const kind of [SpanKind.CLIENT, SpanKind.SERVER])
      for (const span of spans().filter((each) => each.kind === kind && each.name.startsWith("tools/call")))
        expect(span.attributes["jsonrpc.request.id"]).toMatch(/^\d+$/);
    expect(JSON.stringify(spans().map(({ name, attributes }) => [name, attributes]))).not.toContain("secret");
  });

  test("of the opening and of notifications equal the conventions", async () => {
    const { client, spans, close } = await pair(revision);
    await client.callTool("notify", {}, { onProgress: () => {} });
    await close();
    const seen = spans().map(shown);
    const opening = isModern ? ["server/discover"] : ["initialize"];
    for (const method of opening)
      for (const kind of ["CLIENT", "SERVER"] as const)
        expect(seen).toContainEqual(conventional({ method }, kind, revision));
    const notified = [
      ...(isModern ? [] : [["notifications/initialized", "CLIENT", "SERVER"]]),
      ["notifications/progress", "CLIENT", "SERVER"],
    ] as const;
    for (const [method, ...kinds] of notified)
      for (const kind of kinds)
        expect(seen).toContainEqual(conventional({ method: method! }, kind as "CLIENT", revision));
    const find = (name: string, kind: SpanKind) =>
      spans().find((each) => each.name === name && each.kind === kind)!;
    const sent = find("notifications/progress", SpanKind.CLIENT);
    expect(sent.parentSpanContext?.spanId).toBe(
      find("tools/call notify", SpanKind.SERVER).spanContext().spanId,
    );
    const received = find("notifications/progress", SpanKind.SERVER);
    expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
  });

  const replays = revision === "2026-07-28" ? [false, true] : [false];

  test.each(replays)("of a call with an ask and its answers form one trace (replay: %s)", async (replay) => {
    const { client, spans, close, options } = await pair(revision, replay);
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
    // A handler that runs again has a span in each round.
    expect(calls).toHaveLength(1 + (replay ? 2 : 1));
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

test("a span that is active when a traced request arrives is linked, and is not the parent", async () => {
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

test.each([false, true])(
  "the rounds of a client without traces form one trace (replay: %s)",
  async (replay) => {
    const { options, spans } = telemetry();
    const server = shop(undefined, replay);
    instrument(server, options);
    const { client, close } = await createTestPair({
      server,
      revisions: clientRevisions,
      revision: "2026-07-28",
      elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    });
    await client.callTool("ask");
    await close();
    const [first, second, ...more] = spans().filter(({ name }) => name === "tools/call ask");
    expect(more).toEqual([]);
    if (!replay)
      return expect([second, first!.attributes["mcpgen.input_required"]]).toEqual([undefined, undefined]);
    // `requestState` carries the trace.
    expect(first!.attributes["mcpgen.input_required"]).toBe(true);
    expect(second!.spanContext().traceId).toBe(first!.spanContext().traceId);
    expect(second!.parentSpanContext?.spanId).toBe(first!.spanContext().spanId);
  },
);

test("a client over HTTP names its server, and both name the transport", async () => {
  const { options, spans } = telemetry();
  const server = shop();
  instrument(server, options);
  const http = await serveHttp(server, { port: 0 });
  const client = await connect(`${http.url}?key=secret`, {
    revisions: clientRevisions,
    ...instrumentation(options),
  });
  await client.callTool("order");
  await client.close();
  await http.close();
  const { port } = new URL(http.url);
  const common = { "network.transport": "tcp", "network.protocol.name": "http" };
  const calls = spans().filter(({ name }) => name === "tools/call order");
  expect(calls.map(({ kind }) => kind).sort()).toEqual([SpanKind.SERVER, SpanKind.CLIENT].sort());
  const [sent, answered] = [SpanKind.CLIENT, SpanKind.SERVER].map((kind) =>
    calls.find((each) => each.kind === kind)!,
  );
  expect(sent!.attributes).toMatchObject({
    ...common,
    "server.address": "127.0.0.1",
    "server.port": Number(port),
  });
  expect(answered!.attributes).toMatchObject(common);
  expect(answered!.parentSpanContext?.spanId).toBe(sent!.spanContext().spanId);
  expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain("secret");
});

test("no OpenTelemetry is in the bundle of a server that does not use it", async () => {
  const { metafile } = await build({
    stdin: {
      contents: 'import "@mcpgen/runtime/all"; import "@mcpgen/runtime/http";',
      resolveDir: process.cwd(),
    },
    ...{ bundle: true, write: false, metafile: true, platform: "node", format: "esm", logLevel: "error" },
    conditions: ["mcpgen-source"],
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(20);
  expect(inputs.filter((path) => /otel|opentelemetry/.test(path))).toEqual([]);
});
