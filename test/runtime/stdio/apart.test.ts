// An answer is sent a moment after the last progress: some clients forget the request before they read that progress.
import { PassThrough } from "node:stream";
import { serverRevisions } from "@mcpgen/protocol";
import { McpError, createServer } from "@mcpgen/runtime";
import { streamChannel } from "@mcpgen/runtime/stdio";
import { expect, test } from "vitest";

/** A server in the middle of a call, and the chunks it wrote. */
function called(tool: string): {
  readonly chunks: string[];
  readonly output: PassThrough;
  readonly connection: { close(): Promise<void> };
} {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  server.tool("report", {}, (_, { progress }) => {
    progress(1);
    return "reported";
  });
  server.tool("toil", {}, (_, { progress }) => {
    progress(1);
    // A turn that takes longer than the delay.
    for (const end = performance.now() + 20; performance.now() < end;);
    return "toiled";
  });
  server.tool("fail", {}, (_, { progress }) => {
    progress(1);
    throw new McpError("invalid-params", "wrong", { rpcCode: -32602 });
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const chunks: string[] = [];
  output.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  const connection = server.connect(streamChannel(input, output));
  const prefix = "io.modelcontextprotocol/";
  const _meta = {
    progressToken: "p",
    [`${prefix}protocolVersion`]: "2026-07-28",
    [`${prefix}clientCapabilities`]: {},
  };
  const params = { name: tool, arguments: {}, _meta };
  input.write(`${JSON.stringify({ jsonrpc: "2.0", id: "c", method: "tools/call", params })}\n`);
  return { chunks, output, connection };
}

test.each(["report", "toil", "fail"])(
  "the last progress and the answer are sent in two writes (%s)",
  async (tool) => {
    const { chunks } = called(tool);
    await expect.poll(() => chunks.length).toBe(2);
    expect(chunks[0]).toContain("notifications/progress");
    expect(chunks[0]).not.toContain('"id"');
    expect(chunks[1]).toContain('"id":"c"');
  },
);

test("a connection that closes before the delay sends the answer first", async () => {
  const { chunks, output, connection } = called("report");
  while (chunks.length === 0) await new Promise((resolve) => output.once("data", resolve));
  await connection.close();
  expect(chunks.join("")).toContain('"id":"c"');
});
