import type { HandlerContext } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { madeUp } from "../support/made-tables.js";
import { until } from "../support/until.mjs";
import { type Wire, clientOf, serverWith, wires } from "../support/served.js";

// A second method that is answered when its stream ends. The column of the table decides, not the name.

const revision = "2026-07-28";
const subscriptionId = "io.modelcontextprotocol/subscriptionId";
const event = "notifications/extras/event";
const tables = madeUp({
  clientRequests: { "extras/stream": { listening: true }, "extras/wait": {} },
  serverNotifications: { [event]: {} },
});

/** A server that streams until the test ends it. */
async function streaming(wire: Wire) {
  const clock = new VirtualClock();
  const streams: { context: HandlerContext; end: (result: object) => void }[] = [];
  const server = serverWith({ revisions: tables.server, capabilities: { logging: {} } });
  for (const method of ["extras/stream", "extras/wait"])
    server.handle(
      method,
      {},
      (_params, context) =>
        new Promise<Record<string, unknown>>((resolve) =>
          streams.push({ context, end: (result) => resolve({ ...result }) }),
        ),
    );
  const client = await clientOf(server, wire, revision, { revisions: tables.client, clock });
  const begun = async (count: number) => (await until("the stream", () => streams[count - 1]))!;
  return { client, clock, begun };
}

test.each(wires)("a request with a stream has only the caller's timeout (%s)", async (wire) => {
  const { client, clock, begun } = await streaming(wire);
  const whole = client.request("extras/stream", {});
  const stream = await begun(1);
  const plain = failureOf(client.request("extras/wait", {}));
  await begun(2);
  const bounded = failureOf(client.request("extras/stream", {}, { timeout: 5000 }));
  await begun(3);
  await clock.advance(7 * 86_400_000);
  expect(await plain).toMatchObject({ code: "timeout" });
  expect(await bounded).toMatchObject({ code: "timeout" });
  stream.end({ done: true });
  expect(await whole).toMatchObject({ done: true });
});

test.each(wires)("notifications of a request with a stream name that request (%s)", async (wire) => {
  const { client, begun } = await streaming(wire);
  const heard: unknown[] = [];
  client.on(event, ({ n, _meta }) => heard.push([n, _meta]));
  client.on("notifications/message", ({ _meta }) => heard.push(["log", _meta]));
  await client.setLogLevel("debug");
  const requests = [client.request("extras/stream", {}), client.request("extras/wait", {})];
  const [one, other] = [await begun(1), await begun(2)];
  const [listening, plain] = one.context.method === "extras/stream" ? [one, other] : [other, one];
  listening.context.notify(event, { n: 1, _meta: { own: true } });
  listening.context.session.notify(event, { n: 2 });
  listening.context.log("info", "text");
  plain.context.notify(event, { n: 3 });
  const id = listening.context.requestId;
  one.end({});
  other.end({});
  await Promise.all(requests);
  expect(heard).toHaveLength(4);
  expect(heard).toEqual(
    expect.arrayContaining([
      [1, { own: true, [subscriptionId]: id }],
      [2, { [subscriptionId]: id }],
      ["log", { [subscriptionId]: id }],
      [3, undefined],
    ]),
  );
});
