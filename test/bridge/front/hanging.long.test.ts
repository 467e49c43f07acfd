import { createBridge } from "@mcpgen/bridge";
import { type Server, type Source, memoryChannels } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { clientOf, eras, serverWith } from "../../support/served.js";
import { until } from "../../support/until.mjs";

const pairs = eras.flatMap((front) => eras.map((back) => [front, back] as const));

const sourceOf = (server: Server) =>
  (() => {
    const [near, far] = memoryChannels();
    server.connect(far);
    return near;
  }) as Source;

test.each(pairs)(
  "a server that does not answer is left out of a list in 5 s, and no request of it stays: clients of %s, servers at %s",
  async (front, revision) => {
    const [good, bad] = [serverWith(), serverWith()];
    good.tool("run", {}, () => "good");
    bad.tool("run", {}, () => "bad");
    let hangs = true;
    const cancelled: string[] = [];
    bad.use(({ direction, method, context }, next) => {
      if (direction !== "incoming" || method !== "tools/list" || !hangs) return next();
      return new Promise((_, reject) => {
        (context as { signal: AbortSignal }).signal.addEventListener("abort", () => {
          cancelled.push(method);
          reject(new Error("cancelled"));
        });
      });
    });
    const servers = { good: { source: sourceOf(good), revision }, bad: { source: sourceOf(bad), revision } };
    const bridge = await createBridge(servers, { onEvent: () => true });
    onTestFinished(() => bridge.close());
    const client = await clientOf(bridge, "HTTP", front);
    const names = async () => (await client.listTools()).items.map(({ name }) => name);
    expect(await names()).toEqual(["good_run"]);
    await until("the request has ended", () => cancelled.length === 1);
    hangs = false;
    client.cache.clear();
    expect(await names()).toEqual(["good_run", "bad_run"]);
    expect(await client.callTool("bad_run")).toMatchObject({ content: [{ text: "bad" }] });
  },
);
