import { clientRevisions } from "@mcpgen/protocol";
import { type Channel, connect } from "@mcpgen/runtime";
import { Recording, VirtualClock } from "@mcpgen/testing";
import { describe, expect, test, vi } from "vitest";
import { clientChannelOf } from "../../../runtime/base/jsonrpc/channel.js";
import {
  type Reply,
  type Script,
  ScriptedPeer,
  base,
  everything,
  failure,
  reply,
} from "../../support/scripted-stdio-server.js";
import { failureOf } from "../../support/failure-of.js";
import { heard } from "../../support/heard.mjs";
import { scripted } from "../../support/scripted-http-server.js";

const silent: Script = { "server/discover": () => undefined, initialize: () => undefined };

const late = (limit: number): object => ({
  code: "timeout",
  data: { timer: "connect", limit, elapsed: limit },
});

test.each(["2026-07-28", "2025-11-25", undefined])(
  "timeouts.connect bounds all that connecting takes (%s)",
  async (revision) => {
    const clock = new VirtualClock();
    const peer = new ScriptedPeer("2025-11-25", silent);
    vi.spyOn(peer.channel, "close");
    const only = revision === undefined ? {} : { revision };
    const outcome = failureOf(
      connect(peer.channel, { ...base(clock), ...only, timeouts: { connect: 1500 } }),
    );
    await clock.advance(1499);
    expect(peer.channel.close).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(await outcome).toMatchObject(late(1500));
    expect(peer.channel.close).toHaveBeenCalled();
    expect(clock.waiting).toBe(0);
  },
);

test("it bounds a second attempt with the first", async () => {
  const clock = new VirtualClock();
  const peers: ScriptedPeer[] = [];
  const start = () => {
    const mortal: Script = {
      "server/discover": async (_, peer) => (await clock.advance(400), void peer.hangUp()),
    };
    peers.push(new ScriptedPeer("2025-11-25", peers.length === 0 ? mortal : silent));
    return peers.at(-1)!.channel;
  };
  const outcome = failureOf(connect(start, { ...base(clock), timeouts: { connect: 900 } }));
  await expect.poll(() => peers[1]?.of("initialize")).toHaveLength(1);
  await clock.advance(500);
  expect(await outcome).toMatchObject(late(900));
  expect(clock.waiting).toBe(0);
});

test("it bounds a source that opens nothing, and closes a channel that the source opens later", async () => {
  const clock = new VirtualClock();
  let open: (channel: Channel) => void = () => {};
  const source = () => new Promise<Channel>((resolve) => (open = resolve));
  const outcome = failureOf(connect(source, { ...base(clock), timeouts: { connect: 50 } }));
  await clock.advance(50);
  expect(await outcome).toMatchObject(late(50));
  const peer = new ScriptedPeer("2025-11-25");
  vi.spyOn(peer.channel, "close");
  open(peer.channel);
  await expect.poll(() => peer.channel.close).toHaveBeenCalled();
  expect(peer.received).toEqual([]);
});

test("a level of logs that is never set takes no longer than timeouts.connect, either", async () => {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const peer = new ScriptedPeer("2025-11-25", { "logging/setLevel": () => undefined });
  const connecting = connect(peer.channel, {
    ...base(clock),
    timeouts: { connect: 500 },
    logLevel: "error",
    onEvent: heard({ warning: (message) => void warnings.push(message) }),
  });
  await peer.until("logging/setLevel");
  await clock.advance(500);
  await (await connecting).close();
  expect(warnings).toEqual([expect.stringContaining("the log level could not be set")]);
});

test.each([Infinity, 2 ** 40])(
  "timeouts.connect of %d waits for the probe, and no millisecond",
  async (limit) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let answer: (reply: Reply) => void = () => {};
    const peer = new ScriptedPeer("2026-07-28", {
      "server/discover": () => new Promise<Reply>((resolve) => (answer = resolve)),
    });
    const source = Object.assign(clientChannelOf(peer.channel), { guaranteesReply: true });
    const connecting = connect(source, { revisions: clientRevisions, timeouts: { connect: limit } });
    await peer.until("server/discover");
    await vi.advanceTimersByTimeAsync(60_000);
    answer(reply(peer, { supportedVersions: [peer.revision], capabilities: everything }));
    const client = await connecting;
    expect(client.revision).toBe("2026-07-28");
    expect(peer.of("initialize")).toEqual([]);
    await client.close();
  },
);

test("an abort stops connecting, and ends the started process", async () => {
  for (const when of ["server/discover", "initialize"]) {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const peer = new ScriptedPeer("2025-11-25", { [when]: () => void controller.abort("enough") });
    vi.spyOn(peer.channel, "close");
    const outcome = failureOf(connect(peer.channel, { ...base(clock), signal: controller.signal }));
    expect(await outcome).toMatchObject({ code: "cancelled", cause: "enough" });
    expect(peer.channel.close).toHaveBeenCalled();
    expect(clock.waiting).toBe(0);
  }
});

test("nothing is started for a signal that is aborted already", async () => {
  const source = vi.fn();
  const outcome = failureOf(connect(source, { ...base(new VirtualClock()), signal: AbortSignal.abort() }));
  expect(await outcome).toMatchObject({ code: "cancelled" });
  expect(source).not.toHaveBeenCalled();
});

