import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases, seed } from "../../support/cases.mjs";
import { heard } from "../../support/heard.mjs";

/** The warnings of a client that calls a tool, gets a prompt and reads a resource with this text in place of base64. */
async function warnings(data: string, revision: string): Promise<string[]> {
  const found: string[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, validation: { send: "off" } },
  );
  const image = { type: "image", data, mimeType: "image/png" } as const;
  server.tool("t", {}, () => ({ content: [{ type: "text", text: "no base64: !" }, image] }));
  server.prompt("p", {}, () => ({ messages: [{ role: "user", content: image }] }));
  server.resource("note://a", {}, () => ({ contents: [{ uri: "note://a", blob: data }] }));
  const { client, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    onEvent: heard({ warning: (text) => void found.push(text) }),
  });
  const { content } = await client.callTool("t", {});
  expect(content[1]).toMatchObject({ data });
  await client.getPrompt("p");
  await client.readResource("note://a");
  await close();
  return found;
}

test.each(["2024-11-05", "2025-11-25", "2026-07-28"])(
  "a warning is emitted for text that is not base64 (%s)",
  async (revision) => {
    expect(await warnings("data:image/png;base64,AAAA", revision)).toEqual([
      "tools/call: content[1].data of the result is not base64",
      "prompts/get: messages[0].content.data of the result is not base64",
      "resources/read: contents[0].blob of the result is not base64",
    ]);
  },
);

test.each(["", "AA==", "AAA=", "AAAA", "AA", "a+/9"])("%j is accepted", async (data) => {
  expect(await warnings(data, "2025-11-25")).toEqual([]);
});

test.each(["A", "AAAAA", "a-_9", "AA=A", "AAAA====", "AA\nAA", "é"])("%j causes a warning", async (data) => {
  expect(await warnings(data, "2025-11-25")).toHaveLength(3);
});

test("bytes as base64 never cause a warning", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
      expect(await warnings(Buffer.from(bytes).toString("base64"), "2025-11-25")).toEqual([]);
    }),
    { seed, numRuns: cases(1000, 25) },
  );
});
