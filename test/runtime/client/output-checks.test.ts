import { expect, test } from "vitest";
import { type Connected, connected, reply } from "../../checklist/scripted-peer.js";

const unreadable = {
  "with a remote $ref": { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } },
  "with a bad pattern": { type: "object", properties: { a: { type: "string", pattern: "(" } } },
};

/** A client that knows of the tool `a` and its output schema. */
async function listed(outputSchema: object, warnings: string[]): Promise<Connected> {
  const made = await connected(
    "2026-07-28",
    {
      "tools/list": (_, peer) =>
        reply(peer, { tools: [{ name: "a", inputSchema: { type: "object" }, outputSchema }] }),
      "tools/call": (_, peer) => reply(peer, { content: [], structuredContent: { a: "x" } }),
    },
    { onWarning: (message) => warnings.push(message) },
  );
  await made.client.listTools();
  return made;
}

test.each(Object.entries(unreadable))(
  "the result of a tool with an output schema %s is not thrown away",
  async (_, outputSchema) => {
    const warnings: string[] = [];
    const { client } = await listed(outputSchema, warnings);
    for (let count = 0; count < 2; count++)
      expect(await client.callTool("a")).toMatchObject({ structuredContent: { a: "x" } });
    expect(warnings).toEqual([expect.stringContaining("structuredContent of a is not checked")]);
  },
);

test("an output schema of another dialect is an error that carries the result", async () => {
  const draft03 = { $schema: "http://json-schema.org/draft-03/schema#", type: "object" };
  const { client } = await listed(draft03, []);
  await expect(client.callTool("a")).rejects.toMatchObject({
    name: "McpError",
    code: "invalid-definition",
    message: expect.stringContaining("draft-03") as string,
    data: { result: { structuredContent: { a: "x" } } },
  });
});
