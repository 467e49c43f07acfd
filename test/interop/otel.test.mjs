// OpenTelemetry with third-party exporters and programs: a collector's sink, Prometheus, and a trace through the
// official SDK.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { SpanStatusCode, context, propagation, trace } from "@opentelemetry/api";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { newFolder, start } from "../engines/guarded.mjs";
import { lackOf, pathOf } from "../support/programs.mjs";
import { freePorts } from "../support/free-ports.mjs";
import { until } from "../support/until.mjs";
import { startSink } from "./otel/sink.mjs";
import { telemetryTo } from "./otel/telemetry.mjs";
import { started } from "./started.mjs";

const relay = fileURLToPath(new URL("otel/relay.mjs", import.meta.url));
/** OTLP: SPAN_KIND_SERVER and SPAN_KIND_CLIENT. */
const kinds = { SERVER: 2, CLIENT: 3 };
const secret = "not for collectors";

let sink;
before(async () => void (sink = await startSink()));
after(() => sink.close());

function shop() {
  const server = createServer({ name: "shop", version: "1.0.0" }, { revisions: serverRevisions });
  server.tool("order", { inputSchema: { type: "object" } }, () => "ordered");
  server.tool("fail", {}, () => {
    throw new Error("out of stock");
  });
  return server;
}

test("a collector decodes the spans and measurements of a server and a client", async () => {
  const { options, flush } = telemetryTo(sink.url);
  const server = shop();
  instrument(server, options);
  const http = await serveHttp(server, { port: 0 });
  const client = await connect(http.url, { revisions: clientRevisions, ...instrumentation(options) });
  const outer = options.tracerProvider.getTracer("application").startSpan("work");
  await context.with(trace.setSpan(context.active(), outer), async () => {
    await client.callTool("order", { card: secret });
    await client.callTool("fail");
    await client.callTool("absent").catch(() => {});
  });
  outer.end();
  await client.close();
  await http.close();
  await flush();

  const { traceId } = outer.spanContext();
  const spans = sink.spans().filter((span) => span.traceId === traceId);
  const shown = spans
    .filter(({ scope }) => scope === "@mcpgen/runtime")
    .map(({ name, kind, status, attributes }) => [name, kind, status?.code ?? 0, attributes["error.type"]])
    .sort();
  assert.deepEqual(
    shown,
    [
      ["tools/call absent", kinds.CLIENT, SpanStatusCode.ERROR, "-32602"],
      ["tools/call absent", kinds.SERVER, SpanStatusCode.UNSET, undefined],
      ["tools/call fail", kinds.CLIENT, SpanStatusCode.ERROR, "tool_error"],
      ["tools/call fail", kinds.SERVER, SpanStatusCode.ERROR, "tool_error"],
      ["tools/call order", kinds.CLIENT, SpanStatusCode.UNSET, undefined],
      ["tools/call order", kinds.SERVER, SpanStatusCode.UNSET, undefined],
    ].sort(),
  );
  for (const span of spans) assert.ok(span.endTimeUnixNano >= span.startTimeUnixNano);
  const order = sink.metrics().filter(({ attributes }) => attributes["gen_ai.tool.name"] === "order");
  assert.deepEqual(order.map(({ name, unit, count }) => [name, unit, count]).sort(), [
    ["mcp.client.operation.duration", "s", 1],
    ["mcp.server.operation.duration", "s", 1],
  ]);
  const bounds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
  for (const { explicitBounds } of order) assert.deepEqual(explicitBounds, bounds);
  assert.deepEqual([...sink.types()], ["application/x-protobuf"]);
  assert.ok(!sink.text().includes(secret));
});

/** The spans of a trace from the first one to the last, each the parent of the next. */
function chainFrom(spanId, traceId) {
  const inside = sink.spans().filter((span) => span.traceId === traceId);
  const chain = [];
  for (let parent = spanId; ; parent = chain.at(-1).spanId) {
    const next = inside.filter((span) => span.parentId === parent && span.name !== "tools/call flush");
    assert.ok(next.length <= 1, JSON.stringify(next));
    if (next.length === 0) return chain;
    chain.push(next[0]);
  }
}

const throughAll = [
  ["tools/call relay", kinds.CLIENT],
  ["tools/call relay", kinds.SERVER],
  ["tools/call context", kinds.CLIENT],
];

