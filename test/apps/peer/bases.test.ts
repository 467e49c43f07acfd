import type { ChannelTable } from "@mcpgen/protocol/model";
import { memoryChannels } from "@mcpgen/runtime";
import { openPeer } from "@mcpgen/apps";
import { expect, onTestFinished, test } from "vitest";

const bases = ["2025-06-18", "2025-11-25", "2026-07-28"];

const tableOf = async (base: string, role: string): Promise<ChannelTable> => {
  const file = `../../../generated/extensions/io.modelcontextprotocol/ui/${base}/${role}.ts`;
  const module = (await import(new URL(file, import.meta.url).href)) as Record<string, ChannelTable>;
  return module[`${role}Table`]!;
};

/** Connects a view and a host over another base. Returns the messages and the errors of both. */
async function pair(
  view: string,
  host: string,
  handlers: object,
): Promise<{
  request(method: string, params?: object): Promise<unknown>;
  notify(method: string, params?: object): Promise<void>;
  readonly wrong: unknown[];
}> {
  const [near, far] = memoryChannels();
  const wrong: unknown[] = [];
  const onError = (error: unknown): void => void wrong.push(error);
  openPeer(await tableOf(host, "host"), far, handlers, { onError });
  const peer = openPeer(await tableOf(view, "view"), near, {}, { onError });
  onTestFinished(() => peer.close());
  return {
    request: (method, params) => peer.request(method, params),
    notify: (method, params) => peer.notify(method, params),
    wrong,
  };
}

const opening = {
  protocolVersion: "2026-01-26",
  appInfo: { name: "view", version: "1" },
  appCapabilities: {},
};

const tool = { name: "clock", inputSchema: { type: "object" as const } };

const opened = {
  protocolVersion: "2026-01-26",
  hostInfo: { name: "host", version: "1" },
  hostCapabilities: { serverTools: {}, logging: {} },
  hostContext: { theme: "dark", toolInfo: { id: 1, tool }, "host/added": true },
};

const routes = bases.flatMap((view) => bases.map((host) => [view, host] as const));

test.each(routes)("a view over %s and a host over %s understand each other", async (of, other) => {
  const called = { content: [{ type: "text", text: "12:00" }], structuredContent: { hour: 12 } };
  const { request, notify, wrong } = await pair(of, other, {
    "ui/initialize": () => opened,
    "tools/call": () => called,
    "resources/read": () => ({ contents: [{ uri: "ui://clock", text: "" }] }),
  });
  expect(await request("ui/initialize", opening)).toEqual(opened);
  expect(await request("tools/call", { name: "clock" })).toEqual(called);
  expect(await request("resources/read", { uri: "ui://clock" })).toMatchObject({ contents: [{}] });
  await notify("notifications/message", { level: "info", data: "seen" });
  expect(await request("ping")).toEqual({});
  expect(wrong).toEqual([]);
});

test("tools and results of a later revision reach a view", async () => {
  const later = { ...tool, outputSchema: { type: "array", items: {} } };
  const context = { ...opened.hostContext, toolInfo: { tool: later } };
  for (const base of bases) {
    const { request, wrong } = await pair(base, "2026-07-28", {
      "ui/initialize": () => ({ ...opened, hostContext: context }),
      "tools/call": () => ({ content: [], structuredContent: [1], resultType: "complete" }),
    });
    expect(await request("ui/initialize", opening)).toMatchObject({ hostContext: context });
    expect(wrong).toEqual([]);
  }
  const { request } = await pair("2026-07-28", "2026-07-28", {
    "ui/initialize": () => opened,
    "tools/call": () => ({ content: [], structuredContent: [1], resultType: "complete" }),
  });
  expect(await request("tools/call", { name: "clock" })).toMatchObject({ structuredContent: [1] });
});
