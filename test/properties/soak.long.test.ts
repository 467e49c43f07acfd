import { expect, test } from "vitest";
import { clientRevisions } from "@mcpgen/protocol/client";
import { serverRevisions } from "@mcpgen/protocol/server";
import { connect, createServer, memoryChannels } from "@mcpgen/runtime";
import { cases } from "../support/cases.mjs";
import { heap } from "../support/heap.js";

const requests = cases(100_000, 2000);

test.each(["2025-11-25", "2026-07-28"])(
  "at %s, requests leave no state behind, even if half of them are cancelled",
  async (revision) => {
    let heard = 0;
    const server = createServer({ name: "soak", version: "1" }, { revisions: serverRevisions });
    server.tool("echo", {}, () => "here");
    server.tool(
      "wait",
      {},
      (_, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            heard++;
            reject(signal.reason as Error);
          });
        }),
    );
    const [one, other] = memoryChannels();
    const connection = server.connect(one);
    const client = await connect(other, { revisions: clientRevisions, revision });
    const pair = async (): Promise<void> => {
      const controller = new AbortController();
      const waiting = client
        .callTool("wait", {}, { signal: controller.signal })
        .catch((error: { code: string }) => error.code);
      await client.callTool("echo");
      controller.abort();
      expect(await waiting).toBe("cancelled");
    };
    const run = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 32) await Promise.all(Array.from({ length: 16 }, pair));
    };
    await run(requests / 10);
    const before = await heap();
    await run(requests);
    await client.callTool("echo");
    expect((await heap()) - before).toBeLessThan(5 * 1_048_576);
    expect([client.idle, connection.open]).toEqual([true, 0]);
    expect(heard).toBeGreaterThanOrEqual(requests / 2);
    await client.close();
  },
);
