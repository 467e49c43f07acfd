import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Loss, createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { heard } from "../../support/heard.mjs";

const link = { type: "resource_link", uri: "note://one", name: "one" } as const;

async function lossesOf(revision: string, loss?: (loss: Loss) => void): Promise<readonly Loss[]> {
  const losses: Loss[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, onEvent: heard({ loss: loss ?? ((each) => losses.push(each)) }) },
  );
  server.tool("note", { outputSchema: { type: "array" } }, () => ({
    content: [link],
    structuredContent: [],
  }));
  const { client, close } = await createTestPair({ server, revisions: clientRevisions, revision });
  await client.listTools();
  await client.listTools();
  const { content } = await client.callTool("note");
  expect(content).toHaveLength(1);
  await close();
  return losses;
}

describe("losses", () => {
  test("the newest revision loses nothing", async () => {
    expect(await lossesOf("2026-07-28")).toEqual([]);
  });

  test("a part that a revision cannot express is reported with its place", async () => {
    const losses = await lossesOf("2025-03-26");
    expect(losses).toContainEqual(
      expect.objectContaining({
        revision: "2025-03-26",
        method: "tools/call",
        pointer: "/content/0",
        how: "text",
      }),
    );
    // A page of a list is translated once for a revision.
    expect(losses.filter(({ method }) => method === "tools/list")).toMatchObject([
      { pointer: "/tools/0/outputSchema", how: "dropped" },
    ]);
  });

  test("exceptions of a listener are ignored", async () => {
    await lossesOf("2025-03-26", () => {
      throw new Error("full");
    });
  });
});
