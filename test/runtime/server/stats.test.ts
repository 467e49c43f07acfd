import { serverRevisions } from "@mcpgen/protocol";
import { createServer, memoryChannels } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, test } from "vitest";

/** A client that writes texts. */
function served() {
  const clock = new VirtualClock();
  const server = createServer({ name: "counted", version: "1" }, { revisions: serverRevisions, clock });
  server.tool(
    "held",
    {},
    (_, { signal }) => new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve(""))),
  );
  server.tool("quick", {}, () => "done");
  const [near, far] = memoryChannels();
  const connection = server.connect(far);
  near.open({ message: () => {}, turn: () => {}, tooLong: () => {}, closed: () => {} });
  let id = 0;
  const post = (method: string, params: object = {}) => {
    near.send(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }));
    return id;
  };
  const call = (name: string) => post("tools/call", { name, arguments: {} });
  return { clock, server, near, post, call, connection };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("a server counts requests by outcome, each once", async () => {
  const { clock, server, near, post, call, connection } = served();
  const clientInfo = { name: "x", version: "1" };
  post("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  for (let count = 0; count < 5; count++) call("quick");
  const cancelled = call("held");
  for (let count = 0; count < 3; count++) call("held");
  post("no/such");
  near.send("no JSON");
  near.send(
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: cancelled } }),
  );
  await settled();
  expect(server.stats()).toEqual({
    gauges: { connections: 1, sessions: 1, requests: 3, parked: 0 },
    counters: { connections: 1, results: 6, errors: 2, cancelled: 1, aborted: 0, limits: {} },
  });
  // The end of the input gives the handlers time; then they are answered with errors.
  connection.ended();
  await clock.advance(1000);
  await settled();
  expect(server.stats()).toEqual({
    gauges: { connections: 0, sessions: 0, requests: 0, parked: 0 },
    counters: { connections: 1, results: 6, errors: 5, cancelled: 1, aborted: 0, limits: {} },
  });
});

test("a connection that breaks aborts its requests", async () => {
  const { server, post, call, connection } = served();
  const clientInfo = { name: "x", version: "1" };
  post("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  call("held");
  call("held");
  await settled();
  connection.closed();
  connection.closed();
  expect(server.stats()).toEqual({
    gauges: { connections: 0, sessions: 0, requests: 0, parked: 0 },
    counters: { connections: 1, results: 1, errors: 0, cancelled: 0, aborted: 2, limits: {} },
  });
});
