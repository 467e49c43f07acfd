import { expect, expectTypeOf, test } from "vitest";
import { connected, reply } from "../../support/scripted-stdio-server.js";

test("the caller sets the type of a tool's structured content", async () => {
  const { client } = await connected("2026-07-28", {
    "tools/call": (_, peer) => reply(peer, { content: [], structuredContent: { sum: 3 } }),
  });
  const { structuredContent } = await client.callTool<{ sum: number }>("add", { a: 1, b: 2 });
  expectTypeOf(structuredContent).toEqualTypeOf<{ sum: number } | undefined>();
  expect(structuredContent?.sum).toBe(3);
  const untold = await client.callTool("add", { a: 1, b: 2 });
  expectTypeOf(untold.structuredContent).toBeUnknown();
});
