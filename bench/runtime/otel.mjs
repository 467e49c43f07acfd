// CPU that OpenTelemetry adds to one `tools/call` of a server, in one process without a transport: each row less the row without it.
// Usage: npm run build && node bench/runtime/otel.mjs
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "@mcpgen/runtime/all";
import { instrument } from "@mcpgen/runtime/otel";
import { ROOT_CONTEXT, context, propagation } from "@opentelemetry/api";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { callerOf, modernMeta } from "./in-process.mjs";
import { pinToOneCore } from "./pinning.mjs";
import { takeTurns } from "./turns.mjs";

pinToOneCore();

const calls = 20_000;

const long = "x".repeat(10_240);
const hostile = { ...modernMeta, traceparent: long, tracestate: long, baggage: long };
const malformed = {
  ...modernMeta,
  traceparent: `00-${"g".repeat(32)}-1-zz`,
  tracestate: "=,=,",
  baggage: "=;=,%%%",
};

/** Bars in microseconds (beside the row without OpenTelemetry). */
const bars = {
  "instrumented, and removed": 0.1,
  "API alone": 0.5,
  "not sampled": 8,
  "sampled, kept in memory": 35,
};

/** A server, and a function that sends it calls and resolves when all are answered. */
function contender(name, { options, _meta = modernMeta, isRemoved = false, reset = () => {} } = {}) {
  const server = createServer({ name: "bench", version: "1" });
  server.tool("echo", {}, async () => "hello");
  if (options) {
    const remove = instrument(server, options);
    if (isRemoved) remove();
  }
  const callServer = callerOf(server, _meta);
  const run = async (count) => {
    await callServer(count);
    reset();
  };
  return { name, run };
}

const without = "without OpenTelemetry";

/** Microseconds of each row above the one without OpenTelemetry. */
async function measure(title, contenders) {
  for (const { run } of contenders) await run(calls);
  const medians = await takeTurns(contenders, 15, async ({ run }) => {
    const started = process.cpuUsage();
    await run(calls);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / calls;
  });
  const rows = new Map(medians);
  const base = rows.get(without);
  console.log(`${title} (${base.toFixed(2)} µs a call without OpenTelemetry)`);
  for (const [name, each] of rows) {
    if (name === without) continue;
    const more = each - base;
    const bar = bars[name];
    const verdict = bar === undefined ? "" : `  ≤ ${bar}: ${more <= bar ? "met" : "MISSED"}`;
    console.log(`${more.toFixed(2).padStart(7)} µs  ${name}${verdict}`);
  }
}

await measure("No SDK", [
  contender(without),
  contender("instrumented, and removed", { options: {}, isRemoved: true }),
  contender("API alone", { options: {} }),
]);

const storage = new AsyncLocalStorage();
const manager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, run, self, ...given) => storage.run(active, () => run.apply(self, given)),
  bind: (_, target) => target,
  enable: () => manager,
  disable: () => manager,
};
context.setGlobalContextManager(manager);
propagation.setGlobalPropagator(
  new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
);
const exporter = new InMemorySpanExporter();
const sampled = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const unsampled = new BasicTracerProvider({ sampler: new AlwaysOffSampler() });
const reset = () => exporter.reset();
const off = { options: { tracerProvider: unsampled } };
await measure("SDK, W3C Trace Context and Baggage", [
  contender(without),
  contender("not sampled", off),
  contender("sampled, kept in memory", { options: { tracerProvider: sampled }, reset }),
]);
// Beside the same messages without OpenTelemetry: parsing 30 KB of JSON is not its work.
for (const [name, _meta] of Object.entries({ malformed, "10 KB each": hostile }))
  await measure(`Trace context of a hostile client: ${name}`, [
    contender(without, { _meta }),
    contender("not sampled", { ...off, _meta }),
  ]);
