// A node whose spans go to its parent as they end.
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { instrument } from "@mcpgen/observe/otel";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { useContextManager, usePropagators } from "../../support/open-telemetry.mjs";
import { factsOf } from "../span-facts.mjs";
import { shared } from "./shared.mjs";

useContextManager();
usePropagators();
const toParent = {
  export: (spans, done) => {
    process.send({ spans: spans.map(factsOf) });
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(toParent)] });
const tracer = tracerProvider.getTracer("application");

const { serverOptions, httpOptions } = await shared();
const server = createServer(
  { name: "traced", version: "1.0.0" },
  { revisions: serverRevisions, ...serverOptions },
);
instrument(server, { tracerProvider });
const form = {
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};
server.tool("ask", {}, async (_, { ask }) => {
  const { content } = await ask.elicit("who", form);
  // The answer came in at another node, which passed it on to this one.
  tracer.startSpan("after the answer").end();
  return `hello ${content.name}`;
});
const http = await serveHttp(server, { port: 0, ...httpOptions });
process.send({ port: Number(new URL(http.url).port) });
process.once("disconnect", () => process.exit());
