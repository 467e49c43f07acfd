import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { clientRevisions } from "@mcpgen/protocol";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { createTestPair } from "@mcpgen/testing";
import { afterEach, expect, test } from "vitest";
import { useContextManager, usePropagators } from "../../support/open-telemetry.mjs";
import { shop } from "./shop.js";
import { telemetry } from "./telemetry.js";

afterEach(() => [trace, metrics, propagation, context].forEach((api) => api.disable()));

/** A pair that the global providers trace and measure. */
function globalPair() {
  const server = shop();
  instrument(server);
  return createTestPair({ server, revisions: clientRevisions, ...instrumentation() });
}

test("an SDK that is set up later traces and measures from then on", async () => {
  const { client, close } = await globalPair();
  await client.callTool("notify", {}, { onProgress: () => {} });
  const { options, spans, points } = telemetry();
  useContextManager();
  usePropagators();
  trace.setGlobalTracerProvider(options.tracerProvider);
  metrics.setGlobalMeterProvider(options.meterProvider);
  await client.callTool("order");
  await close();
  const [answered, sent] = spans().filter(({ name }) => name === "tools/call order");
  expect(answered!.parentSpanContext?.spanId).toBe(sent!.spanContext().spanId);
  const measured = (await points()).filter(({ attributes }) => attributes["gen_ai.tool.name"] === "order");
  expect(measured.map(({ name }) => name).sort()).toEqual([
    "mcp.client.operation.duration",
    "mcp.server.operation.duration",
  ]);
});

test.each(["traces", "measurements"])("the SDK may be set up later only for %s", async (what) => {
  const { client, close } = await globalPair();
  const { options, spans, points } = telemetry();
  if (what === "traces") trace.setGlobalTracerProvider(options.tracerProvider);
  else metrics.setGlobalMeterProvider(options.meterProvider);
  await client.callTool("order");
  await close();
  const found = what === "traces" ? spans() : await points();
  expect(found.length).toBeGreaterThan(0);
});

test("other middleware runs although the instrumentations around it are inactive", async () => {
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

test("refusing middleware runs even after an instrumentation was added and removed as middleware", async () => {
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
