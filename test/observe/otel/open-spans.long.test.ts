import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { clientRevisions } from "@mcpgen/protocol";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { createTestPair } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { revisions } from "../../support/revisions.js";
import { shop } from "./shop.js";

const calls = Math.ceil(cases(100_000, 1000) / revisions.length);

test.each(revisions)(`no span is left open at %s after ${calls} calls of all outcomes`, async (revision) => {
  let [begun, ended] = [0, 0];
  const counting = {
    onStart: () => void begun++,
    onEnd: () => void ended++,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [counting] });
  const server = shop();
  instrument(server, { tracerProvider });
  const { client, close } = await createTestPair({
    server,
    revision,
    revisions: clientRevisions,
    elicit: () => ({ action: "decline" }),
    ...instrumentation({ tracerProvider }),
  });
  const tools = ["order", "fail", "refuse", "overload", "absent", "notify", "ask", "wait"];
  for (let at = 0; at < calls; at += 80)
    await Promise.allSettled(
      Array.from({ length: Math.min(80, calls - at) }, (_, each) => {
        const name = tools[each % tools.length]!;
        const signal = name === "wait" ? { signal: AbortSignal.timeout(1) } : {};
        return client.callTool(name, {}, { onProgress: () => {}, ...signal });
      }),
    );
  const interrupted = Array.from({ length: 20 }, () => client.callTool("wait").catch(() => undefined));
  await close();
  await Promise.all(interrupted);
  await expect.poll(() => begun - ended).toBe(0);
  expect(begun).toBeGreaterThan(2 * calls);
});
