import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { clientRevisions } from "@mcpgen/protocol";
import { instrument, instrumentation } from "@mcpgen/runtime/otel";
import { createTestPair } from "@mcpgen/runtime/testing";
import { afterEach, expect, test } from "vitest";
import { useContextManager, usePropagators } from "../../support/open-telemetry.mjs";
import { shop } from "./shop.js";
import { telemetry } from "./telemetry.js";

afterEach(() => [trace, metrics, propagation, context].forEach((api) => api.disable()));

type Runs = (request: never, next: () => object) => object | Promise<object>;

/** A pair that the global providers trace, and how often the middleware of the instrumentation ran. */
async function globalPair() {
  const server = shop();
  const runs = { client: 0, server: 0 };
  const counted = (side: "client" | "server", { use: [middleware] } = instrumentation()) =>
    Object.assign(
      ((request, next) => {
        runs[side]++;
        return (middleware as Runs)(request, next);
      }) satisfies Runs,
      { ...middleware },
    ) as never;
  server.use(counted("server"));
  const pair = await createTestPair({ server, revisions: clientRevisions, use: [counted("client")] });
  return { ...pair, runs };
}

test("until an SDK is set up, requests bypass the middleware; then they are traced and measured", async () => {
  const { client, close, runs } = await globalPair();
  await client.callTool("notify", {}, { onProgress: () => {} });
  expect(runs).toEqual({ client: 0, server: 0 });
  const { options, spans, points } = telemetry();
  useContextManager();
  usePropagators();
  trace.setGlobalTracerProvider(options.tracerProvider);
  metrics.setGlobalMeterProvider(options.meterProvider);
  await client.callTool("order");
  await close();
  expect(runs).toEqual({ client: 1, server: 1 });
  const [answered, sent] = spans().filter(({ name }) => name === "tools/call order");
  expect(answered!.parentSpanContext?.spanId).toBe(sent!.spanContext().spanId);
  const measured = (await points()).filter(({ attributes }) => attributes["gen_ai.tool.name"] === "order");
  expect(measured.map(({ name }) => name).sort()).toEqual([
    "mcp.client.operation.duration",
    "mcp.server.operation.duration",
  ]);
});

test.each(["traces", "measurements", "propagation"])("%s alone ends the bypass", async (what) => {
  const { client, close, runs } = await globalPair();
  const { options } = telemetry();
  if (what === "traces") trace.setGlobalTracerProvider(options.tracerProvider);
  if (what === "measurements") metrics.setGlobalMeterProvider(options.meterProvider);
  if (what === "propagation") usePropagators();
  await client.callTool("order");
  await close();
  expect(runs).toEqual({ client: 1, server: 1 });
});

test("other middleware runs, though the instrumentations around it would do nothing", async () => {
  const server = shop();
  const remove = instrument(server);
  instrument(server);
  const seen: string[] = [];
  const { client, close } = await createTestPair({ server, revisions: clientRevisions });
  const removeOther = server.use(({ method }, next) => {
    seen.push(method);
    return next();
  });
  await client.callTool("order");
  remove();
  await client.callTool("order");
  removeOther();
  await client.callTool("order");
  await close();
  expect(seen).toEqual(["tools/call", "tools/call"]);
});

test("middleware that refuses runs, also after an instrumentation was added and removed as middleware", async () => {
  const server = shop();
  const [middleware] = instrumentation().use;
  for (const remove of [server.use(middleware as never), server.use(middleware as never)]) remove();
  server.use(({ method }, next) => {
    if (method === "tools/call") throw new Error("refused");
    return next();
  });
  const { client, close } = await createTestPair({ server, revisions: clientRevisions });
  await expect(client.callTool("order")).rejects.toMatchObject({ code: "remote-error" });
  await close();
});
