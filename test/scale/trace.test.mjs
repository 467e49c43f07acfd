// One trace over two processes: a call runs at one, and the answer to its question comes in at the other one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol/client";
import { connect } from "@mcpgen/runtime";
import { instrumentation } from "@mcpgen/observe/otel";
import { context, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { noRedis, startRedis } from "../engines/redis.mjs";
import { useContextManager, usePropagators } from "../support/open-telemetry.mjs";
import { until } from "../support/until.mjs";
import { Nodes } from "./nodes.mjs";
import { storeEnv } from "./shared-store.mjs";
import { factsOf } from "./span-facts.mjs";

const program = fileURLToPath(new URL("programs/traced.mjs", import.meta.url));
const skip = noRedis;

let redis;
let nodes;
const received = [];
/** Bodies of the requests that the second node got. */
const answers = [];

/** Sends answers to questions to the second node, and all other messages to the first one. */
function byKind(url, init) {
  const [first, second] = nodes.ports();
  const { method = "notifications/progress", params = {} } = init.body
    ? JSON.parse(init.body)
    : { method: "GET" };
  const isAnswer = method === "notifications/progress" || params.inputResponses !== undefined;
  if (isAnswer) answers.push(init.body);
  const place = new URL(url);
  place.port = isAnswer ? second : first;
  return fetch(place, init);
}

before(async () => {
  if (skip) return;
  useContextManager();
  usePropagators();
  redis = await startRedis();
  nodes = new Nodes(program, storeEnv("ioredis", redis.socket));
  await nodes.start(2);
  for (const { child } of nodes.members) child.on("message", ({ spans = [] }) => received.push(...spans));
});

after(async () => {
  if (skip) return;
  await nodes.end();
  await redis.stop();
});

for (const revision of ["2025-06-18", "2025-11-25", "2026-07-28"])
  test(
    `${revision}: a call, its question and the work after the answer form one trace`,
    { skip },
    async () => {
      const exporter = new InMemorySpanExporter();
      const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      const tracer = tracerProvider.getTracer("application");
      const client = await connect(`http://127.0.0.1:${nodes.ports()[0]}/mcp`, {
        http: { fetch: byKind },
        revisions: clientRevisions,
        revision,
        ...instrumentation({ tracerProvider }),
        elicit: async (_, { progress }) => {
          // It arrives at the second node, too.
          progress(1, 2);
          return { action: "accept", content: { name: "Ada" } };
        },
      });
      const outer = tracer.startSpan("work");
      answers.length = 0;
      for (let call = 0; call < 4; call++)
        await context.with(trace.setSpan(context.active(), outer), async () => {
          const { content } = await client.callTool("ask");
          assert.equal(content[0].text, "hello Ada");
        });
      outer.end();
      await client.close();
      const { traceId } = outer.spanContext();
      const inside = (name) => received.filter((span) => span.traceId === traceId && span.name === name);
      const own = exporter.getFinishedSpans().map(factsOf);
      let all;
      const parentOf = ({ parentId }) => all.find(({ spanId }) => spanId === parentId);
      // Spans come from each process in its own time, and from one in the order of their ends.
      await until("all spans of the trace", () => {
        all = [...own, ...received].filter((span) => span.traceId === traceId);
        return (
          inside("after the answer").length >= 4 &&
          all.every((span) => span.name === "work" || parentOf(span) !== undefined)
        );
      });
      const isModern = revision === "2026-07-28";

      for (const span of inside("after the answer")) {
        const call = parentOf(span);
        assert.equal(call.name, "tools/call ask");
        assert.equal(call.kind, "SERVER");
        assert.equal(call.process, span.process);
        assert.equal(parentOf(call).kind, "CLIENT");
        assert.equal(parentOf(parentOf(call)).name, "work");
      }
      const questions = all.filter(({ name }) => name === "elicitation/create");
      const [sent, answered] = ["CLIENT", "SERVER"].map((kind) =>
        questions.filter((span) => span.kind === kind),
      );
      assert.equal(answered.length, 4);
      assert.equal(sent.length, isModern ? 0 : 4);
      for (const question of isModern ? answered : sent)
        assert.equal(parentOf(question).name, "tools/call ask", JSON.stringify(question));
      if (!isModern)
        for (const question of answered) {
          assert.equal(parentOf(question).kind, "CLIENT");
          const { attributes } = parentOf(question);
          assert.equal(attributes["jsonrpc.request.id"], question.attributes["jsonrpc.request.id"]);
        }
      // The second node gets the answers, and the first one, where the handler waits, runs it.
      const { pid } = nodes.members[1].child;
      assert.equal(
        inside("after the answer").some((span) => span.process === pid),
        false,
      );
      assert.ok(answers.length >= 4);
      // All spans of calls and questions are in this trace.
      const stray = [...own, ...received].filter(
        ({ name, traceId: other }) => other !== traceId && /^(tools\/call|elicitation)/.test(name),
      );
      assert.deepEqual(
        stray.filter((span) => span.attributes["mcp.protocol.version"] === revision),
        [],
      );
    },
  );
