import { expect, test, vi } from "vitest";
import { connected, reply } from "../../support/scripted-stdio-server.js";

test("a listener that rejects causes a warning, as one that throws does", async () => {
  const warnings: string[] = [];
  const { client, peer } = await connected(
    "2026-07-28",
    {
      "tools/call": ({ params }, own) => {
        const { progressToken } = params!["_meta"] as { progressToken: number };
        own.notify("notifications/progress", { progressToken, progress: 1 });
        return reply(own, { content: [] });
      },
    },
    { onWarning: (message) => warnings.push(message) },
  );
  const rejecting = async (): Promise<void> => {
    throw new Error("mine");
  };
  client.on("notifications/tools/list_changed", rejecting);
  peer.notify("notifications/tools/list_changed");
  await client.callTool("a", {}, { onProgress: rejecting });
  await vi.waitFor(() =>
    expect(warnings).toEqual([
      "a listener of notifications/tools/list_changed failed: mine",
      "a listener of progress failed: mine",
    ]),
  );
});
