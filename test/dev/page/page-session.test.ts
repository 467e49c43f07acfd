import { expect, onTestFinished, test } from "vitest";
import { LiveTasks } from "../../../generator/capture/live-tasks.js";
import { loadRuntime } from "../../../generator/capture/runtime.js";
import { HostLimits } from "../../../generator/dev/host-limits.js";
import { PageSession } from "../../../generator/dev/page/page-session.js";
import type { PageEvent } from "../../../generator/page/browser/dev/messages.js";
import { type Script, scripted } from "../../support/scripted-http-server.js";
import { until } from "../../support/until.mjs";

const listen = "subscriptions/listen";

/** A session with a server of 2026-07-28, and its events. */
async function opened(script: Script, timeout = 10_000) {
  const server = await scripted("2026-07-28", script);
  const events: PageEvent[] = [];
  const limits = new HostLimits();
  const found: string[] = [];
  limits.found = (tool, { message }) => found.push(`${tool}: ${message}`);
  const session = new PageSession({
    runtime: await loadRuntime(),
    tasks: await LiveTasks.load({
      handles: { put: () => {}, delete: () => {} },
      onAbort: "cancel",
      onTask: () => {},
    }),
    limits,
    source: server.url,
    server: { directory: process.cwd(), timeout },
    send: (event) => events.push(event),
    judgeOf: () => undefined,
    requestsOf: () => [listen],
    judged: async (offer) => offer,
  });
  onTestFinished(() => session.close());
  await session.restart();
  return { server, session, found, logged: () => events.filter(({ type }) => type === "log") };
}

test.each<[string, Script[string], string]>([
  [
    "an error",
    (incoming) => incoming.reply({ error: { code: -32603, message: "no listeners" } }),
    `${listen}: no listeners`,
  ],
  ["a status of HTTP", (incoming) => incoming.status(403, "no"), "the server answered 403: no"],
])("a server that refuses to notify of changed lists with %s is reported", async (_, refuse, why) => {
  const { server, session, logged } = await opened({ [listen]: refuse });
  await server.until(listen);
  const text = `no notices of changed lists: ${why}`;
  await expect.poll(logged).toEqual([{ type: "log", level: "warning", text }]);
  await session.close();
  expect(logged()).toHaveLength(1);
});

test("notices of changed lists arrive after the time limit of requests, and their end with the connection is no error", async () => {
  const { server, session, logged } = await opened({ [listen]: (incoming) => void incoming.events() }, 500);
  const incoming = await server.until(listen);
  const { id } = incoming.message!;
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  await new Promise((resolve) => setTimeout(resolve, 700));
  const before = server.of("tools/list").length;
  incoming.event({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta } });
  await server.until("tools/list", before + 1);
  await session.close();
  expect(logged()).toEqual([]);
});

test("calls of the page are compared with the limits of hosts", async () => {
  const text = "x".repeat(2_000_000);
  const { session, found } = await opened({
    [listen]: (incoming) => void incoming.events(),
    "tools/call": (incoming, server) => incoming.reply(server.result({ content: [{ type: "text", text }] })),
  });
  session.call({ kind: "tool", name: "all", params: { name: "all", arguments: {} }, anyway: true });
  await until("a finding", () => found.length > 0);
  expect(found[0]).toContain('all: the tool "all" returned a text of 2000000 characters');
});
