import { clientRevisions } from "@mcpgen/protocol";
import { type Channel, connect, memoryChannels } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, test } from "vitest";

const info = { name: "late", version: "1" };
const capabilities = {};
const modern = "2026-07-28";
const discovered = {
  result: {
    resultType: "complete",
    supportedVersions: [modern],
    capabilities,
    ttlMs: 0,
    cacheScope: "private",
    _meta: { "io.modelcontextprotocol/serverInfo": info },
  },
};
const handshaken = { result: { protocolVersion: "2025-11-25", capabilities, serverInfo: info } };
const unknown = { error: { code: -32601, message: "no such method" } };

/** Reads nothing for some milliseconds, by default until the handshake is sent, too; then gives these answers. */
async function revisionWith(
  answers: { [method: string]: object | undefined },
  silence = 5000,
): Promise<string> {
  const clock = new VirtualClock();
  const [near, far] = memoryChannels();
  const connecting = connect(near, { revisions: clientRevisions, clock });
  await clock.advance(silence);
  answering(far, answers);
  await clock.advance(1000);
  const client = await connecting;
  const { revision } = client;
  await client.close();
  return revision;
}

function answering(channel: Channel, answers: { [method: string]: object | undefined }): void {
  channel.open({
    message: (text) => {
      const { id, method } = JSON.parse(text) as { id?: number; method: string };
      if (answers[method]) channel.send(JSON.stringify({ jsonrpc: "2.0", id, ...answers[method] }));
    },
    turn: () => {},
    tooLong: () => {},
    closed: () => {},
  });
}

test("the handshake decides when the server accepts it: it may open the session", async () => {
  const answers = { "server/discover": discovered, initialize: handshaken };
  expect(await revisionWith(answers)).toBe("2025-11-25");
});

test("a server that starts slowly keeps its era", async () => {
  const answers = { "server/discover": discovered, initialize: handshaken };
  expect(await revisionWith(answers, 4999)).toBe(modern);
});

test("with a server that refuses the handshake, the answer to the probe decides", async () => {
  expect(await revisionWith({ "server/discover": discovered, initialize: unknown })).toBe(modern);
});

test("the client does not wait for an unanswered handshake", async () => {
  expect(await revisionWith({ "server/discover": discovered })).toBe(modern);
});

test("a server that does not know the probe gets the handshake", async () => {
  expect(await revisionWith({ "server/discover": unknown, initialize: handshaken })).toBe("2025-11-25");
  expect(await revisionWith({ initialize: handshaken })).toBe("2025-11-25");
});
