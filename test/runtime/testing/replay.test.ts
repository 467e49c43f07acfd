import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import {
  Replay,
  ReplayMismatch,
  VirtualClock,
  createTestPair,
  formatSession,
  parseSession,
} from "@mcpgen/runtime/testing";
import { everyFeature } from "../every-feature/server.js";
import { answers } from "../every-feature/tour.js";

const revisions = clientRevisions.map(({ id }) => id);
/** Nothing here may depend on time passing. */
const clock = new VirtualClock();
const client = { revisions: clientRevisions, clock, ...answers };

/** A session with answers in every direction, as the lines it is saved in. */
async function recorded(revision: string): Promise<string> {
  const server = everyFeature(serverRevisions, { clock });
  const pair = await createTestPair({ server, ...client, revision });
  await pair.client.callTool("work");
  await pair.client.callTool("folders");
  await pair.client.callTool("fail");
  await pair.close();
  return pair.wire.toString();
}

describe.each(revisions)("a session recorded at %s", (revision) => {
  test("is the same after it was saved and read", async () => {
    const lines = await recorded(revision);
    expect(formatSession(parseSession(lines))).toBe(lines);
    expect(lines.split("\n").length).toBeGreaterThan(6);
  });

  test("its server's side answers a client", async () => {
    const replay = new Replay(parseSession(await recorded(revision)), { play: "server" });
    const again = await connect(replay, { ...client, revision });
    const worked = await again.callTool("work");
    expect(worked.content).toEqual([{ type: "text", text: "worked" }]);
    const folders = await again.callTool("folders");
    expect(folders.content).toEqual([{ type: "text", text: "file:///work" }]);
    expect((await again.callTool("fail")).isError).toBe(true);
    await replay.done;
    await again.close();
  });

  test("its client's side asks a server, whose sealed state is another each time", async () => {
    const replay = new Replay(parseSession(await recorded(revision)), { play: "client" });
    everyFeature(serverRevisions, { clock }).connect(replay);
    await replay.done;
  });
});

describe("a side that does something else", () => {
  const revision = revisions.at(-1)!;

  test("a client that sends another message: where, what was expected and what came", async () => {
    const replay = new Replay(parseSession(await recorded(revision)), { play: "server" });
    const again = await connect(replay, { ...client, revision });
    await again.callTool("work");
    const call = await again.callTool("greet").catch((error: unknown) => error);
    expect(call).toMatchObject({ code: "connection-closed", cause: expect.any(ReplayMismatch) as unknown });
    await expect(replay.done).rejects.toThrow(
      /^message \d+ of \d+: \/params\/name: expected folders, got greet; the whole message: \{"jsonrpc"/,
    );
  });

  test("a server that answers otherwise", async () => {
    const lines = (await recorded(revision)).replace('"text":"worked"', '"text":"done"');
    const replay = new Replay(parseSession(lines), { play: "client" });
    everyFeature(serverRevisions, { clock }).connect(replay);
    await expect(replay.done).rejects.toMatchObject({
      name: "ReplayMismatch",
      difference: { pointer: "/result/content/0/text", expected: "done", got: "worked" },
    });
  });

  test("a client that goes before the end, and one that goes on after it", async () => {
    const session = parseSession(await recorded(revision));
    const early = new Replay(session, { play: "server" });
    await (await connect(early, { ...client, revision })).close();
    await expect(early.done).rejects.toThrow(/got the end of the connection/);

    // As far as the handshake or the discovery went.
    const late = new Replay(session.slice(0, 2), { play: "server" });
    const again = await connect(late, { ...client, revision });
    await late.done;
    const call = await again.callTool("work").catch((error: unknown) => error);
    expect(call).toMatchObject({ message: expect.stringMatching(/expected nothing more, got/) as string });
  });
});

test("lines that are no session are refused by their number", () => {
  const good = '{"from":"client","message":{"jsonrpc":"2.0","method":"ping","id":1}}';
  expect(parseSession(`${good}\n\n`)).toMatchObject([{ from: "client", at: 0 }]);
  expect(() => parseSession(`${good}\nnot JSON`)).toThrow(/^line 2: expected JSON, got "not JSON"\.$/);
  expect(() => parseSession('{"from":"nobody","message":{}}')).toThrow(/^line 1: expected \{"from"/);
  expect(() => parseSession('{"from":"client"}')).toThrow(/^line 1: /);
});

test("what is not JSON is recorded all the same", () => {
  const lines = formatSession([{ from: "client", at: 0, text: "{broken" }]);
  expect(parseSession(lines)).toEqual([{ from: "client", at: 0, text: "{broken" }]);
});
