import { expect, test } from "vitest";
import type { Notifier } from "@mcpgen/protocol/model";
import { notifyProgress } from "@mcpgen/protocol/2025-11-25/client";
import { listRoots, notifyLoggingMessage } from "@mcpgen/protocol/2025-11-25/server";
import { notifyTaskStatus } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientOf, serverWith } from "../support/served.js";

test("the generated functions of servers take a server or a session, the functions of clients a client", async () => {
  const server = serverWith({ capabilities: { logging: {} } });
  const client = await clientOf(server, "memory", "2025-11-25", { roots: [{ uri: "file:///a" }] });
  const heard = new Promise((resolve) => client.on("notifications/message", resolve));
  const [session] = server.sessions;
  expect(await listRoots(session!)).toMatchObject({ roots: [{ uri: "file:///a" }] });
  notifyLoggingMessage(session!, { level: "error", data: "wrong" });
  expect(await heard).toMatchObject({ data: "wrong" });
  await notifyProgress(client, { progressToken: 1, progress: 1 });
  const notifier: Notifier<void> = server;
  const task = { taskId: "1", status: "working", createdAt: "", lastUpdatedAt: "", ttlMs: null } as const;
  // No client of this session has the extension.
  expect(notifyTaskStatus(notifier, task)).toBeUndefined();
});
