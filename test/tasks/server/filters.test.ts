// A filter of a subscription reads the store at most once for each id that it may have.
import { type TaskStore, memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { systemClock } from "../../../runtime/base/time/clock.js";
import { serverOf } from "./served.js";

test.each([
  ["each id once", 1_000, 1],
  ["none of a filter that is refused", 80_000, 0],
] as const)("a subscription looks up %s", async (_, count, most) => {
  const memory = memoryTaskStore();
  let reads = 0;
  const store: TaskStore = { ...memory, read: async (id) => (reads++, memory.read(id)) };
  const { server } = serverOf({ store, keys: ["k".repeat(32)] }, {}, systemClock as never);
  server.tool("t", { task: { support: "optional", inlineMs: 0 } }, () => new Promise(() => {}));
  const { url } = await serve("node", server, {});
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const party = await new Party(url, "2026-07-28", {}, capabilities).open();
  const call = await party.post(party.call("t", {}));
  const { taskId } = (JSON.parse(await call.whole()) as { readonly result: { readonly taskId: string } })
    .result;
  reads = 0;
  const taskIds = Array<string>(count).fill(taskId);
  const listening = await party.post(party.message("subscriptions/listen", { notifications: { taskIds } }));
  await listening.until(({ events, text }) => events[0] ?? (text === "" ? undefined : text));
  expect(reads).toBe(most);
});
