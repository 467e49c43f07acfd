import { expect, test } from "vitest";
import { clientRevisions, latest, serverRevisions } from "@mcpgen/protocol";
import { createTestPair } from "@mcpgen/runtime/testing";
import { everyFeature } from "../every-feature/server.js";

test("without a revision, the newest that both speak", async () => {
  const pair = await createTestPair({ server: everyFeature(serverRevisions), revisions: clientRevisions });
  expect(pair.client.revision).toBe(latest);
  await pair.close();
  const older = await createTestPair({
    server: everyFeature(serverRevisions.slice(0, 3)),
    revisions: clientRevisions,
  });
  expect(older.client.revision).toBe(serverRevisions[2]!.id);
  await older.close();
});

test("a revision that is not among those given is refused, by name", async () => {
  const server = everyFeature(serverRevisions);
  const pair = createTestPair({ server, revisions: clientRevisions.slice(0, 1), revision: latest });
  await expect(pair).rejects.toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining(`"${latest}" is not among those given`) as string,
  });
});

test("handlers see what the transport would tell of the client", async () => {
  const server = everyFeature(serverRevisions);
  server.tool("who", {}, (_, { auth }) => JSON.stringify(auth));
  const pair = await createTestPair({
    server,
    revisions: clientRevisions,
    connection: { auth: { sub: "ada" } },
  });
  expect((await pair.client.callTool("who")).content).toEqual([{ type: "text", text: '{"sub":"ada"}' }]);
  await pair.close();
});

test("each side's messages, in order", async () => {
  const pair = await createTestPair({
    server: everyFeature(serverRevisions),
    revisions: clientRevisions,
    revision: "2025-11-25",
  });
  await pair.client.ping();
  await pair.close();
  const names = pair.wire
    .messages("client")
    .map((message) => ("method" in message ? message.method : "answer"));
  expect(names).toEqual(["initialize", "notifications/initialized", "ping"]);
  expect(pair.wire.messages("server")).toHaveLength(2);
  expect(pair.wire.messages()).toHaveLength(5);
});
