import { expect, test } from "vitest";
import { connected, reply } from "../../checklist/scripted-peer.js";

test("a reader of a cached result changes nothing for the next one", async () => {
  const { client, peer } = await connected("2026-07-28", {
    "resources/read": (_, own) =>
      reply(own, { contents: [{ uri: "file:///a", text: "as it was" }], ttlMs: 1000 }),
  });
  for (let count = 0; count < 3; count++) {
    const result = await client.readResource("file:///a");
    expect(result.contents).toEqual([{ uri: "file:///a", text: "as it was" }]);
    (result.contents[0] as { text: string }).text = "changed";
    result.contents.pop();
  }
  expect(peer.of("resources/read")).toHaveLength(1);
});
