// Bytes in content leave as base64.
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { RawClient } from "../../support/raw-stdio-client.js";

const newest = serverRevisions.at(-1)!.id;

const kinds = {
  "a Uint8Array": (bytes: number[]) => new Uint8Array(bytes),
  "a part of a buffer": (bytes: number[]) => new Uint8Array([9, ...bytes, 9]).subarray(1, bytes.length + 1),
  "a Buffer": (bytes: number[]) => Buffer.from(bytes),
  "an ArrayBuffer": (bytes: number[]) => new Uint8Array(bytes).buffer,
  "a Blob": (bytes: number[]) => new Blob([new Uint8Array(bytes)]),
};

const samples = [[], [0], [255, 254], [0, 1, 2], Array.from({ length: 300 }, (_, index) => index % 256)];

function serving(data: Uint8Array | ArrayBuffer | Blob) {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  server.tool("list", {}, () => [{ type: "image", data, mimeType: "image/png" }]);
  server.tool("result", {}, async () => ({
    content: [
      { type: "text", text: "a" },
      { type: "audio", data, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "x://1", blob: data } },
    ],
    structuredContent: { data: [1] },
  }));
  server.prompt("p", {}, () => ({
    messages: [{ role: "user", content: { type: "image", data, mimeType: "image/png" } }],
  }));
  server.resource("x://1", {}, (uri) => ({
    contents: [
      { uri, blob: data },
      { uri, text: "a" },
    ],
  }));
  return server;
}

test.each(Object.entries(kinds))("%s becomes base64 in every place of content", async (_, make) => {
  for (const bytes of samples) {
    const text = Buffer.from(bytes).toString("base64");
    const client = new RawClient(serving(make(bytes)), newest);
    const result = async (method: string, params: object) => (await client.request(method, params)).result;
    const [list, whole, prompt, read] = await Promise.all([
      result("tools/call", { name: "list", arguments: {} }),
      result("tools/call", { name: "result", arguments: {} }),
      result("prompts/get", { name: "p" }),
      result("resources/read", { uri: "x://1" }),
    ]);
    expect(list?.["content"]).toEqual([{ type: "image", data: text, mimeType: "image/png" }]);
    expect(whole?.["content"]).toEqual([
      { type: "text", text: "a" },
      { type: "audio", data: text, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "x://1", blob: text } },
    ]);
    expect(whole?.["structuredContent"]).toEqual({ data: [1] });
    expect(prompt?.["messages"][0].content.data).toBe(text);
    expect(read?.["contents"]).toEqual([
      { uri: "x://1", blob: text },
      { uri: "x://1", text: "a" },
    ]);
  }
});

test("over HTTP, to a client of 2024-11-05", async () => {
  const { url } = await serve("node", serving(new Uint8Array([0, 1, 2])));
  const party = await new Party(url, "2024-11-05").open();
  const { result } = await party.request("tools/call", { name: "list", arguments: {} });
  expect(result?.["content"]).toEqual([{ type: "image", data: "AAEC", mimeType: "image/png" }]);
});
