import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect } from "vitest";
import {
  ScriptedPeer,
  base,
  connected,
  failure,
  reply,
  serverInfo,
  standard,
  supervise,
} from "../../support/scripted-stdio-server.js";
import { row } from "./rows.js";

function methods(peer: ScriptedPeer): (string | undefined)[] {
  return peer.received.map(({ method }) => method);
}

row("LIFE-03", "the newest version that the client speaks is offered", async (revision) => {
  const peer = new ScriptedPeer(revision);
  const clock = new VirtualClock();
  const revisions = clientRevisions.filter(({ id }) => id <= revision);
  const client = await connect(peer.channel, { ...base(clock), revisions });
  supervise(peer, clock, client);
  expect(peer.received[0]).toMatchObject({ method: "initialize", params: { protocolVersion: revision } });
  expect(client.revision).toBe(revision);
});

row("LIFE-05", "initialized follows the result of the handshake, and nothing but that", async (revision) => {
  const peer = new ScriptedPeer(revision, { initialize: () => undefined });
  const clock = new VirtualClock();
  const connecting = connect(peer.channel, { ...base(clock), revision });
  const request = await peer.until("initialize");
  await clock.advance(100);
  expect(methods(peer)).toEqual(["initialize"]);
  peer.send({ jsonrpc: "2.0", id: request.id, ...(await standard["initialize"]!(request, peer)) });
  supervise(peer, clock, await connecting);
  await peer.until("notifications/initialized");
  expect(methods(peer)).toEqual(["initialize", "notifications/initialized"]);

  const wrong = { result: { protocolVersion: "1999-01-01", capabilities: {}, serverInfo } };
  for (const answer of [failure(-32603), wrong, { result: {} }]) {
    const refusing = new ScriptedPeer(revision, { initialize: () => answer });
    await expect(connect(refusing.channel, { ...base(clock), revision })).rejects.toMatchObject({
      name: "McpError",
    });
    expect(methods(refusing)).toEqual(["initialize"]);
  }
});

row("LIFE-06", "nothing is asked for before the handshake is over", async (revision) => {
  // A client that lost its server opens another connection for the next request. This connection begins with the
  // handshake, too.
  const peers: ScriptedPeer[] = [];
  const clock = new VirtualClock();
  const source = () => (peers.push(new ScriptedPeer(revision)), peers.at(-1)!.channel);
  const client = await connect(source, { ...base(clock), revision });
  supervise(peers[0]!, clock, client);
  await peers[0]!.until("notifications/initialized");
  peers[0]!.hangUp();
  await clock.advance(0);
  const calls = Promise.all([client.listTools(), client.callTool("a"), client.ping()]);
  await calls;
  expect(peers).toHaveLength(2);
  expect(methods(peers[1]!).slice(0, 2)).toEqual(["initialize", "notifications/initialized"]);
  expect(methods(peers[1]!).slice(2).sort()).toEqual(["ping", "tools/call", "tools/list"]);
});

row("LIFE-08", "messages of capabilities that either side did not declare are not sent", async (revision) => {
  const { client, peer } = await connected(revision, {
    initialize: ({ params }) => ({
      result: { protocolVersion: params!["protocolVersion"], capabilities: { tools: {} }, serverInfo },
    }),
  });
  const mark = peer.received.length;
  const ref = { type: "ref/prompt", name: "p" } as const;
  const refused = [
    client.listPrompts(),
    client.getPrompt("p"),
    client.listResources(),
    client.listResourceTemplates(),
    client.readResource("file:///a"),
    client.request("resources/subscribe", { uri: "file:///a" }),
    client.complete({ ref, argument: { name: "a", value: "" } }),
    client.setLogLevel("info"),
    client.rootsChanged(),
  ];
  for (const outcome of await Promise.allSettled(refused))
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "missing-capability" } });
  await peer.nothingSince(mark, client);
  expect(peer.received[0]!.params!["capabilities"]).toEqual({});
});

row("LIFE-15", "without a common version, the error lists the versions of the server", async (revision) => {
  const supported = ["2027-01-01"];
  const answers = [
    failure(-32022, "Unsupported protocol version", { supported, requested: revision }),
    {
      result: {
        resultType: "complete",
        supportedVersions: supported,
        capabilities: {},
        ttlMs: 0,
        cacheScope: "private",
      },
    },
  ];
  for (const answer of answers) {
    const peer = new ScriptedPeer(revision, { "server/discover": () => answer });
    const clock = new VirtualClock();
    await expect(connect(peer.channel, base(clock))).rejects.toMatchObject({
      code: "unsupported-version",
      message: expect.stringContaining("2027-01-01") as string,
      data: { supported },
    });
    expect(peer.of("initialize")).toEqual([]);
    expect(clock.waiting).toBe(0);
  }
  // The version may also be one of the other era.
  const old = new ScriptedPeer("2025-06-18", {
    "server/discover": () =>
      failure(-32022, "Unsupported", { supported: ["2025-06-18"], requested: revision }),
  });
  const clock = new VirtualClock();
  const client = await connect(old.channel, base(clock));
  supervise(old, clock, client);
  expect(client.revision).toBe("2025-06-18");
});

row("LIFE-17", "a server is probed once, however often it is called and connected to again", async () => {
  const peers: ScriptedPeer[] = [];
  const clock = new VirtualClock();
  const source = () => (peers.push(new ScriptedPeer("2025-11-25")), peers.at(-1)!.channel);
  const client = await connect(source, base(clock));
  supervise(peers[0]!, clock, client);
  for (let times = 0; times < 3; times++) {
    for (let calls = 0; calls < 10; calls++) await client.callTool("any");
    peers.at(-1)!.hangUp();
    await clock.advance(0);
  }
  await client.callTool("any");
  expect(peers).toHaveLength(4);
  expect(peers.flatMap((peer) => peer.of("server/discover"))).toHaveLength(1);
  expect(peers.flatMap((peer) => peer.of("initialize"))).toHaveLength(4);
});

row(
  "LIFE-20",
  "a client of the new era alone says so to a server of the old, without a handshake",
  async (revision) => {
    for (const code of [-32601, -32000]) {
      const peer = new ScriptedPeer("2025-11-25", {
        "server/discover": () => failure(code, "Method not found"),
      });
      const clock = new VirtualClock();
      const revisions = clientRevisions.filter(({ id }) => id === revision);
      await expect(connect(peer.channel, { ...base(clock), revisions })).rejects.toMatchObject({
        code: "unsupported-version",
        message: expect.stringContaining(revision) as string,
      });
      expect(methods(peer)).toEqual(["server/discover"]);
      expect(clock.waiting).toBe(0);
    }
  },
);

row(
  "LIFE-21",
  "an extension that was not declared is neither used nor taken from a server",
  async (revision) => {
    const task = {
      taskId: "1",
      status: "working",
      createdAt: "2026-01-01T00:00:00Z",
      ttl: 1000,
      pollInterval: 10,
    };
    const { client, peer } = await connected(revision, {
      "server/discover": (_, self) =>
        reply(self, {
          supportedVersions: [revision],
          capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
        }),
      "tools/call": () => ({ result: { resultType: "task", task } }),
    });
    const declared = peer.received[0]!.params!._meta!["io.modelcontextprotocol/clientCapabilities"];
    expect(declared).not.toHaveProperty("extensions");
    await expect(client.callTool("long")).rejects.toMatchObject({ code: "invalid-result" });
    const mark = peer.received.length;
    await expect(client.request("tasks/get", { taskId: "1" })).rejects.toMatchObject({
      code: "method-not-found",
    });
    await peer.nothingSince(mark, client);
  },
);
