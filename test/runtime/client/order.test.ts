// Requests leave in the order of the calls, whether or not they may be sent again.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { expect, onTestFinished, test } from "vitest";

const revisions = clientRevisions.map(({ id }) => id);

test.each(revisions)(
  "a client at %s sends requests and notifications in the order of the calls",
  async (revision) => {
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    server.tool("t", {}, () => "");
    server.prompt("p", {}, () => "");
    const { client, wire, close } = await createTestPair({ server, revisions: clientRevisions, revision });
    onTestFinished(() => close());
    const before = wire.session.length;
    const calls = [
      client.request("prompts/get", { name: "p" }),
      client.callTool("t"),
      client.listTools(),
      client.notify("notifications/cancelled", { requestId: 999, reason: "r" }),
    ];
    await Promise.all(calls);
    const sent = wire.session.slice(before).filter(({ from }) => from === "client");
    expect(sent.map(({ text }) => (JSON.parse(text) as { readonly method: string }).method)).toEqual([
      "prompts/get",
      "tools/call",
      "tools/list",
      "notifications/cancelled",
    ]);
  },
);
