// CPU that OpenTelemetry adds to one `tools/call` of a server, in one process without a transport: each row less the row without it.
// Usage: npm run build && node bench/runtime/otel.mjs [BEGIN OF A TITLE]
import { createServer } from "@mcpgen/runtime/all";
import { instrument } from "@mcpgen/observe/otel";
import { SpanKind, context, trace } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { useContextManager, usePropagators } from "../../test/support/open-telemetry.mjs";
import { callerOf, modernMeta } from "./in-process.mjs";
import { pinToOneCore } from "./pinning.mjs";

pinToOneCore();

/** Calls of a turn: short turns, so that what else the machine does falls on all rows alike. */
const calls = 2000;
const rounds = 101;

const long = "x".repeat(10_240);
const hostile = { ...modernMeta, traceparent: long, tracestate: long, baggage: long };
const malformed = {
  ...modernMeta,
  traceparent: `00-${"g".repeat(32)}-1-zz`,
  tracestate: "=,=,",
  baggage: "=;=,%%%",
};
const wrongDigit = { ...malformed, traceparent: `00-${"a".repeat(32)}-${"b".repeat(15)}g-01` };

/** A server, and a function that sends it calls and resolves when all are answered. */
function contender(
  name,
  { bar, options, use, _meta = modernMeta, isRemoved = false, reset = () => {} } = {},
) {
  const server = createServer({ name: "bench", version: "1" });
  server.tool("echo", {}, async () => "hello");
  if (use) server.use(use);
  if (options) {
    const remove = instrument(server, options);
    if (isRemoved) remove();
  }
  const callServer = callerOf(server, _meta);
  const run = async () => {
    await callServer(calls);
    reset();
  };
  return { name, bar, run };
}

/** CPU of a call in microseconds. */
async function costOf({ run }) {
  const started = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / calls;
}

/** The numbers below `count` in an order of chance: a contender pays for the garbage that the one before it left. */
function shuffled(count) {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * Prints the microseconds of each contender beside the first one of the same round, the median of all rounds. The second contender
 * is the same as the first: what it shows is the error of the measurement. The share is that of a call without a transport, so over
 * stdio and HTTP it is less.
 */
async function measure(title, contenders) {
  if (!title.startsWith(process.argv[2] ?? "")) return;
  for (let turn = 0; turn < 10; turn++) for (const { run } of contenders) await run();
  const costs = contenders.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const turn of shuffled(contenders.length)) costs[turn].push(await costOf(contenders[turn]));
  const [base] = costs;
  console.log(`${title} (${median(base).toFixed(2)} µs a call: ${contenders[0].name})`);
  for (const [index, { name, bar }] of contenders.entries()) {
    if (index === 0) continue;
    const more = median(costs[index].map((cost, round) => cost - base[round]));
    const verdict = bar === undefined ? "" : `  ≤ ${bar}: ${more <= bar ? "met" : "MISSED"}`;
    const share = ((100 * more) / median(base)).toFixed(1);
    console.log(`${more.toFixed(2).padStart(7)} µs ${share.padStart(6)} %  ${name}${verdict}`);
  }
}

const without = "without OpenTelemetry";
const again = "the same again (error of measurement)";

await measure("No SDK", [
  contender(without),
  contender(again),
  contender("instrumented, and removed", { bar: 0.1, options: {}, isRemoved: true }),
  contender("a middleware that does nothing", { use: (_, next) => next() }),
  contender("API alone", { bar: 0.5, options: {} }),
]);

useContextManager();
usePropagators();
const exporter = new InMemorySpanExporter();
const sampled = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const unsampled = new BasicTracerProvider({ sampler: new AlwaysOffSampler() });
const reset = () => exporter.reset();

/** What the SDK itself costs: a span with its context, and none of our attributes. */
function spanOf(provider) {
  const tracer = provider.getTracer("bench");
  return (_, next) => {
    const parent = context.active();
    const span = tracer.startSpan("tools/call echo", { kind: SpanKind.SERVER }, parent);
    const end = (result) => {
      span.end();
      return result;
    };
    return context.with(trace.setSpan(parent, span), next).then(end);
  };
}

const off = { options: { tracerProvider: unsampled } };
await measure("SDK, W3C Trace Context and Baggage", [
  contender(without),
  contender(again),
  contender("the SDK itself, not sampled", { use: spanOf(unsampled) }),
  contender("not sampled", { bar: 8, ...off }),
  contender("the SDK itself, sampled", { use: spanOf(sampled), reset }),
  contender("sampled, kept in memory", { bar: 35, options: { tracerProvider: sampled }, reset }),
]);

// Beside calls that are traced and bring no trace context; without OpenTelemetry, the same messages: parsing JSON is not its work.
for (const [name, _meta] of Object.entries({
  malformed,
  "a wrong digit": wrongDigit,
  "10 KB each": hostile,
})) {
  const meta = `trace context of a hostile client: ${name}`;
  await measure(`Instrumented, not sampled; ${meta}`, [
    contender("other members of the same length", { ...off, _meta: renamed(_meta) }),
    contender(again, { ...off, _meta: renamed(_meta) }),
    contender(meta, { bar: 2, ...off, _meta }),
  ]);
}

/** The members of trace context under names that no propagator reads. */
function renamed({ traceparent, tracestate, baggage, ..._meta }) {
  return { ..._meta, "acme/parent": traceparent, "acme/state": tracestate, "acme/bags": baggage };
}
