import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type NotificationBus, connect, createServer, memoryChannels } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";

/** A server whose bus loses changes, and a client of one revision with its notifications. */
async function served(revision: string) {
  let lose = (): void => {};
  const changes: NotificationBus = {
    publish: () => {},
    subscribe: (_, onGap) => {
      lose = onGap!;
      return () => {};
    },
  };
  const server = createServer({ name: "node", version: "1" }, { revisions: serverRevisions, changes });
  server.tool("one", {}, () => "1");
  for (const uri of ["note://one", "note://two"]) server.resource(uri, {}, () => "text");
  const [near, far] = memoryChannels();
  server.connect(far);
  const client = await connect(near, { revisions: clientRevisions, revision });
  onTestFinished(() => client.close());
  return { client, lose: () => lose() };
}

test.each([
  ["2026-07-28", "a subscription"],
  ["2025-11-25", "a session"],
])(
  "at %s, %s is notified of all that it follows after a gap of the bus, and of nothing else",
  async (revision) => {
    const { client, lose } = await served(revision);
    const changes = await client.subscribe({ tools: true, uris: ["note://one"] });
    lose();
    const found: string[] = [];
    for await (const { method, uri } of changes) {
      found.push(uri ?? method);
      if (found.length === 2) lose();
      if (found.length === 4) break;
    }
    const each = ["note://one", "notifications/tools/list_changed"];
    expect(found.sort()).toEqual([each[0], each[0], each[1], each[1]]);
  },
);