for (const way of ["stdio", "HTTP"])
  test(`one trace: our client, our server over ${way}, its client, a server of the SDK`, async () => {
    const { options, flush } = telemetryTo(sink.url);
    const env = { COLLECTOR: sink.url };
    const server = way === "HTTP" ? await started([relay, "http"], env) : undefined;
    const client = await connect(server?.url.href ?? { command: process.execPath, args: [relay], env }, {
      revisions: clientRevisions,
      ...instrumentation(options),
    });
    try {
      const outer = options.tracerProvider.getTracer("application").startSpan("work");
      const active = propagation.setBaggage(
        trace.setSpan(context.active(), outer),
        propagation.createBaggage({ tenant: { value: "acme" } }),
      );
      const { content } = await context.with(active, () => client.callTool("relay"));
      outer.end();
      await client.callTool("flush");
      await flush();
      const { traceId, spanId } = outer.spanContext();
      const chain = chainFrom(spanId, traceId);
      assert.deepEqual(
        chain.map(({ name, kind }) => [name, kind]),
        throughAll,
      );
      // What the SDK's server got.
      assert.deepEqual(JSON.parse(content[0].text), {
        traceparent: `00-${traceId}-${chain.at(-1).spanId}-01`,
        baggage: "tenant=acme",
      });
    } finally {
      await client.close();
      await server?.close();
    }
  });

test("one trace: a client of the SDK that sends traceparent, our server, its client, a server of the SDK", async () => {
  const server = await started([relay, "http"], { COLLECTOR: sink.url });
  const client = new Client({ name: "host", version: "1.0.0" });
  try {
    await client.connect(new StreamableHTTPClientTransport(server.url));
    const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
    const _meta = { traceparent: `00-${traceId}-${spanId}-01` };
    const { content } = await client.callTool({ name: "relay", arguments: {}, _meta });
    await client.callTool({ name: "flush", arguments: {} });
    const chain = chainFrom(spanId, traceId);
    assert.deepEqual(
      chain.map(({ name, kind }) => [name, kind]),
      throughAll.slice(1),
    );
    assert.equal(JSON.parse(content[0].text).traceparent, `00-${traceId}-${chain.at(-1).spanId}-01`);
  } finally {
    await client.close();
    await server.close();
  }
});

const promtool = pathOf("promtool");
const prometheus = pathOf("prometheus");

test(
  "Prometheus reads the measurements, and promtool finds no problem in their page",
  { skip: lackOf(promtool !== undefined && prometheus !== undefined, "prometheus is not installed") },
  async (t) => {
    const exporter = new PrometheusExporter({ preventServerStart: true });
    const options = { meterProvider: new MeterProvider({ readers: [exporter] }) };
    const server = shop();
    instrument(server, options);
    const http = await serveHttp(server, { port: 0 });
    const client = await connect(http.url, { revisions: clientRevisions, ...instrumentation(options) });
    const page = createHttpServer((request, response) =>
      exporter.getMetricsRequestHandler(request, response),
    );
    await new Promise((resolve) => page.listen(0, "127.0.0.1", resolve));
    t.after(async () => {
      await client.close();
      await http.close();
      page.closeAllConnections();
      page.close();
    });
    await client.callTool("order", { card: secret });
    await client.callTool("fail");
    const text = await (await fetch(`http://127.0.0.1:${page.address().port}/metrics`)).text();
    assert.ok(!text.includes(secret));
    const { status, stdout, stderr } = spawnSync(promtool, ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout, stderr], [0, "", ""]);

    const { query, stop } = await startPrometheus(page.address().port);
    t.after(stop);
    const count = 'mcp_server_operation_duration_count{gen_ai_tool_name="order"}';
    const found = await query(count);
    assert.deepEqual(
      found.map(({ metric, value }) => [metric.mcp_method_name, metric.network_transport, value[1]]),
      [["tools/call", "tcp", "1"]],
    );
    const failed = await query('mcp_client_operation_duration_count{error_type="tool_error"}');
    assert.deepEqual(
      failed.map(({ metric }) => metric.gen_ai_tool_name),
      ["fail"],
    );
  },
);

/** Starts a Prometheus that reads a page each second. @returns `query`, which waits for a result, and `stop` */
async function startPrometheus(port) {
  const folder = newFolder();
  const target = `127.0.0.1:${port}`;
  const scrape = [{ job_name: "shop", scrape_interval: "1s", static_configs: [{ targets: [target] }] }];
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify({ scrape_configs: scrape }));
  const [own] = await freePorts(1);
  const settings = [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${own}`,
  ];
  const ready = "Server is ready to receive web requests";
  const stopProgram = await start([prometheus, ...settings], { ready, signal: "KILL", folder });
  const query = async (expression) => {
    const url = `http://127.0.0.1:${own}/api/v1/query?query=${encodeURIComponent(expression)}`;
    return until(
      `${expression} in Prometheus`,
      async () => {
        const { data } = await (await fetch(url)).json();
        return data.result.length > 0 && data.result;
      },
      100,
    );
  };
  const stop = async () => {
    await stopProgram();
    rmSync(folder, { recursive: true, force: true });
  };
  return { query, stop };
}
