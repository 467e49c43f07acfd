import { connect } from "@mcpgen/runtime";
import { clientRevisions } from "@mcpgen/protocol";
import { type StdioClientChannel, stdioClientChannel } from "@mcpgen/runtime/stdio";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";

const program = builtProgram("test/runtime/client/programs/changing.ts");

test.each(["2025-11-25", "2026-07-28"])(
  "a subscription over stdio outlives the server's process (%s)",
  async (revision) => {
    const started: StdioClientChannel[] = [];
    const start = (): StdioClientChannel => {
      started.push(stdioClientChannel([process.execPath, program]));
      return started.at(-1)!;
    };
    const client = await connect(start, { revisions: clientRevisions, revision });
    onTestFinished(() => client.close());
    const subscription = await client.subscribe({ tools: true, uris: ["note://one"] });
    const reader = subscription[Symbol.asyncIterator]();
    const own = { method: "notifications/resources/updated", uri: "note://one" };
    await client.callTool("change");
    expect((await reader.next()).value).toEqual(own);
    process.kill(started[0]!.pid!, "SIGKILL");
    // Both may have changed while there was no connection.
    expect((await reader.next()).value).toEqual({ method: "notifications/tools/list_changed" });
    expect((await reader.next()).value).toEqual(own);
    const { content } = await client.callTool("change");
    expect(content).toEqual([{ type: "text", text: `${started[1]!.pid}` }]);
    expect((await reader.next()).value).toEqual(own);
    await client.callTool("add");
    expect((await reader.next()).value).toEqual({ method: "notifications/tools/list_changed" });
    expect(started).toHaveLength(2);
    await subscription.close();
  },
);
