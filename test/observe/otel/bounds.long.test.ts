import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { McpError, createServer } from "@mcpgen/runtime";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { createTestPair } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { telemetry, useOpenTelemetry } from "./telemetry.js";

useOpenTelemetry();

/** Series of one metric of one program. */
const most = 1000;

type Runs = (request: object, next: () => object) => object;

/** A pair whose server takes all names, and answers with any code. */
async function anyNamePair(revision: string) {
  const [near, far] = [telemetry(), telemetry()];
  const server = createServer(
    { name: "any", version: "1.0.0" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("one", {}, () => "one");
  server.prompt("one", {}, () => "one");
  server.handle("tools/call", ({ name }) => {
    const [kind, number] = name.split(" ");
    if (kind === "code") throw new McpError("remote-error", "no", { rpcCode: Number(number) });
    return { content: [], isError: kind === "wrong" };
  });
  server.handle("prompts/get", () => ({ messages: [] }));
  instrument(server, far.options);
  const { client, close } = await createTestPair({
    server,
    revision,
    revisions: clientRevisions,
    ...instrumentation(near.options),
  });
  return { client, close, points: { client: near.points, server: far.points } };
}

test.each(["2025-11-25", "2026-07-28"])(
  "%s: invented names of tools, prompts, methods and codes cause at most 1,000 series",
  async (revision) => {
    const { client, close, points } = await anyNamePair(revision);
    await client.callTool("real");
    for (let at = 0; at < 1500; at++) {
      await client.callTool(`good ${at}`);
      await client.callTool(`wrong ${at}`);
      await client.callTool(`code ${at}`).catch(() => undefined);
      await client.getPrompt(`prompt ${at}`);
      await client.request(`invented/${at}`, {}, { result: {} }).catch(() => undefined);
      await client.notify(`notifications/x${at}`);
    }
    await client.callTool("real");
    await close();
    for (const side of ["client", "server"] as const) {
      const found = (await points[side]()).filter(({ name }) => name === `mcp.${side}.operation.duration`);
      expect(found.length).toBeGreaterThan(900);
      expect(found.length).toBeLessThanOrEqual(most);
      const ofReal = found.filter(({ attributes }) => attributes["gen_ai.tool.name"] === "real");
      expect(ofReal.map(({ value }) => (value as { readonly count: number }).count)).toEqual([2]);
      const names = new Set(found.map(({ attributes }) => attributes["gen_ai.tool.name"]));
      expect(names).toContain("_OTHER");
    }
    const methods = (await points.server()).map(({ attributes }) => attributes["mcp.method.name"]);
    expect(new Set(methods).size).toBeLessThan(20);
    expect(methods).toContain("_OTHER");
  },
);

test("tools beyond the first share one label", async () => {
  const at = telemetry();
  const server = createServer({ name: "large", version: "1.0.0" }, { revisions: serverRevisions });
  const names = Array.from({ length: 1200 }, (_, index) => `tool-${index}`);
  for (const name of names) server.tool(name, {}, () => name);
  instrument(server, at.options);
  const { client, close } = await createTestPair({ server, revisions: clientRevisions });
  for (const name of names) await client.callTool(name);
  await close();
  const labels = (await at.points()).map(({ attributes }) => attributes["gen_ai.tool.name"]);
  const found = new Set(labels.filter((label) => label !== undefined));
  expect(found.size).toBeGreaterThan(890);
  expect(found.size).toBeLessThanOrEqual(most);
  expect(found).toContain("_OTHER");
});

test("all instrumentations of one provider share the limit, whatever number of servers clients call", async () => {
  const at = telemetry();
  const revision = { id: "2026-07-28", table: { outgoingRequests: new Map([["tools/call", {}]]) } };
  for (let server = 0; server < 1500; server++) {
    const { use, onEvent } = instrumentation(at.options);
    const connection = { endpoint: `http://server-${server}.example` };
    onEvent({ type: "connection-opened", revision: revision.id } as never);
    const context = { protocol: { revision }, connection };
    const request = { direction: "outgoing", method: "tools/call", params: { name: `tool ${server}` } };
    void (use[0] as unknown as Runs)({ ...request, context }, () => ({ isError: server % 3 === 0 }));
    onEvent({ type: "connection-closed" } as never);
  }
  const points = await at.points();
  expect(points.length).toBeGreaterThan(890);
  expect(points.length).toBeLessThanOrEqual(most);
  const addresses = new Set(points.map(({ attributes }) => attributes["server.address"]));
  expect(addresses).toContain("_OTHER");
  expect(addresses.size).toBeGreaterThan(200);
  const counts = points.map(({ value }) => (value as { readonly count: number }).count);
  expect(counts.reduce((sum, each) => sum + each)).toBe(3000);
});
