import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Incoming, clientOf, scripted } from "../../support/scripted-http-server.js";
import { SseReader } from "../../../runtime/core/http/client/sse-reader.js";

const limit = 2000;
const long = "x".repeat(limit);
/** Half as many characters, of two, three and four bytes. */
const wide = "é€🌍".repeat(limit / 8);

describe.each(["2025-11-25", "2026-07-28"])("at %s", (revision) => {
  test.each<[string, (incoming: Incoming) => void]>([
    ["JSON", (incoming) => incoming.reply({ content: [{ type: "text", text: long }] })],
    // It never ends: only a limit does.
    ["a line", (incoming) => void incoming.events(`id: 1\ndata: ${long}${long}`)],
    ["an event of many lines", (incoming) => void incoming.events("data: x\n".repeat(limit))],
    ["an error", (incoming) => incoming.status(500, long + long)],
    ["JSON of longer characters", (incoming) => incoming.reply({ content: [{ type: "text", text: wide }] })],
    ["an event of longer characters", (incoming) => void incoming.events(`data: ${wide}`)],
    [
      "many lines of longer characters",
      (incoming) => void incoming.events(`data: ${wide.slice(0, 500)}\n`.repeat(2)),
    ],
  ])("an answer beyond the limit fails its request alone: %s", async (_, answer) => {
    const server = await scripted(revision, {
      "tools/call": (incoming, each) =>
        incoming.message!.params!["name"] === "long"
          ? answer(incoming)
          : incoming.reply(each.result({ content: [] })),
    });
    const client = await clientOf(server.url, { revision, http: { limit } });
    await expect(client.callTool("long")).rejects.toMatchObject({ code: "message-too-long" });
    expect(await client.callTool("short")).toMatchObject({ content: [] });
  });
});

test.each([
  ["of one byte", long],
  ["of two bytes", "é".repeat(limit / 2)],
  ["of four bytes", "🌍".repeat(limit / 4)],
])("an event may have as many bytes as the limit, however it is cut: characters %s", (_, text) => {
  for (const size of [1, 7, 5000]) {
    const heard: string[] = [];
    const reader = new SseReader(({ data }) => void heard.push(data), limit);
    const push = (stream: string): void => {
      const bytes = new TextEncoder().encode(stream);
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    };
    push(`data: ${text}\n\n`.repeat(2));
    expect(heard).toEqual([text, text]);
    expect(() => push(`data: ${text}x\n\n`)).toThrow("longer than 2000 bytes");
  }
});

test("a handler may send its client away as often as it likes, and is waited for", async () => {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  server.tool("polled", {}, async (_, { disconnect }) => {
    for (let polls = 0; polls < 8; polls++) {
      disconnect(polls === 0 ? 0 : 10);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    return "done";
  });
  const http = await serveHttp(server);
  onTestFinished(() => http.close());
  const client = await clientOf(http.url, { revision: "2025-11-25", http: { reconnects: 2 } });
  expect(await client.callTool("polled")).toMatchObject({ content: [{ text: "done" }] });
});
