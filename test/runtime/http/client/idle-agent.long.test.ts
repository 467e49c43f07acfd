import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { clientOf, scripted } from "../../../support/scripted-http-server.js";

// The agent keeps an unused connection for 4 seconds of real time.

test("an answer that takes longer than unused connections are kept arrives", async () => {
  const content = [{ type: "text", text: "ok" }];
  const server = await scripted("2025-11-25", {
    "tools/call": async (incoming) => {
      await sleep(4500);
      incoming.reply({ content });
    },
  });
  const client = await clientOf(server.url, { revision: "2025-11-25" });
  expect(await client.callTool("x")).toMatchObject({ content });
});
