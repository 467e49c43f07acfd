// Measures the CPU time that OpenTelemetry adds to one `tools/call`, in one process without a transport: the
// difference of each row to the row without it. Usage: npm run build && node bench/runtime/otel.mjs
// [BEGINNING OF A TITLE]
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

/** The calls of a turn. Turns are short, so that other load on the machine affects all rows equally. */
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

/** Returns a row: `run` makes the calls of a turn on its server, and resolves when all are answered. */
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

/** The CPU time of a call in microseconds. */
async function costOf({ run }) {
  const started = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / calls;
}

/**
 * Returns the numbers below `count` in random order, because a contender pays for the garbage that the one
 * before it left.
 */
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
 * Prints the difference in microseconds of each contender to the first one in the same round, as the median
 * of all rounds. The second contender is the same as the first, so its difference is the error of the
 * measurement. The shares refer to a call without a transport; over stdio and HTTP, they are smaller.
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

/**
 * Returns middleware that makes a span with its context and without our attributes: the cost of the SDK
 * itself.
 */
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

// These rows compare calls with an invalid trace context to calls without one. The latter have members of the
// same length under other names, because parsing JSON is not OpenTelemetry's work.
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

/** Renames the members of the trace context to names that no propagator reads. */
function renamed({ traceparent, tracestate, baggage, ..._meta }) {
  return { ..._meta, "acme/parent": traceparent, "acme/state": tracestate, "acme/bags": baggage };
}