test("an abort after that means nothing to the client", async () => {
  const controller = new AbortController();
  const start = () => new ScriptedPeer("2026-07-28").channel;
  const client = await connect(start, { ...base(new VirtualClock()), signal: controller.signal });
  controller.abort();
  await expect(client.callTool("x")).resolves.toMatchObject({ content: [] });
  await client.close();
});

test.each([
  [{ supported: [] }, "the server does not name its revisions"],
  [{ supported: [null, "1999-01-01"] }, "the server has 1999-01-01"],
])("a refusal of the version with the data %j reads well", async (data, words) => {
  const code = -32022;
  const peer = new ScriptedPeer("2026-07-28", { "server/discover": () => failure(code, "no", data) });
  const outcome = failureOf(connect(peer.channel, { ...base(new VirtualClock()) }));
  const error = await outcome;
  expect(error).toMatchObject({ code: "unsupported-version" });
  expect((error as Error).message).toMatch(new RegExp(`${words}$`));
});

describe("a refusal of the version that lists no revisions", () => {
  const code = -32022;
  const datas = [undefined, null, "2025-11-25", {}, [], { supported: null }, { supported: "2025-11-25" }];

  test.each(datas)("is followed by the handshake, with the data %j", async (data) => {
    for (const revision of ["2024-11-05", "2025-11-25"]) {
      const peer = new ScriptedPeer(revision, { "server/discover": () => failure(code, "no", data) });
      const client = await connect(peer.channel, base(new VirtualClock()));
      expect(client.revision).toBe(revision);
      expect(peer.of("server/discover")).toHaveLength(1);
      await client.close();
    }
  });

  test("is followed by the handshake over HTTP", async () => {
    for (const status of [200, 400]) {
      const server = await scripted("2025-06-18", {
        "server/discover": (incoming) =>
          incoming.json(incoming.answer({ error: { code, message: "no" } }), status),
      });
      const client = await connect(server.url, { revisions: clientRevisions });
      expect(client.revision).toBe("2025-06-18");
      await client.close();
    }
  });

  test("fails without a revision before 2026-07-28, with the words of the server", async () => {
    const script = { "server/discover": () => failure(code, "not this one") };
    const peer = new ScriptedPeer("2026-07-28", script);
    const options = { ...base(new VirtualClock()), revision: "2026-07-28" };
    expect(await failureOf(connect(peer.channel, options))).toMatchObject({
      code: "unsupported-version",
      message: expect.stringContaining("not this one") as string,
      cause: { rpcCode: code },
    });
    expect(peer.of("initialize")).toEqual([]);
  });

  test("fails if the handshake does", async () => {
    const refuse = () => failure(-32601, "no handshake here");
    const script = { "server/discover": () => failure(code, "no"), initialize: refuse };
    const peer = new ScriptedPeer("2026-07-28", script);
    expect(await failureOf(connect(peer.channel, base(new VirtualClock())))).toMatchObject({
      code: "unsupported-version",
      message: expect.stringContaining("no handshake here") as string,
    });
  });
});

const nothing = (): void => {};
const plain = { open: nothing, send: nothing, flush: nothing, close: nothing };
const exchanges = {
  open: nothing,
  post: nothing,
  reply: nothing,
  abandon: nothing,
  authorization: nothing,
  setProtocolHeaders: nothing,
  close: nothing,
  guaranteesReply: true,
  carriesHeaders: true,
};

test.each<[string, unknown, string]>([
  ["nothing", undefined, "expected a channel, with open and send or post"],
  ["a number", 3, "expected a channel, with open and send or post"],
  ["an object that only opens", { open: nothing }, "expected a channel, with open and send or post"],
  [
    "an object that only sends",
    { send: nothing },
    "the channel lacks members of Channel: open (a function), flush (a function), close (a function)",
  ],
  [
    "a channel without flush",
    { ...plain, flush: undefined },
    "the channel lacks members of Channel: flush (a function)",
  ],
  [
    "a plain channel with post",
    { ...plain, post: nothing, carriesHeaders: "no" },
    "the channel lacks members of ClientChannel: guaranteesReply (a boolean), carriesHeaders (a boolean), reply (a function), abandon (a function), authorization (a function), setProtocolHeaders (a function)",
  ],
  [
    "a channel of exchanges without authorization",
    { ...exchanges, authorization: undefined },
    "the channel lacks members of ClientChannel: authorization (a function)",
  ],
])("a source that opens %s is a mistake of the program", async (_, opened, message) => {
  const outcome = await failureOf(connect(() => opened as Channel, base(new VirtualClock())));
  expect(outcome).toMatchObject({ code: "invalid-definition", message: `source: ${message}` });
  if (opened === undefined) return;
  const recording = () => new Recording().of(opened as Channel, "client");
  expect(recording).toThrow(`channel: ${message}`);
});

test.each(["ftp://example.com/mcp", "WS://example.com", new URL("file:///tmp/mcp")])(
  "a URL of a scheme without a transport is refused: %s",
  async (source) => {
    const outcome = await failureOf(connect(source, base(new VirtualClock())));
    expect(outcome).toMatchObject({
      code: "invalid-definition",
      message: expect.stringMatching(
        /^source: expected http:\/\/…, https:\/\/… or "stdio:COMMAND …", got the scheme (ftp|WS|file):\.$/,
      ) as string,
    });
  },
);
