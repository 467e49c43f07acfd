import { describe, expect, test } from "vitest";
import { clientRevisions, latest, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import {
  Recording,
  Replay,
  ReplayMismatch,
  VirtualClock,
  createTestPair,
  formatSession,
  memoryChannels,
  parseSession,
} from "@mcpgen/testing";
import { everyFeature } from "../support/every-feature/server.js";
import { answers } from "../support/every-feature/tour.js";

const revisions = clientRevisions.map(({ id }) => id);
/** Nothing in a replay may depend on time passing. */
const clock = new VirtualClock();
const client = { revisions: clientRevisions, clock, ...answers };

describe("a pair", () => {
  test("without a revision, has the newest common one", async () => {
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

  test("rejects a revision that is not given, by name", async () => {
    const server = everyFeature(serverRevisions);
    const pair = createTestPair({ server, revisions: clientRevisions.slice(0, 1), revision: latest });
    await expect(pair).rejects.toMatchObject({
      code: "invalid-definition",
      message: expect.stringContaining(`"${latest}" is not given`) as string,
    });
  });

  test("a server has the named revisions, and at least one", async () => {
    const [oldest, second] = revisions as [string, string];
    const server = everyFeature({ known: serverRevisions, speaks: [oldest, second] });
    const pair = await createTestPair({ server, revisions: clientRevisions });
    expect(pair.client.revision).toBe(second);
    await pair.close();
    expect(() => everyFeature({ known: serverRevisions, speaks: [] })).toThrow(/no revision is left\. Name/);
    expect(() => everyFeature({ known: serverRevisions.slice(1), speaks: [oldest] })).toThrow(/is not given/);
  });

  test("handlers see the options of the connection", async () => {
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
});

test("a recording is the same from either end", async () => {
  const [near, far] = memoryChannels();
  const [ofClient, ofServer] = [new Recording(clock), new Recording(clock)];
  everyFeature(serverRevisions, { clock }).connect(ofServer.of(far, "server"));
  const recorded = await connect(ofClient.of(near, "client"), client);
  await recorded.callTool("add", { a: 1, b: 2 });
  await recorded.close();
  expect(ofClient.session.length).toBeGreaterThanOrEqual(4);
  expect(ofServer.session).toEqual(ofClient.session);
});

describe("virtual time", () => {
  test("timers fire in order, each at its time, including timers set by callbacks", async () => {
    const clock = new VirtualClock(1000);
    const fired: [string, number][] = [];
    const note = (name: string) => () => void fired.push([name, clock.now()]);
    clock.schedule(note("later"), 20);
    clock.schedule(() => {
      note("first")();
      clock.schedule(note("set on the way"), 5);
    }, 10);
    clock.schedule(note("same time, set after"), 10);
    clock.clear(clock.schedule(note("cleared"), 1));
    clock.schedule(note("not yet"), 31);
    await clock.advance(30);
    expect(fired).toEqual([
      ["first", 1010],
      ["same time, set after", 1010],
      ["set on the way", 1015],
      ["later", 1020],
    ]);
    expect(clock.now()).toBe(1030);
    expect(clock.waiting).toBe(1);
  });

  test("the effects of a timer precede the next timer", async () => {
    const clock = new VirtualClock();
    const order: string[] = [];
    const wait = (delay: number): Promise<void> =>
      new Promise((resolve) => clock.schedule(() => resolve(), delay));
    void wait(1)
      .then(() => undefined)
      .then(() => order.push("follows from 1"));
    void wait(2).then(() => order.push("2"));
    await clock.advance(2);
    expect(order).toEqual(["follows from 1", "2"]);
  });

  test.each(revisions)(
    "a minute passes at once: a call at %s times out, and no timer is left",
    async (revision) => {
      const clock = new VirtualClock();
      const server = createServer({ name: "slow", version: "1" }, { revisions: serverRevisions, clock });
      server.tool("sleep", {}, (_, { signal }) => {
        return new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
      });
      const pair = await createTestPair({ server, revisions: clientRevisions, revision, clock });
      const call = pair.client.callTool("sleep", {}, { timeout: 60_000 });
      const outcome = call.catch((error: unknown) => error);
      await clock.advance(59_999);
      expect(pair.client.idle).toBe(false);
      await clock.advance(1);
      expect(await outcome).toMatchObject({ code: "timeout", data: { timer: "timeout", elapsed: 60_000 } });
      expect(pair.wire.session.at(-1)).toMatchObject({ from: "client", at: 60_000 });
      expect(pair.wire.messages("client").at(-1)).toMatchObject({ method: "notifications/cancelled" });
      expect(clock.waiting).toBe(0);
      await pair.close();
    },
  );
});

/** The saved lines of a session with answers in every direction. */
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
  test("is the same after it is saved and read", async () => {
    const lines = await recorded(revision);
    expect(formatSession(parseSession(lines))).toBe(lines);
    expect(lines.split("\n").length).toBeGreaterThan(6);
  });

  test("plays the server for a client", async () => {
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

  test("plays the client for a server, whose sealed state differs each time", async () => {
    const replay = new Replay(parseSession(await recorded(revision)), { play: "client" });
    everyFeature(serverRevisions, { clock }).connect(replay);
    await replay.done;
  });
});

describe("a side that differs from the recording", () => {
  const revision = revisions.at(-1)!;

  test("a client that sends another message: the error has the place, the expected and the actual value", async () => {
    const replay = new Replay(parseSession(await recorded(revision)), { play: "server" });
    const again = await connect(replay, { ...client, revision });
    await again.callTool("work");
    const call = await again.callTool("greet").catch((error: unknown) => error);
    expect(call).toMatchObject({ code: "connection-closed", cause: expect.any(ReplayMismatch) as unknown });
    await expect(replay.done).rejects.toThrow(
      /^message \d+ of \d+: \/params\/name: expected folders, got greet; the whole message: \{"jsonrpc"/,
    );
  });

  test("a server that answers differently", async () => {
    const lines = (await recorded(revision)).replace('"text":"worked"', '"text":"done"');
    const replay = new Replay(parseSession(lines), { play: "client" });
    everyFeature(serverRevisions, { clock }).connect(replay);
    await expect(replay.done).rejects.toMatchObject({
      name: "ReplayMismatch",
      difference: { pointer: "/result/content/0/text", expected: "done", got: "worked" },
    });
  });

  test("a client that ends early, and a client that sends more", async () => {
    const session = parseSession(await recorded(revision));
    const early = new Replay(session, { play: "server" });
    await (await connect(early, { ...client, revision })).close();
    await expect(early.done).rejects.toThrow(/got the end of the connection/);

    // The session up to the end of the handshake or the discovery.
    const late = new Replay(session.slice(0, 2), { play: "server" });
    const again = await connect(late, { ...client, revision });
    await late.done;
    const call = await again.callTool("work").catch((error: unknown) => error);
    expect(call).toMatchObject({ message: expect.stringMatching(/expected nothing more, got/) as string });
  });
});

test("an invalid line is reported with its number", () => {
  const good = '{"from":"client","message":{"jsonrpc":"2.0","method":"ping","id":1}}';
  expect(parseSession(`${good}\n\n`)).toMatchObject([{ from: "client", at: 0 }]);
  expect(() => parseSession(`${good}\nnot JSON`)).toThrow(/^line 2: expected JSON, got "not JSON"\.$/);
  expect(() => parseSession('{"from":"stranger","message":{}}')).toThrow(/^line 1: expected \{"from"/);
  expect(() => parseSession('{"from":"client"}')).toThrow(/^line 1: /);
});

test("text that is not JSON is recorded, too", () => {
  const lines = formatSession([{ from: "client", at: 0, text: "{broken" }]);
  expect(parseSession(lines)).toEqual([{ from: "client", at: 0, text: "{broken" }]);
});
