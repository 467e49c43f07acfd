import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { health } from "@mcpgen/cluster";
import { describe, expect, test, vi } from "vitest";
import { adapters, serve } from "../../support/http-adapters.js";
import { Gate } from "../../support/http-fixture.js";
import { Party } from "../../support/raw-http-client.js";

describe.each(adapters)("health over %s", (adapter) => {
  test("a process that drains takes requests until the delay is over, and is live to the end", async () => {
    const server = createServer({ name: "health", version: "1" }, { revisions: serverRevisions });
    const [began, gate] = [new Gate(), new Gate()];
    server.tool("wait", {}, async () => {
      began.open();
      await gate.opened;
      return "waited";
    });
    const status = health({ path: "/state", delayMs: 3000 });
    const authenticate = ({ header }: { header(name: string): string | undefined }) =>
      header("authorization") === "Bearer a" ? { principal: "a" } : { status: 401 };
    const target = await serve(adapter, server, { routes: status.routes, authenticate, graceMs: 60_000 });
    const look = async (name: string): Promise<unknown[]> => {
      const response = await fetch(new URL(`/state/${name}`, target.url));
      return [response.status, await response.text()];
    };
    const party = new Party(target.url, "2026-07-28");
    const credentials = { authorization: "Bearer a" };
    expect([await look("live"), await look("ready"), status.state]).toEqual([
      [200, '{"status":"live"}'],
      [200, '{"status":"ready"}'],
      "ready",
    ]);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const drained = status.drain(target);
    expect(status.drain(target)).toBe(drained);
    expect([await look("ready"), status.state]).toEqual([[503, '{"status":"draining"}'], "draining"]);
    const call = party.post(party.call("wait"), credentials);
    await began.opened;
    vi.advanceTimersByTime(3000);
    vi.useRealTimers();
    const refused = await party.post(party.message("tools/list"), credentials);
    expect([refused.status, refused.headers["retry-after"], refused.headers["connection"]]).toEqual([
      503,
      "1",
      "close",
    ]);
    expect([await look("live"), await look("ready")]).toEqual([
      [200, '{"status":"live"}'],
      [503, '{"status":"draining"}'],
    ]);
    gate.open();
    expect(await (await call).whole()).toContain("waited");
    await drained;
  });
});

test.each(["health", "/health/", "/a b", ""])("the path %j is refused", (path) => {
  expect(() => health({ path })).toThrow(/health: path: expected one as it stands in URLs/);
});
